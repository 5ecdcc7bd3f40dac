#include "corpora/reader/window_pool.hpp"

namespace spillway {

PooledWindow& PooledWindow::operator=(PooledWindow&& other) noexcept {
  if (this == &other) return *this;
  give_back();
  pool_ = std::move(other.pool_);
  buffer_ = std::move(other.buffer_);
  return *this;
}

void PooledWindow::give_back() noexcept {
  if (pool_ == nullptr) return;
  {
    const std::lock_guard lock(pool_->mutex_);
    pool_->free_.push_back(std::move(buffer_));  // never allocates: reserved for all of them
  }
  pool_->returned_.notify_one();
  pool_.reset();
}

WindowPool::WindowPool(std::size_t count, std::size_t bytes, MemoryBudget& budget) {
  free_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) free_.emplace_back(budget, bytes, "windows of unpacked input");
}

PooledWindow WindowPool::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return stopped_ || !free_.empty(); });
  if (stopped_) return {};
  Buffer buffer = std::move(free_.back());
  free_.pop_back();
  return {shared_from_this(), std::move(buffer)};
}

void WindowPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  returned_.notify_all();
}

}  // namespace spillway
