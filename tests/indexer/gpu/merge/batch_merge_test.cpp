// Merges whose lists go through the lanes of a GPU (indexer/gpu/merge), on the host: they give the bytes of merges by
// the processor.
#include "tests/indexer/gpu/merge/batch_merge.hpp"
#include "tests/support/host_gpu/host_batches.hpp"

namespace spillway::testing {
namespace {

class BatchMerge : public BatchMergeTest {};
INSTANTIATE_TEST_SUITE_P(, BatchMerge, ::testing::Values(Positions::kNone, Positions::kStored), batch_case_name);

TEST_P(BatchMerge, GivesTheBytesOfTheProcessor) {
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const std::uint32_t largest = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 9 : 400;
    const SampleRun whole = source(seed, 1 + random() % 600, 1 + random() % 300, largest);
    const Runs runs = cut(whole, 1 + random() % 30, random);
    const DroppedDocuments dropped = drop(whole.documents.size(), std::array{0U, 1U, 2U, 40U}[seed % 4], random);
    const Merged expected = merge_to_index(runs, dropped, with(1));
    const BatchLimits wide = wide_batch_limits(has_positions()), narrow = narrow_batch_limits(has_positions());
    BatchLimits none, small = wide, one = wide;  // of the large lane
    small.posting_bytes = 400;
    one.lists = 1;
    for (const auto& [limits, large] : {std::pair{wide, none}, {narrow, none}, {narrow, one}, {narrow, small}}) {
      HostBatchLanes lanes(limits, 5, large);  // as many as threads
      const Merged merged = merge_to_index(runs, dropped, with(1 + static_cast<unsigned>(random() % 5), &lanes));
      ASSERT_EQ(merged.files, expected.files) << limits.posting_bytes << " bytes a batch";
      EXPECT_EQ(merged.result.posting_count, expected.result.posting_count);
      EXPECT_EQ(merged.result.occurrence_count, expected.result.occurrence_count);
      EXPECT_EQ(merged.result.dropped_sum, expected.result.dropped_sum);
      EXPECT_EQ(lanes.failures(), std::vector<std::string>());
      if (limits.posting_bytes > 1000) {
        EXPECT_NE(merged.result.lane_postings, 0U);
      }
      if (large.lists == 1) {  // no list is left to the processor
        EXPECT_GE(merged.result.lane_postings, expected.result.posting_count);
      }
    }
  }
}

TEST_P(BatchMerge, GivesTheBytesOfListsOfWholeBlocks) {
  for (const std::size_t postings : {1, 2, 127, 128, 129, 255, 256, 257, 384, 1000}) {
    SCOPED_TRACE(postings);
    std::mt19937_64 random(postings);
    const SampleRun whole = source_of_lists(postings);
    const Runs runs = cut(whole, 5, random);
    const Merged expected = merge_to_index(runs, {}, with(1));
    HostBatchLanes lanes({.posting_bytes = 1 << 20,
                          .distance_bytes = has_positions() ? 32U << 20 : 0,
                          .fragments = 1 << 12,
                          .lists = 1 << 10});
    const Merged merged = merge_to_index(runs, {}, with(2, &lanes));
    ASSERT_EQ(merged.files, expected.files);
    EXPECT_NE(merged.result.lane_postings, 0U);
  }
}

TEST_P(BatchMerge, GivesTheBytesOfTheProcessorWhateverCallFails) {
  std::mt19937_64 random(7);
  const SampleRun whole = source(7, 300, 100, 9);
  const Runs runs = cut(whole, 6, random);
  const DroppedDocuments dropped = drop(whole.documents.size(), 20, random);
  const Merged expected = merge_to_index(runs, dropped, with(1));
  for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
    for (std::uint64_t nth = 1;; ++nth) {
      SCOPED_TRACE(nth);
      HostBatchLanes lanes(narrow_batch_limits(has_positions()), 2, wide_batch_limits(has_positions()));
      fail_gpu_call(nth, fault);
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

// Well-formed runs with the sum of other runs: only the check of the sum can find it.
TEST_P(BatchMerge, FindsPostingsThatDoNotGiveTheSum) {
  class Lying final : public MergeInput {
   public:
    explicit Lying(const MergeInput& input) : input_(input), summary_(input.summary()) {}
    const RunIdentity& identity() const override { return input_.identity(); }
    const RunSummary& summary() const override { return summary_; }
    std::vector<TermSample> term_samples() const override { return input_.term_samples(); }
    std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
      return input_.terms(std::move(first), std::move(last));
    }
    std::unique_ptr<DocumentCursor> documents() const override { return input_.documents(); }
    std::string name() const override { return "the-liar"; }
    RunSummary& told() { return summary_; }

   private:
    const MergeInput& input_;
    RunSummary summary_;
  };
  const SampleRun whole = source(13, 50, 60, 9);
  for (const int what : {0, 1, 2}) {
    SCOPED_TRACE(what);
    if (what == 2 && !has_positions()) continue;
    const HeldRun held = write(whole, {});
    Lying lying(*held.input);
    if (what < 2) lying.told().sum.lanes[static_cast<std::size_t>(what)] ^= 1;
    if (what == 2) lying.told().sum.positions ^= 1;
    const MergeInput* inputs[] = {&lying};
    HostBatchLanes lanes(wide_batch_limits(has_positions()));
    IndexWriter writer(files_, "/job/lying-" + std::to_string(what), options_);
    const std::vector<std::uint8_t> codes(whole.documents.size());
    try {
      merge_lists(inputs, {}, codes, writer, with(3, &lanes));
      FAIL();
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("do not give the sums"), std::string::npos) << error.what();
    }
  }
}

// A batch with one changed byte is merged by the processor, which names the run and the term, or gives another sum.
TEST_P(BatchMerge, RefusesAnyChangedByteOfABatch) {
  class Changing final : public BatchLanes {
   public:
    Changing(BatchLanes& lanes, std::size_t change) : lanes_(lanes), change_(change) {}
    void begin(const BatchMergeSource& source) override { lanes_.begin(source); }
    std::unique_ptr<BatchLane> take() noexcept override { return std::make_unique<Lane>(lanes_.take(), change_); }
    void fail(const std::string& why) noexcept override { lanes_.fail(why); }

   private:
    class Lane final : public BatchLane {
     public:
      Lane(std::unique_ptr<BatchLane> lane, std::size_t change) : lane_(std::move(lane)), change_(change) {}
      BatchArrays arrays() override { return lane_->arrays(); }
      bool merge(const BatchSize& size, MergedBatch& merged) override {
        const std::size_t at = change_ / 8;
        std::uint8_t* byte = at < size.posting_bytes ? &arrays().postings[at]
                             : at < size.posting_bytes + std::size_t{size.distance_bytes}
                                 ? &arrays().distances[at - size.posting_bytes]
                                 : nullptr;
        if (byte != nullptr) *byte ^= static_cast<std::uint8_t>(1 << change_ % 8);
        return lane_->merge(size, merged);
      }

     private:
      const std::unique_ptr<BatchLane> lane_;
      const std::size_t change_;
    };
    BatchLanes& lanes_;
    const std::size_t change_;
  };
  std::mt19937_64 random(17);
  const SampleRun whole = source(17, 40, 30, 200);
  const Runs runs = cut(whole, 5, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  std::size_t refused = 0;
  for (std::size_t change = 0; change < 12'000; change += 1 + random() % 40) {
    HostBatchLanes lanes(wide_batch_limits(has_positions()), 1);
    Changing changing(lanes, change);
    try {
      ASSERT_EQ(merge_to_index(runs, {}, with(1, &changing)).files, expected.files) << change;
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100U);
}

}  // namespace
}  // namespace spillway::testing
