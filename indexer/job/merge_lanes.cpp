#include "indexer/job/merge_lanes.hpp"

#include <exception>
#include <utility>

namespace spillway {

void MergeLanes::make(const Make& make) noexcept {
  std::unique_ptr<BatchLanes> lanes;
  try {
    lanes = make();
  } catch (const std::exception& error) {
    fail(error.what());
  }
  {
    const std::lock_guard lock(mutex_);
    lanes_ = std::move(lanes);
    made_ = true;
    begin_lanes();
    changed_.notify_all();
    if (lanes_ == nullptr || ended_) return;
  }
  lanes_->make_large();  // only this thread gives lanes back
  const std::lock_guard lock(mutex_);
  large_made_ = true;
  changed_.notify_all();
}

// Whichever comes last, the lanes or what they merge, begins them. Requires: the mutex is held.
void MergeLanes::begin_lanes() noexcept {
  if (lanes_ == nullptr || !source_ || ended_) return;
  try {
    lanes_->begin(*source_);
  } catch (const std::exception& error) {
    cannot_begin_ = true;
    keep_failure(error.what());
    changed_.notify_all();
  }
}

bool MergeLanes::holds_lists() const noexcept {
  const std::lock_guard lock(mutex_);
  return lanes_ != nullptr && !cannot_begin_ && (lanes_->order_bytes() != 0 || lanes_->held() != nullptr);
}

void MergeLanes::wait_for_last_ranges() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return lanes_ == nullptr || cannot_begin_ || ends_soon_ || ended_; });
}

void MergeLanes::wait_for_end() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_; });
  const std::unique_ptr<BatchLanes> gone = std::move(lanes_);
  lock.unlock();  // giving memory back takes a while
}

void MergeLanes::expect_end() noexcept {
  const std::lock_guard lock(mutex_);
  ends_soon_ = true;
  changed_.notify_all();
}

void MergeLanes::end() noexcept {
  if (const auto before_end = std::exchange(before_end_, {})) before_end();
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
  begin_lanes();
}

std::unique_ptr<BatchLane> MergeLanes::take() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return made_ || ended_; });
  return lanes_ == nullptr || cannot_begin_ || ended_ ? nullptr : lanes_->take();
}

const HeldLists* MergeLanes::held() noexcept {
  const std::lock_guard lock(mutex_);
  return lanes_ == nullptr || cannot_begin_ || ended_ ? nullptr : lanes_->held();
}

// A thread without the large lane merges its list itself. For that it would have all lists brought down that stay on
// GPUs, which takes longer than the lane.
LargeLane* MergeLanes::large() noexcept {
  std::unique_lock lock(mutex_);
  const bool waits = lanes_ != nullptr && !cannot_begin_ && lanes_->held() != nullptr;
  if (waits) changed_.wait(lock, [&] { return large_made_ || ended_; });
  return !large_made_ || cannot_begin_ || ended_ ? nullptr : lanes_->large();
}

void MergeLanes::fail(const std::string& why) noexcept {
  const std::lock_guard lock(mutex_);
  keep_failure(why.c_str());
  ends_soon_ = true;  // most likely all lanes fail
  changed_.notify_all();
}

// The first of them. Requires: the mutex is held.
void MergeLanes::keep_failure(const char* why) noexcept {
  try {
    if (failure_.empty()) failure_ = why;
  } catch (const std::exception&) {  // without memory for the reason
  }
}

}  // namespace spillway
