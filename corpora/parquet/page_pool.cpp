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
  largest_bytes_ = std::max(largest_bytes_, bytes + bytes / kRoom);
  auto best = free_.end();
  for (auto one = free_.begin(); one != free_.end(); ++one) {
    const bool fits = one->capacity >= bytes && one->capacity / kMostWaste <= bytes;
    if (fits && (best == free_.end() || one->capacity < best->capacity)) best = one;
  }
  if (best == free_.end()) return {};
  Buffer buffer = std::move(*best);
  free_.erase(best);
  free_bytes_ -= buffer.capacity;
  return buffer;
}

// Keeps the newest: what is asked for next is about as large.
void PagePool::give_back(Buffer buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  try {
    free_.push_back(std::move(buffer));
  } catch (...) {
    return;
  }
  free_bytes_ += free_.back().capacity;
  while (free_bytes_ > std::max(kMostFreeBytes, 2 * largest_bytes_)) {
    free_bytes_ -= free_.front().capacity;
    free_.erase(free_.begin());
  }
}

}  // namespace spillway
