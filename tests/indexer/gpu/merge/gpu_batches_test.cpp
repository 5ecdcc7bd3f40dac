// Merges whose lists go through lanes of a GPU.
#include "indexer/gpu/merge/gpu_batches.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/status.hpp"
#include "tests/indexer/gpu/merge/batch_merge.hpp"
#include "tests/support/host_gpu/held_lists.hpp"
#include "tests/support/host_gpu/host_batches.hpp"

namespace spillway::testing {
namespace {

class GpuBatchMerge : public BatchMergeTest {
 protected:
  void SetUp() override {
    const GpuStatus gpus = find_gpus();
    if (gpus.state != GpuState::kUsable) GTEST_SKIP() << gpus.detail;
    gpu_ = gpus.gpus.front().id;
  }

  std::unique_ptr<BatchLanes> make_lanes() {
    return make_gpu_batch_lanes({.gpus = {gpu_}, .lanes = 3, .limits = gpu_batch_limits(has_positions())},
                                lane_budget_);
  }
  // With narrow batches, so that most lists go to the large lane.
  std::unique_ptr<BatchLanes> make_narrow_lanes() {
    auto lanes = make_gpu_batch_lanes({.gpus = {gpu_},
                                       .lanes = 3,
                                       .limits = narrow_batch_limits(has_positions()),
                                       .large = wide_batch_limits(has_positions())},
                                      lane_budget_);
    lanes->make_large();
    return lanes;
  }

  // With the lists of all runs in the memory of the GPU.
  std::unique_ptr<BatchLanes> make_holding_lanes(const Runs& runs, const BatchLimits& limits,
                                                 std::size_t most_bytes = ~std::size_t{0}) {
    GpuBatchOptions options{.gpus = {gpu_}, .lanes = 3, .limits = limits, .large = wide_batch_limits(has_positions())};
    const GpuStream stream(gpu_);
    for (const MergeInput* const input : inputs(runs)) {
      options.held.push_back(hold_lists(*input, [&](std::span<const std::uint8_t> bytes) {
        auto memory = shared_device_memory(gpu_, bytes.size());
        copy_to_device(memory.get(), bytes.data(), bytes.size(), stream.handle());
        stream.synchronize();
        return memory;
      }));
    }
    options.order_bytes = std::min(most_bytes, most_order_bytes(options.held));
    auto lanes = make_gpu_batch_lanes(options, lane_budget_);
    lanes->make_large();
    return lanes;
  }

  int gpu_ = 0;
  MemoryBudget lane_budget_{std::size_t{2} << 30};
};
INSTANTIATE_TEST_SUITE_P(, GpuBatchMerge, ::testing::Values(Positions::kNone, Positions::kStored), batch_case_name);

TEST_P(GpuBatchMerge, GivesTheBytesOfTheProcessor) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto [runs, dropped, expected] = random_merge(seed, random);
    const auto lanes = make_lanes();
    const Merged merged = merge_to_index(runs, dropped, with(2, lanes.get()));
    ASSERT_EQ(merged.files, expected.files);
    EXPECT_EQ(merged.result.posting_count, expected.result.posting_count);
    EXPECT_EQ(merged.result.occurrence_count, expected.result.occurrence_count);
    EXPECT_EQ(merged.result.dropped_sum, expected.result.dropped_sum);
    EXPECT_NE(merged.result.lane_postings, 0U);
  }
}

TEST_P(GpuBatchMerge, GivesTheBytesOfListsOfWholeBlocks) {
  for (const std::size_t postings : {1, 127, 128, 129, 256, 257, 1000}) {
    SCOPED_TRACE(postings);
    std::mt19937_64 random(postings);
    const Runs runs = cut(source_of_lists(postings), 5, random);
    const Merged expected = merge_to_index(runs, {}, with(1));
    const auto lanes = make_lanes();
    const Merged merged = merge_to_index(runs, {}, with(2, lanes.get()));
    ASSERT_EQ(merged.files, expected.files);
    EXPECT_NE(merged.result.lane_postings, 0U);
  }
}

TEST_P(GpuBatchMerge, GivesTheBytesOfListsInTheLargeLane) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = source(seed, 600, 100, 9);
    const Runs runs = cut(whole, 20, random);
    const DroppedDocuments dropped = drop(whole.documents.size(), seed % 2 * 20, random);
    const Merged expected = merge_to_index(runs, dropped, with(1));
    const auto lanes = make_narrow_lanes();
    ASSERT_NE(lanes->large(), nullptr);
    const Merged merged = merge_to_index(runs, dropped, with(3, lanes.get()));
    ASSERT_EQ(merged.files, expected.files);
    EXPECT_TRUE(lanes->large()->is_free);
    EXPECT_GE(merged.result.lane_postings, expected.result.posting_count);  // no list is left to the processor
  }
}

