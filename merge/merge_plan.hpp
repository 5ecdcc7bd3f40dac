// How many runs become one index within a budget: a pure decision, printable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace spillway {

// Two inputs and an output.
inline constexpr std::size_t kLeastOpenFiles = 3;

struct MergePlanInput {
  std::vector<std::uint64_t> run_bytes;  // in document order
  std::size_t cursor_bytes = 0;          // memory of one cursor over an open run
  std::size_t open_bytes = 0;            // memory of an open run beside its cursors
  std::size_t output_bytes = 0;          // memory of one output (run writer, or a range's batches)
  std::size_t memory_bytes = 0;          // what the merge may use
  std::size_t open_files = 0;            // descriptors that it may use
  std::size_t max_fan_in = 0;            // 0: from memory and descriptors alone
  unsigned threads = 1;
};

// A pass merges groups of neighbours: groups[i] = number of runs of the pass before that become run i.
struct MergePlan {
  std::vector<std::vector<std::uint32_t>> passes;  // before the last one; none if the last can take all
  std::size_t fan_in = 0;                          // the most inputs of one merge
  unsigned parallel_groups = 1;                    // merges side by side in the passes before the last
  unsigned last_pass_ranges = 1;                   // term ranges side by side in the last pass
  std::size_t last_pass_bytes = 0;                 // memory of the last pass
  std::uint64_t rewritten_bytes = 0;               // by all passes before the last
  std::string describe() const;
};

// Every pass but the last merges as little as it must, in groups of neighbours as even as possible. Throws BudgetError
// naming the memory needed where not even two runs fit.
MergePlan plan_merge(const MergePlanInput& input);

}  // namespace spillway
