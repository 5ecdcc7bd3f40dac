#include "indexer/run/compactor.hpp"

#include <algorithm>
#include <utility>

#include "io/base/stopwatch.hpp"
#include "io/run/writer.hpp"

namespace spillway {

namespace {

struct Abandoned {};

bool is_small(const MergeSource& run) {
  return !run.is_spilled() && !run.is_elsewhere() && run.bytes <= kMostSmallRunBytes;
}

// Blocks that wait for those of earlier ranges: what each of several threads makes of a range.
constexpr std::size_t kBlocksAhead = 16;

std::size_t blocks_ahead(unsigned threads) { return threads <= 1 ? 0 : threads * kBlocksAhead; }

// The number of runs in a compaction, and the memory and documents that they take.
struct GroupSizes {
  std::size_t count = 0;
  std::size_t open_bytes = 0, cursors_bytes = 0;              // of all runs: while open, and for one cursor over each
  std::size_t most_open_bytes = 0, most_documents_bytes = 0;  // of one run
};

// Documents are read while lists are merged. To divide the lists, the samples of one run are copied.
std::size_t bytes_of_compaction(const GroupSizes& runs, std::size_t largest_block_bytes, unsigned threads) {
  // A block that is filled, the fragments of a list that goes into it, and blocks that wait.
  const std::size_t thread_bytes = runs.cursors_bytes + 5 * largest_block_bytes;
  const std::size_t lists = runs.most_open_bytes + merged_ranges_bytes(runs.count, threads) + threads * thread_bytes +
                            blocks_ahead(threads) * largest_block_bytes;
  const std::size_t writer = RunWriter::memory_bytes(std::min(largest_block_bytes, kMaxRunBlockBytes));
  return writer + runs.open_bytes + runs.most_documents_bytes + lists;
}

}  // namespace

std::size_t compaction_memory_bytes(std::size_t largest_block_bytes, unsigned threads) {
  GroupSizes runs{.count = kMostCompactedRuns};
  runs.most_open_bytes = StoredRun::open_bytes(128 * largest_block_bytes, largest_block_bytes);
  runs.open_bytes = kMostCompactedRuns * runs.most_open_bytes;
  runs.cursors_bytes = kMostCompactedRuns * StoredRun::kCursorBytes;
  runs.most_documents_bytes = StoredRun::documents_bytes_of(largest_block_bytes);
  return bytes_of_compaction(runs, largest_block_bytes, threads);
}

RunCompactor::~RunCompactor() { stop(true); }

void RunCompactor::stop(bool abandoned) {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (abandoned) abandoned_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool RunCompactor::empty() const {
  const std::lock_guard lock(mutex_);
  return !any_put_;
}

void RunCompactor::check() const {
  const std::lock_guard lock(mutex_);
  if (error_ != nullptr) std::rethrow_exception(error_);
}

void RunCompactor::put(std::unique_ptr<MergeSource> run) {
  std::unique_lock lock(mutex_);
  any_put_ = true;
  waiting_.push_back(std::move(run));
  if (setup_.overlaps) {
    changed_.notify_all();
  } else {
    compact_due_runs(lock);
  }
}

void RunCompactor::finish() {
  stop(false);
  check();
  for (auto& run : settled_) setup_.runs.runs.push_back(std::move(run));
  for (auto& run : waiting_) setup_.runs.runs.push_back(std::move(run));
  settled_.clear();
  waiting_.clear();
}

void RunCompactor::work() {
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      const std::uint64_t asked = asked_;
      compact_due_runs(lock);
      answered_ = asked;
      changed_.notify_all();
      if (stopping_) break;
      changed_.wait(lock, [this] { return stopping_ || asked_ != answered_ || due_runs() != 0; });
    }
  } catch (const Abandoned&) {
    if (!lock.owns_lock()) lock.lock();
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    error_ = std::current_exception();
  }
  work_ended_ = true;
  changed_.notify_all();
}

