#include "io/base/byte_vector.hpp"

#include <sys/mman.h>

#include <new>

namespace spillway {

void* map_large_pages(std::size_t bytes) {
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);  // if the system refuses, small pages do
  return memory;
}

void unmap_large_pages(void* memory, std::size_t bytes) noexcept { munmap(memory, bytes); }

}  // namespace spillway
