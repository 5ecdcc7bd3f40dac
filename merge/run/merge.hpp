// Merges consecutive inputs into one run: entries of a term are concatenated in document order without decoding them,
// except for the border document of a list that was cut between two inputs, whose frequencies are added (design,
// decision 4). Several threads merge ranges of terms side by side.
#pragma once

#include <functional>
#include <span>

#include "io/base/concurrency_limiter.hpp"
#include "io/file/file_system.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

struct RunMergeOptions {
  std::size_t block_bytes = std::size_t{256} << 10;  // of the new run
  std::uint64_t run_number = 0;
  std::uint64_t input_bytes = 0;  // of all inputs together; 0: estimated from what they hold
  unsigned threads = 1;           // term ranges side by side, the caller's thread among them
  ConcurrencyLimiter* slots =
      nullptr;                       // threads work in them only, a range at a time; null: without. Not held by callers
  std::size_t ahead_bytes = 0;       // blocks that may wait for those before them, beside two a thread
  bool documents_beside = false;     // one thread of several reads documents while the others merge ranges
  std::function<void()> check = {};  // called for every block, by any thread; throws to stop. May be empty
};

// Requires: at least one input, all of one job, neighbours agreeing on open documents (else FormatError). Writes the
// run to `out` (empty); does not sync. Returns what the new run holds.
RunSummary merge_runs(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options);

// Memory of dividing the terms among so many threads, beside one input's samples.
std::size_t merged_ranges_bytes(std::size_t input_count, unsigned threads);

// Bytes of that run at most. input_bytes, entry_count: of all inputs together.
std::uint64_t merged_run_bound(std::uint64_t input_bytes, std::uint64_t entry_count, bool has_positions);

}  // namespace spillway
