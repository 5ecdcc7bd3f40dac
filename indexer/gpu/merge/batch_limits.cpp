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

// The lists that come down are about as large as those that go up; their vectors may be twice as large.
std::size_t gpu_batch_lane_bytes(const BatchLimits& limits) {
  return batch_host_bytes(limits) + kBatchStagingBytes + 2 * (limits.posting_bytes + limits.distance_bytes);
}

}  // namespace spillway
