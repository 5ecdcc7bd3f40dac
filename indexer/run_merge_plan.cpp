#include "indexer/run_merge_plan.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "io/index_cursors.hpp"
#include "io/run_writer.hpp"

namespace spillway {

namespace {

constexpr std::size_t kOtherDescriptors = 48;  // the index's files, inputs, standard streams, libraries

}  // namespace

MergePlan plan_run_merge(const RunFigures& runs, const MergeResources& resources) {
  MergePlanInput input;
  input.run_bytes = runs.bytes;
  input.cursor_bytes = runs.cursor_bytes;
  const std::size_t block_bytes =
      TermBlockBuilder::max_block_bytes(resources.run_block_bytes, resources.max_term_bytes);
  // Batches of lists and a piece with its 8 bytes a posting once it is decoded; a run takes less.
  input.output_bytes = 4 * merge_batch_bytes(resources.budget_bytes, resources.threads) +
                       9 * std::max(block_bytes, IndexTermCursor::kPieceBytes);
  // A cursor of texts, and what of them waits for a block.
  if (resources.store == StorePolicy::kText) input.output_bytes += 4 * block_bytes;
  // A length code for each document, and the bitmap of dropped ones.
  const auto documents = static_cast<std::size_t>(runs.documents);
  const std::size_t fixed = documents + documents / 5 + runs.open_bytes;
  input.memory_bytes = resources.free_bytes > fixed ? resources.free_bytes - fixed : 0;
  input.max_fan_in = resources.max_fan_in;
  input.threads = resources.threads;
  // Only files of runs take descriptors, those that passes write among them.
  input.open_files = std::numeric_limits<std::size_t>::max();
  if (!runs.any_file) {
    MergePlan plan = plan_merge(input);
    if (plan.passes.empty()) return plan;
  }
  input.open_files = resources.descriptors;
  return plan_merge(input);
}

std::size_t merge_batch_bytes(std::size_t budget_bytes, unsigned threads) {
  return std::clamp<std::size_t>(budget_bytes / (std::size_t{threads} * 256), 64 << 10, 1 << 20);
}

std::size_t run_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return limit.rlim_cur > kOtherDescriptors ? limit.rlim_cur - kOtherDescriptors : 0;
}

}  // namespace spillway