TEST_P(GpuBatchMerge, GivesTheBytesOfListsThatStayOnTheGpu) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto [runs, dropped, expected] = random_merge(seed, random);
    for (const BatchLimits& limits : {gpu_batch_limits(has_positions()), narrow_batch_limits(has_positions())}) {
      const auto lanes = make_holding_lanes(runs, limits);
      const Merged merged = merge_to_index(runs, dropped, with(2, lanes.get()));
      ASSERT_EQ(merged.files, expected.files);
      EXPECT_NE(lanes->held(), nullptr);
      EXPECT_GE(merged.result.lane_postings, expected.result.posting_count);  // no list is left to the processor
    }
  }
}

TEST_P(GpuBatchMerge, CollectsListsWhoseOrderHasNoMemory) {
  std::mt19937_64 random(3);
  const Runs runs = cut(source(3, 300, 100, 9), 6, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  const auto lanes = make_holding_lanes(runs, gpu_batch_limits(has_positions()), 1);
  EXPECT_EQ(lanes->order_bytes(), 0U);
  const Merged merged = merge_to_index(runs, {}, with(2, lanes.get()));
  ASSERT_EQ(merged.files, expected.files);
  EXPECT_EQ(lanes->held(), nullptr);
  EXPECT_NE(merged.result.lane_postings, 0U);
}

TEST_P(GpuBatchMerge, TakesNoMoreMemoryOfTheGpuThanItMay) {
  GpuBatchOptions options{.gpus = {gpu_}, .lanes = 3, .limits = gpu_batch_limits(has_positions())};
  options.device_bytes = std::size_t{4} << 20;
  EXPECT_THROW(make_gpu_batch_lanes(options, lane_budget_), GpuMemoryError);
  options.device_bytes = std::size_t{1} << 30;  // room for one arena
  options.takes_less = false;
  EXPECT_THROW(make_gpu_batch_lanes(options, lane_budget_), GpuMemoryError);
  options.takes_less = true;
  options.large = large_batch_limits(has_positions());
  options.document_count = 50'000'000;
  const std::vector<std::uint8_t> codes(options.document_count);
  const DroppedDocuments dropped;
  const std::size_t before = free_device_bytes(gpu_);
  const auto lanes = make_gpu_batch_lanes(options, lane_budget_);
  lanes->begin({.dropped = dropped,
                .length_codes = codes,
                .document_count = options.document_count,
                .has_positions = has_positions()});
  lanes->make_large();
  EXPECT_EQ(lanes->large(), nullptr);
  EXPECT_LE(before - free_device_bytes(gpu_), options.device_bytes);
}

TEST_P(GpuBatchMerge, GivesTheBytesOfTheProcessorWhateverCallFails) {
  std::mt19937_64 random(7);
  const SampleRun whole = source(7, 300, 100, 9);
  const Runs runs = cut(whole, 6, random);
  const DroppedDocuments dropped = drop(whole.documents.size(), 20, random);
  const Merged expected = merge_to_index(runs, dropped, with(1));
  const std::function<std::unique_ptr<BatchLanes>()> kinds[] = {
      [&] { return make_lanes(); }, [&] { return make_narrow_lanes(); },
      [&] { return make_holding_lanes(runs, narrow_batch_limits(has_positions())); }};
  for (int i = 0; i < 6; ++i) {
    const GpuFault fault = i % 2 == 0 ? GpuFault::kMemory : GpuFault::kLost;
    for (std::uint64_t nth = 1;; nth += 1 + nth / 8) {
      SCOPED_TRACE(nth);
      const auto lanes = kinds[i / 2]();
      fail_gpu_call(nth, fault);
      std::optional<Merged> merged;
      try {
        merged = merge_to_index(runs, dropped, with(2, lanes.get()));
      } catch (const GpuError&) {  // of the tables, before a list was merged: a job then goes on without lanes
      }
      const bool fired = gpu_faults_fired() != 0;
      fail_gpu_call(0);
      if (merged) {
        ASSERT_EQ(merged->files, expected.files);
      }
      ASSERT_TRUE(merged || fired);
      if (!fired) break;
    }
  }
}

}  // namespace
}  // namespace spillway::testing
