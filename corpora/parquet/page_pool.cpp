#include "corpora/parquet/page_pool.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kLeastBytes = std::size_t{128} << 10;  // smaller ones the allocator keeps itself
constexpr std::size_t kRoom = 8;                             // for the next page, which is about as large
constexpr std::size_t kSmallUnit = 4096, kHugePage = std::size_t{2} << 20, kHugeFrom = 2 * kHugePage;
constexpr std::size_t kMostWaste = 4;  // a buffer is at most so many times as large as asked for

}  // namespace

std::shared_ptr<std::uint8_t[]> PagePool::take(std::size_t bytes) {
  if (bytes < kLeastBytes) return std::make_shared_for_overwrite<std::uint8_t[]>(bytes);
  Buffer buffer = take_free(bytes);
  if (buffer.bytes == nullptr) buffer = allocate(bytes + bytes / kRoom);
  std::uint8_t* const at = buffer.bytes.get();
  auto held = std::make_shared<Buffer>(std::move(buffer));
  return {at, [pool = shared_from_this(), held](std::uint8_t*) { pool->give_back(std::move(*held)); }};
}

void PagePool::Free::operator()(std::uint8_t* bytes) const { std::free(bytes); }

PagePool::Buffer PagePool::allocate(std::size_t bytes) {
  const std::size_t unit = bytes < kHugeFrom ? kSmallUnit : kHugePage;
  const std::size_t capacity = (bytes + unit - 1) / unit * unit;
  auto* const at = static_cast<std::uint8_t*>(std::aligned_alloc(unit, capacity));
  if (at == nullptr) throw std::bad_alloc();
  if (unit == kHugePage) madvise(at, capacity, MADV_HUGEPAGE);  // what it is without that is good, too
  Buffer buffer;
  buffer.bytes.reset(at);
  buffer.capacity = capacity;
  return buffer;
}

PagePool::Buffer PagePool::take_free(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto best = free_.end();
  for (auto one = free_.begin(); one != free_.end(); ++one) {
    const bool fits = one->capacity >= bytes && one->capacity / kMostWaste <= bytes;
    if (fits && (best == free_.end() || one->capacity < best->capacity)) best = one;
  }
  if (best == free_.end()) {
    drop_smaller(bytes);
    return {};
  }
  Buffer buffer = std::move(*best);
  free_.erase(best);
  return buffer;
}

// Drops free buffers of less than `bytes` bytes, the oldest first, until they have as many bytes together.
void PagePool::drop_smaller(std::size_t bytes) {
  std::size_t dropped = 0;
  std::erase_if(free_, [&](const Buffer& one) {
    const bool drops = one.capacity < bytes && dropped < bytes;
    if (drops) dropped += one.capacity;
    return drops;
  });
}

void PagePool::give_back(Buffer buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    free_.push_back(std::move(buffer));
  } catch (...) {  // the buffer is freed
  }
}

}  // namespace spillway
