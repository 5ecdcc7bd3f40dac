#include "indexer/plan/run_merge.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "io/index/cursors.hpp"
#include "io/run/term_block_builder.hpp"

namespace spillway {

namespace {

constexpr std::size_t kOtherDescriptors = 60;  // the index's files, inputs, standard streams, libraries

// Only files take descriptors: spilled runs, and the runs that passes write.
MergePlan plan_with_files(MergePlanInput& input, bool any_file, std::size_t descriptors) {
  input.open_files = std::numeric_limits<std::size_t>::max();
  if (!any_file) {
    MergePlan plan = plan_merge(input);
    if (plan.passes.empty()) return plan;
  }
  input.open_files = descriptors;
  return plan_merge(input);
}

}  // namespace

MergePlan plan_run_merge(const RunStats& runs, const MergeResources& resources) {
  MergePlanInput input;
  input.run_bytes = runs.bytes;
  input.cursor_bytes = runs.cursor_bytes;
  const std::size_t block_bytes =
      TermBlockBuilder::max_block_bytes(resources.run_block_bytes, resources.max_term_bytes);
  // Batches of lists, and one fragment of an index's list with its decoded form: 8 bytes a posting, 12 a position, each
  // encoded in at least 1 byte. Cursors of runs take less.
  input.output_bytes = 4 * merge_batch_bytes(resources.budget_bytes, resources.threads) +
                       (resources.has_positions ? 14 : 9) * std::max(block_bytes, IndexTermCursor::kEntryBytes);
  // A cursor of texts, and texts that wait for a block.
  if (resources.store == StorePolicy::kText) input.output_bytes += 4 * block_bytes;
  // The longest list has every document: 8 bytes for the positions of each 128, in a vector that may be half empty.
  if (resources.has_positions) input.output_bytes += static_cast<std::size_t>(runs.documents / 8);
  // A length code for each document, and the bitmap of dropped ones.
  const auto documents = static_cast<std::size_t>(runs.documents);
  const std::size_t fixed = documents + documents / 5;
  input.memory_bytes = resources.free_bytes > fixed ? resources.free_bytes - fixed : 0;
  input.max_fan_in = resources.max_fan_in;
  input.threads = resources.threads;
  // All runs together hold the average; each of the runs that one pass opens may be the largest.
  input.open_bytes = runs.bytes.empty() ? 0 : runs.open_bytes / runs.bytes.size() + 1;
  MergePlan plan = plan_with_files(input, runs.any_file, resources.descriptors);
  if (plan.passes.empty()) return plan;
  input.open_bytes = std::max(input.open_bytes, runs.most_open_bytes);
  return plan_with_files(input, runs.any_file, resources.descriptors);
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
