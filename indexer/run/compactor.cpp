#include "indexer/run/compactor.hpp"

#include <algorithm>
#include <utility>

#include "indexer/run/open_sources.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/run/writer.hpp"
#include "merge/run/merge.hpp"

namespace spillway {

namespace {

struct Abandoned {};

bool is_small(const MergeSource& run) { return !run.is_spilled() && run.bytes <= kMostSmallRunBytes; }

// That wait for their turn: what each of several threads makes of a range.
constexpr std::size_t kBlocksAhead = 16;

std::size_t blocks_ahead(unsigned threads) { return threads <= 1 ? 0 : threads * kBlocksAhead; }

// What the runs of a join take beside each other.
struct JoinedSizes {
  std::size_t count = 0;
  std::size_t open_bytes = 0, cursors_bytes = 0;              // of all of them: while open, and of a cursor over each
  std::size_t most_open_bytes = 0, most_documents_bytes = 0;  // of one
};

// Of one thread: a block that is filled, the stretch of a list that goes into it, and what waits.
std::size_t thread_bytes(std::size_t largest_block_bytes) { return 5 * largest_block_bytes; }

// Documents beside lists; the samples of one run are copied to divide them.
std::size_t bytes_of_join(const JoinedSizes& runs, std::size_t largest_block_bytes, unsigned threads) {
  const std::size_t both = RunWriter::memory_bytes(std::min(largest_block_bytes, kMaxRunBlockBytes)) + runs.open_bytes;
  const std::size_t lists = runs.most_open_bytes + merged_ranges_bytes(runs.count, threads) +
                            threads * (runs.cursors_bytes + thread_bytes(largest_block_bytes)) +
                            blocks_ahead(threads) * largest_block_bytes;
  return both + runs.most_documents_bytes + lists;
}

}  // namespace

std::size_t join_memory_bytes(std::size_t largest_block_bytes, unsigned threads) {
  JoinedSizes runs{.count = kMostJoinedRuns};
  runs.most_open_bytes = StoredRun::open_bytes(128 * largest_block_bytes, largest_block_bytes);
  runs.open_bytes = kMostJoinedRuns * runs.most_open_bytes;
  runs.cursors_bytes = kMostJoinedRuns * StoredRun::kCursorBytes;
  runs.most_documents_bytes = StoredRun::documents_bytes_of(largest_block_bytes);
  return bytes_of_join(runs, largest_block_bytes, threads);
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
    join_due_runs(lock);
  }
}

void RunCompactor::finish() {
  stop(false);
  check();
  for (auto& run : joined_) setup_.runs.runs.push_back(std::move(run));
  for (auto& run : waiting_) setup_.runs.runs.push_back(std::move(run));
  joined_.clear();
  waiting_.clear();
}

void RunCompactor::work() {
  std::unique_lock lock(mutex_);
  try {
    while (true) {
      const std::uint64_t asked = asked_;
      join_due_runs(lock);
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

// Hands on those in front that no join will take: large or spilled ones, and too few before one of them.
void RunCompactor::settle_alone() {
  while (!waiting_.empty()) {
    const std::size_t small = small_runs();
    if (small >= kLeastJoinedRuns || small == waiting_.size()) return;
    joined_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

// In front: up to as many as one join takes.
std::size_t RunCompactor::small_runs() const {
  std::size_t count = 0;
  while (count < std::min(waiting_.size(), kMostJoinedRuns) && is_small(*waiting_[count])) ++count;
  return count;
}

// How many of those that wait are to be joined now: the oldest where they are many or no more will stand beside them,
// all where the memory for runs is short.
std::size_t RunCompactor::due_runs() const {
  if (setup_.memory_bytes == 0) return 0;
  const std::size_t small = small_runs();
  if (small < kLeastJoinedRuns) return 0;
  if (waiting_.size() >= kMostWaitingRuns || small < std::min(waiting_.size(), kMostJoinedRuns)) return small;
  const bool is_short = setup_.runs.memory_left() < setup_.runs.memory_bytes() / 4;
  return is_short && !stopping_ ? small : 0;
}

void RunCompactor::join_due_runs(std::unique_lock<std::mutex>& lock) {
  while (!abandoned_) {
    settle_alone();
    const std::size_t count = due_runs();
    if (count == 0) return;
    Sources group(std::make_move_iterator(waiting_.begin()),
                  std::make_move_iterator(waiting_.begin() + static_cast<std::ptrdiff_t>(count)));
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
    const unsigned threads = threads_for(group);
    if (threads == 0) {
      std::move(group.begin(), group.end(), std::back_inserter(joined_));
      continue;
    }
    lock.unlock();
    auto run = join(group, threads);
    group.clear();
    lock.lock();
    ++ended_;
    joined_.push_back(std::move(run));
    changed_.notify_all();
  }
}

// Asks the thread that joins, as memory for runs comes and goes without its mutex.
bool RunCompactor::wait_for_join() {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable()) return false;
  const std::uint64_t before = ended_, asked = ++asked_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return ended_ != before || answered_ >= asked || work_ended_; });
  return error_ == nullptr && ended_ != before;
}

// As many as the memory of joins has room for; none: not even one.
unsigned RunCompactor::threads_for(const Sources& group) const {
  JoinedSizes runs{.count = group.size()};
  unsigned threads = setup_.slots.count();
  for (const auto& run : group) {
    runs.open_bytes += run->open_bytes();
    runs.cursors_bytes += run->cursor_bytes();
    runs.most_open_bytes = std::max(runs.most_open_bytes, run->open_bytes());
    runs.most_documents_bytes = std::max(runs.most_documents_bytes, run->documents_bytes(threads));
  }
  const std::size_t block_bytes = setup_.runs.largest_block_bytes();
  while (threads > 0 && setup_.memory_bytes < bytes_of_join(runs, block_bytes, threads)) --threads;
  return threads;
}

std::unique_ptr<MergeSource> RunCompactor::join(Sources& group, unsigned threads) {
  const Stopwatch watch;
  const Reservation memory = setup_.budget.reserve(setup_.memory_bytes, "joining runs");
  std::uint64_t bytes = 0, entries = 0, kept = 0;
  for (const auto& run : group) {
    bytes += run->bytes;
    entries += run->summary.entry_count;
    kept += run->share.bytes();
  }
  RunMergeOptions options;
  options.block_bytes = setup_.run_block_bytes;
  options.run_number = setup_.next_number();
  options.input_bytes = bytes;
  options.threads = threads;
  options.slots = &setup_.slots;
  options.ahead_bytes = blocks_ahead(threads) * setup_.run_block_bytes;
  options.documents_beside = true;
  options.check = [this] {
    throw_if_stopped(setup_.context);
    if (abandoned_) throw Abandoned{};
  };
  std::unique_ptr<StoredRun> joined;
  {
    const OpenSources open(group, threads, setup_.context.signal_number);
    const bool positions = open.inputs().front()->identity().has_positions;
    const auto bound = static_cast<std::size_t>(merged_run_bound(bytes, entries, positions));
    // In memory only where half of it is left for the runs to come.
    const bool stays = setup_.runs.memory_left() + kept >= setup_.runs.memory_bytes() / 2 + bound;
    joined = setup_.runs.write(stays ? setup_.runs.take_share(bound) : RunShare(),
                               [&](WritableFile& file) { return merge_runs(open.inputs(), file, options); });
  }
  ++stats_.joins;
  stats_.joined_runs += group.size();
  stats_.written_bytes += joined->bytes;
  stats_.seconds += watch.seconds();
  return joined;
}

}  // namespace spillway
