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
  {
    const std::scoped_lock lock(mutex_);
    used_ += capacity;
    drop_excess();
  }
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
  if (best == free_.end()) return {};
  Buffer buffer = std::move(*best);
  free_.erase(best);
  free_bytes_ -= buffer.capacity;
  used_ += buffer.capacity;
  return buffer;
}

// Drops the oldest free buffers that are more than what was in use at once.
void PagePool::drop_excess() {
  most_used_ = std::max(most_used_, used_);
  auto kept = free_.begin();
  for (; kept != free_.end() && used_ + free_bytes_ > most_used_; ++kept) free_bytes_ -= kept->capacity;
  free_.erase(free_.begin(), kept);
}

void PagePool::give_back(Buffer buffer) noexcept {
  const std::scoped_lock lock(mutex_);
  const std::size_t bytes = buffer.capacity;
  used_ -= bytes;
  try {
    free_.push_back(std::move(buffer));
    free_bytes_ += bytes;
  } catch (...) {  // the buffer is freed
  }
}

std::size_t PagePool::bytes() const {
  const std::scoped_lock lock(mutex_);
  return used_ + free_bytes_;
}

}  // namespace spillway
