#include "io/base/concurrency_limiter.hpp"

namespace spillway {

void ThreadSlot::release() {
  if (ConcurrencyLimiter* const slots = std::exchange(slots_, nullptr)) slots->give_back();
}

ThreadSlot ConcurrencyLimiter::take() {
  std::unique_lock lock(mutex_);
  const std::uint64_t place = next_place_++;
  changed_.wait(lock, [&] { return served_ == place && free_ != 0; });
  ++served_;
  --free_;
  if (free_ != 0) changed_.notify_all();
  return ThreadSlot(*this);
}

std::size_t ConcurrencyLimiter::waiting() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(next_place_ - served_);
}

void ConcurrencyLimiter::give_back() {
  const std::lock_guard lock(mutex_);
  ++free_;
  changed_.notify_all();
}

}  // namespace spillway
