// Merges of lists that lanes hold in their own memory, on the host: they give the bytes of merges by the processor.
#include "tests/indexer/gpu/merge/batch_merge.hpp"
#include "tests/support/host_gpu/held_lists.hpp"
#include "tests/support/host_gpu/host_batches.hpp"

namespace spillway::testing {
namespace {

class HeldMerge : public BatchMergeTest {
 protected:
  static std::vector<DeviceLists> hold_all(const Runs& runs) { return hold_on_host(inputs(runs)); }
};
INSTANTIATE_TEST_SUITE_P(, HeldMerge, ::testing::Values(Positions::kNone, Positions::kStored), batch_case_name);

TEST_P(HeldMerge, GivesTheBytesOfTheProcessor) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const auto [runs, dropped, expected] = random_merge(seed, random);
    const BatchLimits wide = wide_batch_limits(has_positions()), narrow = narrow_batch_limits(has_positions());
    BatchLimits none, one = wide;  // of the large lane
    one.lists = 1;
    for (const auto& [limits, large] : {std::pair{wide, none}, {narrow, none}, {narrow, one}}) {
      HostBatchLanes lanes(limits, 5, large, std::size_t{1} << 30, hold_all(runs));
      const Merged merged = merge_to_index(runs, dropped, with(1 + static_cast<unsigned>(random() % 5), &lanes));
      ASSERT_EQ(merged.files, expected.files) << limits.posting_bytes << " bytes a batch";
      EXPECT_EQ(merged.result.posting_count, expected.result.posting_count);
      EXPECT_EQ(merged.result.occurrence_count, expected.result.occurrence_count);
      EXPECT_EQ(merged.result.dropped_sum, expected.result.dropped_sum);
      EXPECT_EQ(lanes.failures(), std::vector<std::string>());
      if (large.lists == 1 || limits.posting_bytes > 1000) {  // no list is left to the processor
        EXPECT_GE(merged.result.lane_postings, expected.result.posting_count);
      }
    }
  }
}

TEST_P(HeldMerge, GivesTheBytesOfTheProcessorForTermsThatAreEqualInTheirFirstBytes) {
  SampleRun whole = make_source_of_near_terms(3, 200);
  if (has_positions()) add_positions(whole, 3);
  std::mt19937_64 random(3);
  const Runs runs = cut(whole, 7, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  HostBatchLanes lanes(wide_batch_limits(has_positions()), 3, {}, 0, hold_all(runs));
  const Merged merged = merge_to_index(runs, {}, with(3, &lanes));
  ASSERT_EQ(merged.files, expected.files);
  EXPECT_GE(merged.result.lane_postings, expected.result.posting_count);
}

TEST_P(HeldMerge, GivesTheBytesOfTheProcessorWhateverCallFails) {
  std::mt19937_64 random(7);
  const SampleRun whole = source(7, 300, 100, 9);
  const Runs runs = cut(whole, 6, random);
  const DroppedDocuments dropped = drop(whole.documents.size(), 20, random);
  const Merged expected = merge_to_index(runs, dropped, with(1));
  const auto held = hold_all(runs);
  for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
    for (std::uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(nth);
      HostBatchLanes lanes(narrow_batch_limits(has_positions()), 2, wide_batch_limits(has_positions()),
                           std::size_t{1} << 30, held);
      lanes.fail_call(nth, fault);
      const Merged merged = merge_to_index(runs, dropped, with(2, &lanes));
      const bool fired = gpu_faults_fired() != 0;
      fail_gpu_call(0);
      ASSERT_EQ(merged.files, expected.files);
      ASSERT_EQ(lanes.failures().empty(), !fired);
      if (!fired) break;
      if (nth > 200) nth += nth / 4;
    }
  }
}

