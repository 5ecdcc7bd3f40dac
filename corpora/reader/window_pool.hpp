// Windows for unpacked bytes: a fixed number, paid once, that go round between the reader thread and the parsers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

class WindowPool;

// A window; goes back to its pool when destroyed. Movable.
class PooledWindow {
 public:
  PooledWindow() = default;
  PooledWindow(PooledWindow&&) noexcept = default;
  PooledWindow& operator=(PooledWindow&& other) noexcept;
  PooledWindow(const PooledWindow&) = delete;
  PooledWindow& operator=(const PooledWindow&) = delete;
  ~PooledWindow() { give_back(); }

  explicit operator bool() const { return pool_ != nullptr; }
  // All of it; the last kJsonPadding bytes are for reading beyond the end only.
  std::span<std::uint8_t> span() { return buffer_.span(); }

 private:
  friend class WindowPool;
  PooledWindow(std::shared_ptr<WindowPool> pool, Buffer buffer) : pool_(std::move(pool)), buffer_(std::move(buffer)) {}
  void give_back() noexcept;
  std::shared_ptr<WindowPool> pool_;
  Buffer buffer_;
};

// Thread-safe. Lives as long as its windows.
class WindowPool : public std::enable_shared_from_this<WindowPool> {
 public:
  WindowPool(std::size_t count, std::size_t bytes, MemoryBudget& budget);

  // Waits for a window; an empty one after stop().
  PooledWindow take();
  void stop();

 private:
  friend class PooledWindow;
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Buffer> free_;
  bool stopped_ = false;
};

}  // namespace spillway
