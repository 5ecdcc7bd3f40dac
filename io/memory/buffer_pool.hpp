// Buffers of cursors, kept for the next cursor: a merge opens a cursor of every run for each of hundreds of term
// ranges. There are never more buffers than cursors at the same time, and other allocations cannot fragment the space
// between them.
#pragma once

#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace spillway {

// Thread-safe.
class BufferPool {
 public:
  // Returns a buffer that was left, with unspecified contents, or an empty one if there is none.
  std::vector<std::uint8_t> take() {
    const std::scoped_lock lock(mutex_);
    if (buffers_.empty()) return {};
    std::vector<std::uint8_t> buffer = std::move(buffers_.back());
    buffers_.pop_back();
    return buffer;
  }
  void leave(std::vector<std::uint8_t>&& buffer) noexcept {
    const std::scoped_lock lock(mutex_);
    try {
      buffers_.push_back(std::move(buffer));
    } catch (const std::bad_alloc&) {  // the next cursor allocates its own
    }
  }
  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return buffers_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<std::uint8_t>> buffers_;
};

}  // namespace spillway
