#include "indexer/job/merge_lanes.hpp"

#include <exception>
#include <utility>

namespace spillway {

void MergeLanes::run(const Make& make) noexcept {
  std::unique_ptr<BatchLanes> lanes;
  try {
    lanes = make();
    if (lanes == nullptr) return;
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return source_ || ended_; });
    if (ended_) return;
    lock.unlock();
    lanes->begin(*source_);
    lock.lock();
    lanes_ = std::move(lanes);
    changed_.wait(lock, [&] { return ended_; });
    lanes = std::move(lanes_);
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

void MergeLanes::end() noexcept {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_all();
}

std::string MergeLanes::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void MergeLanes::begin(const BatchMergeSource& source) {
  const std::lock_guard lock(mutex_);
  source_.emplace(source);
  changed_.notify_all();
}

std::unique_ptr<BatchLane> MergeLanes::take() noexcept {
  const std::lock_guard lock(mutex_);
  return lanes_ == nullptr || ended_ ? nullptr : lanes_->take();
}

void MergeLanes::fail(const std::string& why) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (failure_.empty()) failure_ = why;
  } catch (const std::exception&) {  // without memory for the reason
  }
}

}  // namespace spillway
