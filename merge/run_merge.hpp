// Merges consecutive inputs into one run: entries of a term are concatenated in document order without decoding them,
// except for the border document of a list that was cut between two inputs, whose frequencies are added (design,
// decision 4).
#pragma once

#include <span>

#include "io/file_system.hpp"
#include "io/run_writer.hpp"
#include "merge/merge_input.hpp"

namespace spillway {

struct RunMergeOptions {
  std::size_t block_bytes = std::size_t{256} << 10;  // of the new run
  RunBlockCodec codec = RunBlockCodec::kNone;
  std::uint64_t run_number = 0;
};

// Requires: at least one input, all of one job, neighbours agreeing on open documents (else FormatError). Writes the
// run to `out` (empty); does not sync. Returns what the new run holds.
RunSummary merge_runs(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options);

}  // namespace spillway
