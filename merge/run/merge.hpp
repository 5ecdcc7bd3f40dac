// Merges consecutive inputs into one run. The list fragments of a term are concatenated in document order without
// decoding them; only where a document was cut between two inputs, its frequencies are added. Several threads merge
// ranges of terms.
//
// Time: O(bytes), plus the term scans of TermMergeCursor. Memory: for each thread a cursor over every input, a block
// and the fragments of a list up to `block_bytes`; two blocks a thread, and `ahead_bytes`.
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
  unsigned threads = 1;                 // term ranges merged in parallel; the caller's thread is one of the threads
  ConcurrencyLimiter* slots = nullptr;  // a thread holds a slot for each range; the caller holds none. May be null
  std::size_t ahead_bytes = 0;          // for blocks that wait for those of earlier ranges, besides two a thread
  bool documents_beside = false;        // one thread reads documents while the others merge ranges
  StopCheck check = {};
};

// Writes the new run to `out`, which is empty, and returns its summary; does not sync. Requires at least one input.
// Throws FormatError if the inputs belong to different jobs, do not fit together or do not match their summaries.
RunSummary merge_runs(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options);

// Returns the memory of dividing the terms among `threads` threads, without the samples of one input.
std::size_t merged_ranges_bytes(std::size_t input_count, unsigned threads);

// Upper bound of the new run's bytes. `input_bytes` and `entry_count` are totals of all inputs.
std::uint64_t merged_run_bound(std::uint64_t input_bytes, std::uint64_t entry_count, bool has_positions);

}  // namespace spillway