TEST_P(HeldMerge, CollectsListsWhateverCallOfTheirOrderFails) {
  std::mt19937_64 random(7);
  const Runs runs = cut(source(7, 100, 40, 9), 4, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  const auto held = hold_all(runs);
  for (std::uint64_t nth = 1;; ++nth) {
    SCOPED_TRACE(nth);
    HostBatchLanes lanes(wide_batch_limits(has_positions()), 2, {}, 0, held);
    lanes.fail_call_of_order(nth, GpuFault::kMemory);
    const Merged merged = merge_to_index(runs, {}, with(2, &lanes));
    fail_gpu_call(0);
    ASSERT_EQ(merged.files, expected.files);
    if (lanes.held() != nullptr) {  // a call of the merge failed, or none
      EXPECT_GT(nth, 20U);
      break;
    }
    EXPECT_NE(merged.result.lane_postings, 0U);
  }
}

// Lists that contradict themselves, or others than those of the inputs: the processor merges what the inputs say, or
// the sum tells.
TEST_P(HeldMerge, NeverGivesOtherBytesWhereAByteOnTheGpuChanged) {
  std::mt19937_64 random(17);
  const SampleRun whole = source(17, 40, 30, 200);
  const Runs runs = cut(whole, 5, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  int refused[5] = {}, right[5] = {};
  for (int change = 0; change < 450; ++change) {
    std::vector<DeviceLists> held = hold_all(runs);
    const DeviceLists& lists = held[random() % held.size()];
    const std::pair<std::size_t, std::size_t> parts[] = {
        {lists.fragments_at, (lists.fragment_count + 1) * sizeof(EncodedFragment)},
        {lists.text_offsets_at, (lists.rank_count + 1) * sizeof(std::uint64_t)},
        {lists.text_at, lists.text_bytes},
        {lists.postings_at, lists.posting_bytes},
        {lists.distances_at, lists.distance_bytes}};
    const auto part = static_cast<std::size_t>(change % (has_positions() ? 5 : 4));
    const auto [begin, bytes] = parts[part];
    lists.memory.get()[begin + random() % bytes] ^= static_cast<std::uint8_t>(1 << random() % 8);
    HostBatchLanes lanes(wide_batch_limits(has_positions()), 2, {}, 0, std::move(held));
    try {
      ASSERT_EQ(merge_to_index(runs, {}, with(2, &lanes)).files, expected.files) << change;
      ++right[part];
    } catch (const FormatError&) {
      ++refused[part];
    }
  }
  // The GPU checks fragments and offsets, so their changes are found at once. Only the sum finds a changed term or
  // distance.
  EXPECT_GT(right[0], 50);
  EXPECT_GT(right[1], 50);
  EXPECT_GT(refused[2], 50);
  EXPECT_GT(right[3], 50);
  EXPECT_EQ(refused[4] > 50, has_positions());
}

// A lane takes no more bytes of terms than of postings.
TEST(HeldLists, FitWithTheirTerms) {
  std::vector<HeldList> lists(11);
  for (std::uint32_t l = 0; l < lists.size(); ++l) {
    lists[l] = {{.posting_bytes = 2 * l, .postings = l, .occurrences = l}, 100 * l, l, 0};
  }
  const std::vector<char> terms(1000, 'a');
  const HeldLists held{lists, terms};
  std::vector<std::uint8_t> postings(300);
  std::vector<BatchFragment> fragments(100);
  std::vector<BatchList> batch_lists(100);
  const BatchArrays arrays{
      .postings = postings, .distances = {}, .starts = {}, .fragments = fragments, .lists = batch_lists};
  EXPECT_EQ(held.fitting_end(0, 10, arrays), 3U);
  EXPECT_EQ(held.fitting_end(8, 10, arrays), 10U);
  EXPECT_EQ(held.fitting_end(10, 10, arrays), 10U);
  postings.resize(50);
  EXPECT_EQ(
      held.fitting_end(
          4, 10, {.postings = postings, .distances = {}, .starts = {}, .fragments = fragments, .lists = batch_lists}),
      4U);
}

// A pass before the last makes other runs than those whose lists are held.
TEST_P(HeldMerge, TakesOnlyListsOfItsInputs) {
  std::mt19937_64 random(9);
  const Runs runs = cut(source(9, 300, 100, 9), 6, random);
  auto held = hold_all(runs);
  const Runs merged_runs = merge_passes(cut(source(9, 300, 100, 9), 6, random), 2, random);
  const Merged expected = merge_to_index(merged_runs, {}, with(1));
  HostBatchLanes lanes(wide_batch_limits(has_positions()), 2, {}, 0, std::move(held));
  ASSERT_EQ(merge_to_index(merged_runs, {}, with(2, &lanes)).files, expected.files);
  EXPECT_EQ(lanes.held(), nullptr);
}

}  // namespace
}  // namespace spillway::testing
