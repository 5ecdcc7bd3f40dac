#include "sort/lines/sorter.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/memory/budget.hpp"
#include "sort/lines/runs/merge.hpp"
#include "sort/lines/runs/run_writer.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastBlockMemory = std::size_t{4} << 20;
constexpr std::size_t kRunPart = 64, kMostDoublings = 3;  // the part of the memory that runs may take meanwhile

}  // namespace

LineSortSummary sort_lines(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                           LineOutput& output) {
  const std::size_t memory = std::max(options.memory_bytes, kLeastSortMemory);
  const std::size_t own = unsorted_memory();
  const std::size_t block_memory =
      options.block_bytes != 0 ? options.block_bytes : std::max(memory, own + kLeastBlockMemory) - own;
  const bool can_grow = options.warn_of_growth != nullptr;
  MemoryBudget budget(can_grow ? std::numeric_limits<std::size_t>::max() : std::max(memory, block_memory));
  const KeyEncoder encoder(order);
  MergeResources resources = merge_resources(options);
  RunSpace space(options.temp_directories, options.temp_limit_bytes);
  LineSortSummary summary;
  std::vector<Run> runs;
  std::optional<LineBlock> block(std::in_place, budget, block_memory, order, encoder, options.sorter,
                                 options.maps_inputs);
  bool has_warned = false;
  std::size_t run_bytes = 0, doublings = 0;
  if (can_grow) {
    block->allow_growth([&](std::size_t bytes) {
      if (!std::exchange(has_warned, true)) options.warn_of_growth(own + bytes);
      return true;
    });
  }
  while (block->fill(input)) {
    block->arrange();
    if (runs.empty() && block->has_all()) {
      write_block(*block, order.is_unique, output);
      input.end_mappings();
      return summary;
    }
    runs.push_back(write_run(*block, order, encoder, space, resources.block_bytes, options.check));
    run_bytes += runs.back().own_bytes();
    // Many runs have larger blocks, so that what is known of them stays small.
    if (options.block_bytes == 0 && run_bytes > memory / kRunPart * (doublings + 1) && doublings < kMostDoublings) {
      resources.block_bytes *= 2;
      ++doublings;
    }
  }
  input.end_mappings();
  block.reset();
  summary.runs = runs.size();
  if (!runs.empty()) merge_runs(std::move(runs), space, order, resources, output);
  summary.spilled_bytes = space.written_bytes();
  return summary;
}

}  // namespace spillway
