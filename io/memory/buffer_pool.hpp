// Windows of cursors that come and go: a merge opens a cursor of every run for each of hundreds of ranges of terms.
// What the last one leaves is taken by the next, so that no more of them are ever there than cursors at once, and what
// others allocate between them finds no holes to grow into.
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
  // One that was left, with any bytes; an empty one where there is none.
  std::vector<std::uint8_t> take() {
    const std::scoped_lock lock(mutex_);
    if (windows_.empty()) return {};
    std::vector<std::uint8_t> window = std::move(windows_.back());
    windows_.pop_back();
    return window;
  }
  void leave(std::vector<std::uint8_t>&& window) noexcept {
    const std::scoped_lock lock(mutex_);
    try {
      windows_.push_back(std::move(window));
    } catch (const std::bad_alloc&) {  // the next cursor asks for its own
    }
  }
  std::size_t count() const {
    const std::scoped_lock lock(mutex_);
    return windows_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<std::uint8_t>> windows_;
};

}  // namespace spillway
