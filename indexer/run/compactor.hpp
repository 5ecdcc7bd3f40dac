// Runs on their way from the sort of blocks to the merge. Where blocks are small there are many runs, and each holds
// most of the words again: neighbours are joined to larger runs while the next blocks are sorted, so that the merge has
// few inputs, and what does not fit the memory for runs is spilled in large files instead of many small ones. Runs that
// are large already, or spilled, stay as they are.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "indexer/options/job_context.hpp"
#include "indexer/run/store.hpp"
#include "io/base/concurrency_limiter.hpp"

namespace spillway {

// Runs of one join at most, and those that may wait where memory for them lasts: of 46 MB of text with a million words,
// 24 runs have 0.4 of their entries left once they are one.
inline constexpr std::size_t kMostJoinedRuns = 24, kMostWaitingRuns = 32, kLeastJoinedRuns = 4;
// Of a run that is joined. A larger one has many postings for each of its entries, and joining saves entries.
inline constexpr std::size_t kMostSmallRunBytes = std::size_t{64} << 20;

// Of RunCompactor, for runs in memory with blocks of at most largest_block_bytes that are merged on so many threads.
std::size_t join_memory_bytes(std::size_t largest_block_bytes, unsigned threads);

struct RunJoinerSetup {
  bool overlaps = false;         // on a thread of its own, beside what the caller does
  ConcurrencyLimiter& slots;     // a join has a thread for each, and shares them with who else takes some
  std::size_t memory_bytes = 0;  // of a join; too little for one thread: nothing is joined
  std::size_t run_block_bytes = 0;
  std::function<std::uint64_t()> next_number;  // of runs, each once
  const IndexContext& context;
  MemoryBudget& budget;
  RunStore& runs;
};

struct CompactionStats {
  std::uint64_t joins = 0, joined_runs = 0, written_bytes = 0;
  double seconds = 0;
};

class RunCompactor {
 public:
  explicit RunCompactor(const RunJoinerSetup& setup) : setup_(setup) {
    if (setup_.overlaps) thread_ = std::thread([this] { work(); });
  }
  ~RunCompactor();  // ends a join that is under way
  RunCompactor(const RunCompactor&) = delete;
  RunCompactor& operator=(const RunCompactor&) = delete;

  // The run behind those before; by one thread at a time. Without a thread of its own it joins, and may throw what a
  // join throws. Requires here and below: the caller holds none of the slots.
  void put(std::unique_ptr<MergeSource> run);
  // Waits for the end of the join that is under way or due, which gives memory for runs back; false: there is none, or
  // it failed. By any thread.
  bool wait_for_join();
  // Throws what a join met.
  void check() const;
  // Was nothing put?
  bool empty() const;
  // Waits for the joins that are due, and hands all runs to the store, in order. Throws what a join met.
  void finish();
  // After finish().
  const CompactionStats& stats() const { return stats_; }

 private:
  using Sources = std::vector<std::unique_ptr<MergeSource>>;
  void work();
  void join_due_runs(std::unique_lock<std::mutex>& lock);
  void settle_alone();
  std::size_t small_runs() const;
  std::size_t due_runs() const;
  std::unique_ptr<MergeSource> join(Sources& group, unsigned threads);
  unsigned threads_for(const Sources& group) const;
  void stop(bool abandoned);

  const RunJoinerSetup setup_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Sources joined_;  // all in front of those that wait
  std::deque<std::unique_ptr<MergeSource>> waiting_;
  bool any_put_ = false, stopping_ = false, work_ended_ = false;
  std::uint64_t ended_ = 0;                 // joins
  std::uint64_t asked_ = 0, answered_ = 0;  // whether a join is due
  std::atomic<bool> abandoned_ = false;
  std::exception_ptr error_;
  CompactionStats stats_;
  std::thread thread_;
};

}  // namespace spillway
