// Splits the merge of sorted runs into ranges of records that threads merge independently. Ranges are split by rank: a
// splitter is one record of one run, so that equal records are split too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sort/lines/runs/run.hpp"

namespace spillway {

// The records [begin, end) of each run.
struct MergeRange {
  std::vector<std::uint64_t> begin, end;
};

// Ranges that follow each other and hold all records: each about `range_bytes` of them, and less than a block of each
// run more. If the order is unique, equal records are in one range. Parallel; memory: 64 KiB for each range, and a few
// of the longest records for each thread. Of runs that are not in order, each record is still in one range.
std::vector<MergeRange> split_by_rank(std::span<const Run> runs, const LineOrder& order, std::uint64_t range_bytes);

}  // namespace spillway
