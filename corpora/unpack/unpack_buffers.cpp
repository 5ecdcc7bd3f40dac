#include "corpora/unpack/unpack_buffers.hpp"

namespace spillway {

void UnpackBuffers::GiveBack::operator()(Buffer* buffer) const noexcept {
  {
    const std::lock_guard lock(owner->mutex_);
    owner->free_.push_back(buffer);  // does not allocate: there is capacity for all buffers
  }
  owner->returned_.notify_one();
}

UnpackBuffers::UnpackBuffers(std::size_t count, std::size_t bytes, MemoryBudget& budget) {
  all_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all_.emplace_back(budget, bytes, "unpacked input");
  for (Buffer& buffer : all_) free_.push_back(&buffer);
}

UnpackBuffers::Taken UnpackBuffers::take() {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return stopped_ || !free_.empty(); });
  return take_free();
}

UnpackBuffers::Taken UnpackBuffers::try_take() {
  const std::lock_guard lock(mutex_);
  return take_free();
}

// Requires: mutex_ is held.
UnpackBuffers::Taken UnpackBuffers::take_free() {
  if (stopped_ || free_.empty()) return {};
  Taken taken(free_.back(), {shared_from_this()});
  free_.pop_back();
  return taken;
}

void UnpackBuffers::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  returned_.notify_all();
}

}  // namespace spillway
