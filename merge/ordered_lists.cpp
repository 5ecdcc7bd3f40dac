#include "merge/ordered_lists.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace spillway {

OrderedLists::OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used)
    : writer_(writer), limit_bytes_(limit_bytes), most_used_(most_used), ranges_(range_count) {}

void OrderedLists::check_stopped() const {
  if (stopped_.load(std::memory_order_relaxed)) throw Stopped{};
}

void OrderedLists::write(ListBatch batch) {
  writer_.append_lists(batch);
  const std::scoped_lock lock(used_mutex_);
  if (used_.size() < most_used_) used_.push_back(std::move(batch));
}

ListBatch OrderedLists::take_used() {
  const std::scoped_lock lock(used_mutex_);
  if (used_.empty()) return {};
  ListBatch batch = std::move(used_.back());
  used_.pop_back();
  return batch;
}

// Requires: `range` is the head, and the caller the only thread that writes it.
void OrderedLists::write_kept(std::size_t range, Lock& lock) {
  while (!ranges_[range].kept.empty()) {
    ListBatch batch = std::move(ranges_[range].kept.front());
    ranges_[range].kept.pop_front();
    const std::size_t bytes = batch.bytes();
    lock.unlock();
    write(std::move(batch));
    lock.lock();
    kept_bytes_ -= bytes;
    changed_.notify_all();
    check_stopped();
  }
}

void OrderedLists::put(std::size_t range, ListBatch batch) {
  const std::size_t bytes = batch.bytes();
  Lock lock(mutex_);
  changed_.wait(lock,
                [&] { return stopped_ || range == head_ || kept_bytes_ == 0 || kept_bytes_ + bytes <= limit_bytes_; });
  check_stopped();
  if (range != head_) {
    kept_bytes_ += bytes;
    peak_bytes_ = std::max(peak_bytes_, kept_bytes_);
    ranges_[range].kept.push_back(std::move(batch));
    return;
  }
  write_kept(range, lock);
  lock.unlock();
  write(std::move(batch));
}

void OrderedLists::finish(std::size_t range) {
  Lock lock(mutex_);
  check_stopped();
  ranges_[range].finished = true;
  // Finished ranges behind the head have no thread of their own any more: this one writes them.
  while (range == head_ && ranges_[range].finished) {
    write_kept(range, lock);
    if (++head_ == ranges_.size()) break;
    range = head_;
    changed_.notify_all();
  }
}

void OrderedLists::fail(std::exception_ptr error) {
  const Lock lock(mutex_);
  if (error_ == nullptr) error_ = std::move(error);
  stopped_ = true;
  changed_.notify_all();
}

void OrderedLists::check_complete() const {
  const Lock lock(mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (head_ != ranges_.size()) throw std::logic_error("a merge ended before all its ranges were written");
}

}  // namespace spillway