// Settles the runs in front that no compaction will take: large or spilled runs, and too few small ones before them.
void RunCompactor::settle_front() {
  while (!waiting_.empty()) {
    const std::size_t small = small_runs();
    if (small >= kLeastCompactedRuns || small == waiting_.size()) return;
    settled_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

// The number of small runs in front, up to what one compaction takes.
std::size_t RunCompactor::small_runs() const {
  std::size_t count = 0;
  while (count < std::min(waiting_.size(), kMostCompactedRuns) && is_small(*waiting_[count])) ++count;
  return count;
}

// How many waiting runs are to be compacted now. The oldest, if many wait or the next one cannot join them; all if the
// memory for runs is short.
std::size_t RunCompactor::due_runs() const {
  if (setup_.memory_bytes == 0) return 0;
  const std::size_t small = small_runs();
  if (small < kLeastCompactedRuns) return 0;
  if (waiting_.size() >= kMostWaitingRuns || small < std::min(waiting_.size(), kMostCompactedRuns)) return small;
  const bool is_short = setup_.runs.memory_left() < setup_.runs.memory_bytes() / 4;
  return is_short && !stopping_ ? small : 0;
}

void RunCompactor::compact_due_runs(std::unique_lock<std::mutex>& lock) {
  while (!abandoned_) {
    settle_front();
    const std::size_t count = due_runs();
    if (count == 0) return;
    MergeSources group(std::make_move_iterator(waiting_.begin()),
                       std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    const unsigned threads = threads_for(group);
    if (threads == 0) {
      std::move(group.begin(), group.end(), std::back_inserter(settled_));
      continue;
    }
    lock.unlock();
    auto run = compact_group(group, threads);
    group.clear();
    lock.lock();
    ++ended_;
    settled_.push_back(std::move(run));
    changed_.notify_all();
  }
}

// Asks the thread of the compactor to look again: the memory for runs changes without a notification.
bool RunCompactor::wait_for_compaction() {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) return false;
  const std::uint64_t before = ended_, asked = ++asked_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_ != before || answered_ >= asked || work_ended_; });
  return error_ == nullptr && ended_ != before;
}

// Returns the most threads for which a compaction has memory; 0 if not even one thread fits.
unsigned RunCompactor::threads_for(const MergeSources& group) const {
  GroupSizes runs{.count = group.size()};
  unsigned threads = setup_.slots.count();
  for (const auto& run : group) {
    runs.open_bytes += run->open_bytes();
    runs.cursors_bytes += run->cursor_bytes();
    runs.most_open_bytes = std::max(runs.most_open_bytes, run->open_bytes());
    runs.most_documents_bytes = std::max(runs.most_documents_bytes, run->documents_bytes(threads));
  }
  const std::size_t block_bytes = setup_.runs.largest_block_bytes();
  while (threads > 0 && setup_.memory_bytes < bytes_of_compaction(runs, block_bytes, threads)) --threads;
  return threads;
}

std::unique_ptr<MergeSource> RunCompactor::compact_group(const MergeSources& group, unsigned threads) {
  const Stopwatch watch;
  const StageSpan span(setup_.timeline, JobStage::kCompact);
  const Reservation memory = setup_.budget.reserve(setup_.memory_bytes, "compacting runs");
  RunMergeOptions options;
  options.block_bytes = setup_.run_block_bytes;
  options.run_number = setup_.next_number();
  options.threads = threads;
  options.slots = &setup_.slots;
  options.ahead_bytes = blocks_ahead(threads) * setup_.run_block_bytes;
  options.documents_beside = true;
  options.check = [this] {
    if (setup_.check) setup_.check();
    if (abandoned_) throw Abandoned{};
  };
  auto run = compact(group, setup_.runs, CompactTo::kMemoryIfRoom, options);
  ++stats_.compactions;
  stats_.compacted_runs += group.size();
  stats_.written_bytes += run->bytes;
  stats_.seconds += watch.seconds();
  return run;
}

}  // namespace spillway
