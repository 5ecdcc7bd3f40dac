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
    const auto [runs, dropped, expected] = random_merge(seed, random);
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

// An input whose entries the test makes.
class GivenEntries final : public MergeInput {
 public:
  struct Entry {
    std::string term;
    std::vector<std::uint8_t> postings;
    std::uint32_t document_count = 0, last_document = 0;
    std::uint64_t occurrence_count = 0;
    bool goes_on = false;
  };
  // With the documents of another input, and the sum of its postings.
  explicit GivenEntries(const MergeInput& input) : input_(input), summary_(input.summary()) {
    summary_.posting_count = 0;
  }
  void add(Entry entry) {
    summary_.posting_count += entry.document_count;
    entries_.push_back(std::move(entry));
  }
  const RunIdentity& identity() const override { return input_.identity(); }
  const RunSummary& summary() const override { return summary_; }
  std::vector<TermSample> term_samples() const override { return {}; }
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    auto cursor = std::make_unique<Cursor>();
    for (const Entry& entry : entries_) {
      if (entry.term >= first && (last.empty() || entry.term < last)) cursor->entries.push_back(&entry);
    }
    return cursor;
  }
  std::unique_ptr<DocumentCursor> documents() const override { return input_.documents(); }
  std::string name() const override { return "the-given"; }

 private:
  struct Cursor final : TermCursor {
    bool next() override {
      if (at == entries.size()) return false;
      const Entry& given = *entries[at++];
      now.term = given.term;
      now.postings = given.postings;
      now.document_count = given.document_count;
      now.occurrence_count = given.occurrence_count;
      now.last_document = given.last_document;
      now.goes_on = given.goes_on;
      return true;
    }
    const RunEntry& entry() const override { return now; }
    std::vector<const Entry*> entries;
    std::size_t at = 0;
    RunEntry now;
  };
  const MergeInput& input_;
  RunSummary summary_;
  std::vector<Entry> entries_;
};

