#include "corpora/reader/arrow_reader.hpp"

#include <algorithm>
#include <utility>

namespace spillway {

namespace {

std::size_t task_bytes(const ReaderLimits& limits) { return std::max(limits.buffer_bytes, limits.arrow_bytes); }

// Counts the bytes of rows [begin, end), and the memory of each row, so that many rows without bytes end a task.
std::uint64_t cost(const ArrowBatch& batch, std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t kRowBytes = 16;
  return kRowBytes * (end - begin) + batch.bytes(begin, end);
}

}  // namespace

std::size_t ArrowReader::memory_bytes(const CorpusPlan& plan, const ReaderLimits& limits) {
  return plan.arrow == nullptr ? 0 : (2 * std::size_t{limits.threads} + 1) * task_bytes(limits);
}

ArrowReader::ArrowReader(const ReaderSetup& setup, MemoryBudget& budget)
    : stream_(setup.plan.arrow),
      task_bytes_(task_bytes(setup.limits)),
      most_bytes_(memory_bytes(setup.plan, setup.limits)),
      memory_(budget.reserve(most_bytes_, "Arrow batches")) {
  stream_->open(setup.options.fields);
  thread_ = std::thread([this] { run(); });
}

ArrowReader::~ArrowReader() {
  stop();
  thread_.join();
}

void ArrowReader::stop() {
  {
    const std::scoped_lock lock(mutex_, held_->mutex);
    stopped_ = held_->stopped = true;
  }
  ready_.notify_all();
  held_->changed.notify_all();
}

bool ArrowReader::next(CorpusTask& task) {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [&] { return stopped_ || !queue_.empty() || ended_; });
  if (stopped_) return false;
  if (queue_.empty()) {
    if (error_ != nullptr) std::rethrow_exception(error_);
    return false;
  }
  task = {next_number_++, std::move(queue_.front()), {}};
  task.end.task = next_number_;
  queue_.pop_front();
  return true;
}

void ArrowReader::run() noexcept {
  std::exception_ptr error;
  try {
    read_batches();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
  }
  ready_.notify_all();
}

void ArrowReader::read_batches() {
  for (;;) {
    wait_for_room();
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
    }
    std::shared_ptr<ArrowBatch> batch = stream_->next();
    if (batch == nullptr) break;
    cut(std::move(batch));
  }
  push();
}

// Rows of an open task hold their batch, so the task goes out before a wait.
void ArrowReader::wait_for_room() {
  const auto has_room = [&] {
    return held_->stopped || held_->bytes == 0 || held_->bytes + last_bytes_ <= most_bytes_;
  };
  std::unique_lock lock(held_->mutex);
  if (has_room()) return;
  lock.unlock();
  push();
  lock.lock();
  held_->changed.wait(lock, has_room);
}

void ArrowReader::cut(std::shared_ptr<ArrowBatch> batch) {
  const std::uint64_t rows = batch->rows(), bytes = cost(*batch, 0, rows);
  last_bytes_ = bytes;
  {
    const std::lock_guard lock(held_->mutex);
    held_->bytes += bytes;
  }
  batch->on_release([held = held_, bytes] {
    {
      const std::lock_guard lock(held->mutex);
      held->bytes -= bytes;
    }
    held->changed.notify_all();
  });
  constexpr std::uint64_t kStride = 64;  // rows that are judged at once, unless a task ends among them
  std::uint64_t begin = 0;
  for (std::uint64_t row = 0; row < rows;) {
    std::uint64_t next = std::min(row + kStride, rows);
    if (open_bytes_ + cost(*batch, row, next) >= task_bytes_) next = row + 1;
    open_bytes_ += cost(*batch, row, next);
    row = next;
    if (open_bytes_ < task_bytes_) continue;
    open_.rows.push_back({batch, begin, row});
    begin = row;
    push();
  }
  if (begin < rows) open_.rows.push_back({std::move(batch), begin, rows});
}

void ArrowReader::push() {
  open_bytes_ = 0;
  if (open_.rows.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::exchange(open_, {}));
  }
  ready_.notify_one();
}

}  // namespace spillway
