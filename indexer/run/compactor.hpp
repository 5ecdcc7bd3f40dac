// Compacts runs on their way from the sort of blocks to the final merge. If blocks are small there are many runs, and
// each repeats most of the terms; so neighbours are merged to larger runs while the next blocks are sorted. The final
// merge then has few inputs, and runs that do not fit the memory for runs are spilled in few large files. Runs that are
// large already, or spilled, stay as they are.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "indexer/run/compaction.hpp"
#include "indexer/run/store.hpp"
#include "io/base/concurrency_limiter.hpp"
#include "io/base/timeline.hpp"

namespace spillway {

// A compaction takes kLeastCompactedRuns to kMostCompactedRuns runs; up to kMostWaitingRuns wait while memory lasts.
// Compacting the 24 runs of 46 MB of text with a million words leaves 0.4 of their entries.
inline constexpr std::size_t kMostCompactedRuns = 24, kMostWaitingRuns = 32, kLeastCompactedRuns = 4;
// Larger runs are not compacted: they have many postings for each entry, and compaction only saves entries.
inline constexpr std::size_t kMostSmallRunBytes = std::size_t{64} << 20;

// Memory for compacting runs in memory on `threads` threads.
std::size_t compaction_memory_bytes(std::size_t largest_block_bytes, unsigned threads);

struct RunCompactorSetup {
  bool overlaps = false;         // compact on a thread of its own, while the caller goes on
  ConcurrencyLimiter& slots;     // a compaction has a thread for each slot, and shares them with their other users
  std::size_t memory_bytes = 0;  // for a compaction; nothing is compacted if it is too little for one thread
  std::size_t run_block_bytes = 0;
  std::function<std::uint64_t()> next_number;  // returns a new run number with each call
  StopCheck check;
  MemoryBudget& budget;
  RunStore& runs;
  Timeline* timeline = nullptr;
};

struct CompactionStats {
  std::uint64_t compactions = 0, compacted_runs = 0, written_bytes = 0;
  double seconds = 0;
};

class RunCompactor {
 public:
  explicit RunCompactor(RunCompactorSetup setup) : setup_(std::move(setup)) {
    if (setup_.overlaps) thread_ = std::thread([this] { work(); });
  }
  ~RunCompactor();  // aborts a running compaction
  RunCompactor(const RunCompactor&) = delete;
  RunCompactor& operator=(const RunCompactor&) = delete;

  // Takes the next run, in order; by one thread at a time. If setup.overlaps is false it compacts due runs at once, and
  // throws the error of a compaction. Requires here and below: the caller holds no slot.
  void put(std::unique_ptr<MergeSource> run);
  // Waits for the end of a running or due compaction, which frees memory for runs. Returns false if there is none or it
  // failed. Thread-safe.
  bool wait_for_compaction();
  // Throws the error of a compaction.
  void check() const;
  bool empty() const;  // no run was put
  // Waits for due compactions and moves all runs to the store, in order. Throws the error of a compaction.
  void finish();
  // Requires: finish() was called.
  const CompactionStats& stats() const { return stats_; }

 private:
  void work();
  void compact_due_runs(std::unique_lock<std::mutex>& lock);
  void settle_front();
  std::size_t small_runs() const;
  std::size_t due_runs() const;
  std::unique_ptr<MergeSource> compact_group(const MergeSources& group, unsigned threads);
  unsigned threads_for(const MergeSources& group) const;
  void stop(bool abandoned);

  const RunCompactorSetup setup_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  MergeSources settled_;  // compacted, or to stay as they are; all before those that wait
  std::deque<std::unique_ptr<MergeSource>> waiting_;
  bool any_put_ = false, stopping_ = false, work_ended_ = false;
  std::uint64_t ended_ = 0;                 // compactions
  std::uint64_t asked_ = 0, answered_ = 0;  // questions whether a compaction is due
  std::atomic<bool> abandoned_ = false;
  std::exception_ptr error_;
  CompactionStats stats_;
  std::thread thread_;
};

}  // namespace spillway
