#include "sort/lines/resources.hpp"

#include <tbb/task_arena.h>

#include <algorithm>

namespace spillway {

namespace {

constexpr std::size_t kProgramBytes = std::size_t{14} << 20;  // the program, its libraries and stacks
constexpr std::size_t kLeastBlockBytes = std::size_t{32} << 10, kMostBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kOutputBytes = std::size_t{768} << 10;  // of a chunk of text

}  // namespace

std::size_t unsorted_memory() {
  return kProgramBytes + static_cast<std::size_t>(2 * tbb::this_task_arena::max_concurrency() + 2) * kOutputBytes;
}

MergeResources merge_resources(const LineSortOptions& options) {
  const std::size_t memory = std::max(options.memory_bytes, kLeastSortMemory);
  MergeResources resources;
  resources.memory_bytes = memory - kProgramBytes;
  resources.block_bytes = options.block_bytes != 0 ? std::max<std::size_t>(options.block_bytes / 64, 256)
                                                   : std::clamp(memory / 512, kLeastBlockBytes, kMostBlockBytes);
  resources.range_bytes = options.block_bytes != 0 ? 8 * resources.block_bytes : 0;
  resources.most_runs = options.most_runs;
  resources.check = options.check;
  return resources;
}

}  // namespace spillway
