#include <algorithm>
#include <utility>

#include "indexer/gpu/merge/batch_host.hpp"
#include "indexer/gpu/merge/gpu_batches.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
// Lists of many runs have fragments of some 50 bytes; those of rare words, which are many, have a few.
constexpr std::size_t kBytesAFragment = 48, kFragmentsAList = 3;

}  // namespace

BatchLimits gpu_batch_limits(bool has_positions) {
  BatchLimits limits;
  limits.posting_bytes = (has_positions ? 6 : 16) * kMiB;
  limits.distance_bytes = has_positions ? 18 * kMiB : 0;
  limits.fragments = limits.posting_bytes / kBytesAFragment;
  limits.lists = limits.fragments / kFragmentsAList;
  return limits;
}

BatchLimits large_batch_limits(bool has_positions) {
  constexpr std::size_t kMostRuns = std::size_t{64} << 10;
  return {.posting_bytes = (has_positions ? 40 : 64) * kMiB,
          .distance_bytes = has_positions ? 120 * kMiB : 0,
          .fragments = kMostRuns,
          .lists = 1};
}

// The lists that come down are about as large as those that go up.
std::size_t used_batch_bytes(const BatchLimits& limits) {
  return limits.posting_bytes + limits.distance_bytes + limits.lists * sizeof(ListBatch::Entry);
}
std::size_t gpu_batch_lane_bytes(const BatchLimits& limits) {
  return batch_host_bytes(limits) + kBatchStagingBytes + 2 * used_batch_bytes(limits);
}

// Counts each term once for each block that has it.
std::size_t most_order_bytes(std::span<const DeviceLists> held) {
  std::size_t bytes = sizeof(HeldList);
  for (const DeviceLists& lists : held) bytes += lists.rank_count * sizeof(HeldList) + lists.text_bytes;
  return bytes;
}

BatchLaneMemory reserve_batch_lanes(bool has_positions, unsigned lanes, MemoryBudget& budget) {
  constexpr const char* kConsumer = "lists that GPUs merge";
  const std::size_t lane_bytes = gpu_batch_lane_bytes(gpu_batch_limits(has_positions));
  const BatchLimits large = large_batch_limits(has_positions);
  const std::size_t large_bytes = batch_host_bytes(large) + kBatchStagingBytes;
  BatchLaneMemory memory;
  const auto count = static_cast<unsigned>(std::min<std::size_t>(lanes, budget.free_bytes() / 4 / lane_bytes));
  if (auto taken = budget.try_reserve(count * lane_bytes, kConsumer); taken && count != 0) {
    memory.lanes = count;
    memory.of_lanes = std::move(*taken);
  }
  if (memory.lanes == 0 || budget.free_bytes() / 8 < large_bytes) return memory;
  if (auto taken = budget.try_reserve(large_bytes, kConsumer)) memory.of_large = std::move(*taken);
  return memory;
}

}  // namespace spillway
