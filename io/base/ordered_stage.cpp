#include "io/base/ordered_stage.hpp"

#include <utility>

namespace spillway {

OrderedStage::OrderedStage(std::size_t most_waiting, Work work)
    : most_waiting_(most_waiting), work_(std::move(work)), thread_([this] { run(); }) {}

OrderedStage::~OrderedStage() {
  {
    const std::scoped_lock lock(mutex_);
    is_ending_ = true;
    waiting_.clear();
  }
  changed_.notify_all();
  thread_.join();
}

void OrderedStage::put(Bytes buffer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ != nullptr || waiting_.size() < most_waiting_; });
  if (error_ != nullptr) std::rethrow_exception(error_);
  waiting_.push_back(std::move(buffer));
  changed_.notify_all();
}

void OrderedStage::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return error_ != nullptr || (waiting_.empty() && !is_busy_); });
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void OrderedStage::run() noexcept {
  std::deque<Bytes> discarded;
  std::unique_lock lock(mutex_);
  try {
    for (;;) {
      changed_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      Bytes buffer = std::move(waiting_.front());
      waiting_.pop_front();
      is_busy_ = true;
      changed_.notify_all();
      lock.unlock();
      work_(std::move(buffer));
      buffer = {};  // its owner may take locks when it goes
      lock.lock();
      is_busy_ = false;
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    error_ = std::current_exception();
    discarded.swap(waiting_);
    changed_.notify_all();
    lock.unlock();
  }
}

}  // namespace spillway
