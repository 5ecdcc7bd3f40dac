// Plans how many runs become one index within a budget. Pure and printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillway {

inline constexpr std::size_t kLeastOpenFiles = 3;  // two inputs and an output

struct MergePlanInput {
  std::vector<std::uint64_t> run_bytes;  // in document order
  std::size_t cursor_bytes = 0;          // memory of one cursor over an open run
  std::size_t open_bytes = 0;            // memory of an open run without cursors
  std::size_t output_bytes = 0;          // memory of one output (a run writer, or the batches of a range)
  std::size_t memory_bytes = 0;          // for the merge
  std::size_t open_files = 0;            // descriptors for the merge
  std::size_t max_fan_in = 0;            // 0: what memory and descriptors allow
  unsigned threads = 1;
};

// A pass merges groups of neighbours: passes[p][i] runs become run i of the next pass.
struct MergePlan {
  std::vector<std::vector<std::uint32_t>> passes;  // before the last one; none if the last one can take all runs
  std::size_t fan_in = 0;                          // the most inputs of one merge
  unsigned parallel_groups = 1;                    // parallel merges in the passes before the last
  unsigned last_pass_ranges = 1;                   // parallel term ranges in the last pass
  std::size_t last_pass_bytes = 0;                 // memory of the last pass
  std::uint64_t rewritten_bytes = 0;               // written by all passes before the last
  std::string describe() const;
};

// While a pass more than the last suffices, it merges as few bytes as it can; otherwise groups of neighbours are as
// even as possible. O(runs) a pass, ceil(log(runs) / log(fan-in)) passes with the last one. Throws BudgetError naming
// the memory or the descriptors needed if not even two runs fit, UsageError for max_fan_in 1.
MergePlan plan_merge(const MergePlanInput& input);

}  // namespace spillway