class BatchMergeOfGivenEntries : public BatchMergeTest {
 protected:
  Merged merge(const GivenEntries& given, BatchLanes* lanes) {
    const MergeInput* inputs[] = {&given};
    return merge_to_index(inputs, {}, with(1, lanes));
  }
  std::string refusal(const GivenEntries& given, BatchLanes* lanes) {
    try {
      merge(given, lanes);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  }
};
INSTANTIATE_TEST_SUITE_P(, BatchMergeOfGivenEntries, ::testing::Values(Positions::kNone), batch_case_name);

// Blocks of the processor have such entries: a document is cut between chunks.
TEST_P(BatchMergeOfGivenEntries, GivesTheBytesOfTheProcessorWhereDocumentsAreCut) {
  const SampleRun whole = source(3, 300, 20, 9);
  const HeldRun held = write(whole, {});
  GivenEntries given(*held.input);
  for (const auto& [term, list] : whole.terms) {
    std::vector<SamplePosting> part;
    const auto add = [&](bool goes_on) {
      GivenEntries::Entry entry{
          term, encode_postings(part), static_cast<std::uint32_t>(part.size()), part.back().document, 0, goes_on};
      for (const SamplePosting& posting : part) entry.occurrence_count += posting.frequency;
      given.add(std::move(entry));
      part.clear();
    };
    for (const SamplePosting& posting : list) {
      if (posting.frequency > 1) {
        part.push_back({posting.document, posting.frequency - 1});
        add(true);
      }
      part.push_back({posting.document, 1});
    }
    add(false);
  }
  const Merged expected = merge(given, nullptr);
  BatchLimits small = wide_batch_limits(false);
  for (const std::size_t bytes : {1 << 20, 800, 200, 60}) {
    SCOPED_TRACE(bytes);
    small.posting_bytes = bytes;
    for (const BatchLimits& large : {BatchLimits(), wide_batch_limits(false)}) {
      for (const std::uint64_t nth : {0, 1, 5, 20, 40, 100}) {
        HostBatchLanes lanes(small, 3, large);
        fail_gpu_call(nth, GpuFault::kLost);
        const Merged merged = merge(given, &lanes);
        fail_gpu_call(0);
        if (nth == 0 && large.lists != 0) {
          EXPECT_NE(merged.result.lane_postings, 0U);
        }
        ASSERT_EQ(merged.files, expected.files) << nth;
      }
    }
  }
}

TEST_P(BatchMergeOfGivenEntries, NamesTheTermOfMalformedPostings) {
  const HeldRun held = write(source(3, 300, 1, 1), {});
  const std::vector<std::vector<std::uint8_t>> malformed = {
      {2, 1},                                   // a frequency of 1 is not stored
      {2, 0},                                   // or 0
      {2, 0x80, 0x80, 0x80, 0x80, 0x10},        // or 2^32
      {3, 0x83},                                // the second varint goes on
      {3, 2},                                   // a frequency is missing
      {0x83, 0x80, 0x80, 0x80, 0x80, 0x00, 3},  // a varint of 6 bytes
      {0x83, 0x80, 0x80, 0x80, 0x60, 3},        // a gap of 2^33
  };
  for (const auto& bytes : malformed) {
    SCOPED_TRACE(::testing::PrintToString(bytes));
    GivenEntries given(*held.input);
    given.add({"first", {3}, 1, 1, 1, false});
    given.add({"spoiled", bytes, static_cast<std::uint32_t>(bytes.size() == 2 && bytes[0] == 3 ? 2 : 1), 1, 2, false});
    given.add({"third", {3, 3}, 2, 2, 2, false});
    const std::string expected = refusal(given, nullptr);
    EXPECT_NE(expected.find("spoiled"), std::string::npos) << expected;
    HostBatchLanes lanes(wide_batch_limits(false));
    EXPECT_EQ(refusal(given, &lanes), expected);
  }
}

// Each list has one document, which is cut into entries: their number, by term.
class BatchMergeOfCutDocuments : public BatchMergeOfGivenEntries {
 protected:
  // Expects the bytes of the processor. Returns how many postings lanes merged.
  std::uint64_t merge_cut(const std::map<std::string, std::uint32_t>& entries, BatchLanes& lanes) {
    SampleRun run = source(3, 50, 1, 1);
    for (const auto& [term, list] : run.terms) {
      for (const SamplePosting& posting : list) run.documents[posting.document].length -= posting.frequency;
    }
    run.terms.clear();
    for (const auto& [term, count] : entries) {
      run.terms[term] = {{1, count}};
      run.documents[1].length += count;
    }
    const HeldRun held = write(run, {});
    GivenEntries given(*held.input);
    for (const auto& [term, count] : entries) {
      for (std::uint32_t i = 0; i < count; ++i) given.add({term, {3}, 1, 1, 1, i + 1 < count});
    }
    const Merged expected = merge(given, nullptr), merged = merge(given, &lanes);
    EXPECT_EQ(merged.files, expected.files);
    return merged.result.lane_postings;
  }
};
INSTANTIATE_TEST_SUITE_P(, BatchMergeOfCutDocuments, ::testing::Values(Positions::kNone), batch_case_name);

// The large lane has room for the bytes of the list, and not for all its fragments.
TEST_P(BatchMergeOfCutDocuments, LeavesListsOfManyFragmentsToTheProcessor) {
  BatchLimits large = wide_batch_limits(false);
  large.fragments = 40;
  for (const std::size_t small_bytes : {1000, 60}) {
    BatchLimits small = wide_batch_limits(false);
    small.posting_bytes = small_bytes;
    HostBatchLanes lanes(small, 3, large);
    EXPECT_EQ(merge_cut({{"many", 5000}}, lanes), 0U);
    EXPECT_TRUE(lanes.large()->is_free);
  }
}

// Only the entries after the first tell that the list does not fit.
TEST_P(BatchMergeOfCutDocuments, KeepsTheLargeLaneAfterAListThatDoesNotFit) {
  std::map<std::string, std::uint32_t> entries{{"a", 3000}};
  for (char c = 'b'; c < 'z'; ++c) entries[std::string(1, c)] = 100;
  BatchLimits small = wide_batch_limits(false), large = small;
  small.posting_bytes = 60;
  large.posting_bytes = 2000;
  HostBatchLanes lanes(small, 3, large);
  EXPECT_EQ(merge_cut(entries, lanes), 24 * 100U);
  EXPECT_TRUE(lanes.large()->is_free);
  EXPECT_EQ(lanes.failures(), std::vector<std::string>());
}

// A list that waits for its range must fit the budget.
TEST_P(BatchMerge, LeavesTheLargestListsToTheProcessorWithoutMemoryForThem) {
  std::mt19937_64 random(5);
  const Runs runs = cut(source(5, 300, 100, 9), 6, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  std::uint64_t merged_by_lanes[2];
  for (const bool has_memory : {false, true}) {
    HostBatchLanes lanes(narrow_batch_limits(has_positions()), 2, wide_batch_limits(has_positions()),
                         has_memory ? std::size_t{1} << 30 : 10);
    const Merged merged = merge_to_index(runs, {}, with(2, &lanes));
    ASSERT_EQ(merged.files, expected.files);
    EXPECT_EQ(lanes.failures(), std::vector<std::string>());
    merged_by_lanes[has_memory] = merged.result.lane_postings;
  }
  EXPECT_LT(merged_by_lanes[false], merged_by_lanes[true]);
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
