#include "sort/lines/sorter.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/memory/budget.hpp"
#include "sort/lines/merge.hpp"
#include "sort/lines/run_writer.hpp"

namespace spillway {

namespace {

constexpr std::size_t kProgramBytes = std::size_t{14} << 20;  // the program, its libraries and stacks
constexpr std::size_t kLeastBlockMemory = std::size_t{4} << 20;
constexpr std::size_t kLeastBlockBytes = std::size_t{32} << 10, kMostBlockBytes = std::size_t{128} << 10;
constexpr std::size_t kRunPart = 64, kMostDoublings = 3;  // the part of the memory that runs may take meanwhile

// Text on its way out, and the contexts of the compressor.
std::size_t output_bytes() {
  return static_cast<std::size_t>(2 * tbb::this_task_arena::max_concurrency() + 2) * (std::size_t{768} << 10);
}

}  // namespace

LineSortSummary sort_lines(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                           LineOutput& output) {
  const std::size_t memory = std::max(options.memory_bytes, kLeastSortMemory);
  const std::size_t own = kProgramBytes + output_bytes();
  const std::size_t block_memory =
      options.block_bytes != 0 ? options.block_bytes : std::max(memory, own + kLeastBlockMemory) - own;
  const bool can_grow = options.warn_of_growth != nullptr;
  MemoryBudget budget(can_grow ? std::numeric_limits<std::size_t>::max() : std::max(memory, block_memory));
  const KeyEncoder encoder(order);
  MergeResources resources;
  resources.memory_bytes = memory - kProgramBytes;
  resources.block_bytes = options.block_bytes != 0 ? std::max<std::size_t>(options.block_bytes / 64, 256)
                                                   : std::clamp(memory / 1024, kLeastBlockBytes, kMostBlockBytes);
  resources.range_bytes = options.block_bytes != 0 ? 8 * resources.block_bytes : 0;
  resources.most_runs = options.most_runs;
  resources.check = options.check;
  RunSpace space(options.temp_directories, options.temp_limit_bytes);
  LineSortSummary summary;
  std::vector<Run> runs;
  std::optional<LineBlock> block(std::in_place, budget, block_memory, order, encoder, options.sorter);
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
  block.reset();
  summary.runs = runs.size();
  if (!runs.empty()) merge_runs(std::move(runs), space, order, resources, output);
  summary.spilled_bytes = space.written_bytes();
  return summary;
}

}  // namespace spillway
