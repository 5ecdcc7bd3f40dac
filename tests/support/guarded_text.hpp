// Text between two pages that fault on access, the second directly after its last byte: reading outside it ends the
// test program.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <string_view>

namespace spillway::testing {

class GuardedText {
 public:
  explicit GuardedText(std::string_view text)
      : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))),
        body_((text.size() + page_ - 1) / page_ * page_),
        size_(text.size()) {
    void* const map = mmap(nullptr, body_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) throw std::bad_alloc();
    map_ = static_cast<std::uint8_t*>(map);
    if (body_ != 0 && mprotect(map_ + page_, body_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
    if (!text.empty()) std::memcpy(data(), text.data(), text.size());
  }
  ~GuardedText() { munmap(map_, body_ + 2 * page_); }
  GuardedText(const GuardedText&) = delete;
  GuardedText& operator=(const GuardedText&) = delete;

  std::uint8_t* data() const { return map_ + page_ + body_ - size_; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data()), size_}; }

 private:
  std::size_t page_, body_, size_;
  std::uint8_t* map_ = nullptr;
};

}  // namespace spillway::testing
