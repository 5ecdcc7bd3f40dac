#include "merge/index/merge.hpp"

#include <set>
#include <thread>

#include "io/base/error.hpp"
#include "io/index/verify.hpp"
#include "merge/input/source_layout.hpp"
#include "tests/merge/run/cut_runs.hpp"

namespace spillway::testing {
namespace {

class IndexMerge : public MergeTest {};

// The parameter: whether positions are stored.
class EveryIndexMerge : public MergeTest, public ::testing::WithParamInterface<Positions> {
 protected:
  EveryIndexMerge() { options_.positions = GetParam() == Positions::kStored; }
  SampleRun source(std::uint64_t seed, std::size_t documents, std::size_t terms) const {
    SampleRunOptions options;
    options.documents = documents;
    options.terms = terms;
    options.largest_frequency = seed % 3 == 0 ? 1 : 9;
    SampleRun run = make_source(seed, options);
    if (options_.positions) add_positions(run, seed);
    return run;
  }
};
INSTANTIATE_TEST_SUITE_P(, EveryIndexMerge, ::testing::Values(Positions::kNone, Positions::kStored),
                         [](const auto& tested) {
                           return tested.param == Positions::kStored ? "WithPositions" : "WithoutPositions";
                         });

IndexMergeOptions with(unsigned threads, std::size_t batch_bytes = 4096) {
  IndexMergeOptions options;
  options.threads = threads;
  options.batch_bytes = batch_bytes;
  return options;
}

SampleRun source(std::uint64_t seed, std::size_t documents, std::size_t terms) {
  SampleRunOptions options;
  options.documents = documents;
  options.terms = terms;
  options.largest_frequency = seed % 3 == 0 ? 1 : 9;
  return make_source(seed, options);
}

TEST_P(EveryIndexMerge, GivesTermsThatAreEqualInTheirFirstBytes) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SampleRun whole = make_source_of_near_terms(seed, 40);
    if (options_.positions) add_positions(whole, seed);
    Runs one;
    one.push_back(write(whole, {}));
    const Merged expected = merge_to_index(one, {}, with(1));
    ASSERT_EQ(read_index(), whole);
    EXPECT_EQ(merge_to_index(cut(whole, 12, random), {}, with(4)).files, expected.files);
  }
}

TEST_P(EveryIndexMerge, GivesTheBytesOfOneRunHoweverItWasCut) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = source(seed, 1 + random() % 300, 1 + random() % 400);
    Runs one;
    one.push_back(write(whole, {}));
    const Merged expected = merge_to_index(one, {}, with(1));
    ASSERT_EQ(read_index(), whole);
    const Runs many = cut(whole, 1 + random() % 40, random);
    const Merged got = merge_to_index(many, {}, with(1 + static_cast<unsigned>(random() % 8), 64 << random() % 8));
    ASSERT_EQ(got.files, expected.files) << many.size() << " runs";
    EXPECT_EQ(got.result.posting_count, expected.result.posting_count);
    EXPECT_EQ(got.result.occurrence_count, expected.result.occurrence_count);
  }
}

TEST_P(EveryIndexMerge, GivesTheSameBytesAfterPasses) {
  for (std::uint64_t seed = 100; seed < 116; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = source(seed, 200, 300);
    Runs one;
    one.push_back(write(whole, {}));
    const Merged expected = merge_to_index(one, {}, with(1));
    const Runs rest = merge_passes(cut(whole, 40, random), 1 + random() % 4, random);
    ASSERT_EQ(merge_to_index(rest, {}, with(3)).files, expected.files);
  }
}

TEST_P(EveryIndexMerge, DropsAndRenumbersDocuments) {
  for (std::uint64_t seed = 200; seed < 220; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = source(seed, 1500, 200);
    std::vector<bool> is_dropped(whole.documents.size());
    DroppedDocuments dropped(budget_, whole.documents.size());
    for (std::size_t i = 0; i < is_dropped.size(); ++i) {
      is_dropped[i] = seed == 200 || random() % (seed % 2 == 0 ? 7 : 400) == 0;
      if (is_dropped[i]) dropped.drop(static_cast<std::uint32_t>(i));
    }
    dropped.seal();
    const Runs runs = cut(whole, 12, random);
    const Merged got = merge_to_index(runs, dropped, with(4));
    const SampleRun kept = without(whole, is_dropped);
    ASSERT_EQ(read_index(), kept);
    EXPECT_EQ(got.result.document_count, kept.documents.size());
    EXPECT_EQ(got.result.posting_count, kept.summary().posting_count);
    EXPECT_EQ(got.result.occurrence_count, kept.summary().occurrence_count);
    const IndexReader index(files_, last_index());
    verify_index(index);
    EXPECT_EQ(index.dropped_documents().size(), dropped.count());
    Runs one;
    one.push_back(write(whole, {}));
    ASSERT_EQ(merge_to_index(one, dropped, with(1)).files, got.files);
  }
}

TEST_P(EveryIndexMerge, GivesTheSameBytesForAnyNumberOfThreads) {
  std::mt19937_64 random(5);
  const SampleRun whole = source(5, 3000, 2000);
  const Runs runs = cut(whole, 9, random);
  const Merged expected = merge_to_index(runs, {}, with(1, 1 << 20));
  for (unsigned threads = 1; threads <= 8; ++threads) {
    for (const std::size_t batch_bytes : {1, 300, 65536}) {
      IndexMergeOptions options = with(threads, batch_bytes);
      ASSERT_EQ(merge_to_index(runs, {}, options).files, expected.files) << threads << " threads";
      options.ahead_bytes = std::size_t{1} << 20;
      ASSERT_EQ(merge_to_index(runs, {}, options).files, expected.files) << threads << " threads";
    }
  }
}

TEST_P(EveryIndexMerge, JoinsADocumentThatSpansManyRuns) {
  SampleRun whole;
  whole.documents.resize(3);
  whole.documents[1].id = "long";
  whole.documents[1].text = "0123456789abcdef";
  for (const char* term : {"every", "some"}) whole.terms[term] = {{0, 1}, {1, 50}, {2, 3}};
  whole.terms["once"] = {{1, 1}};
  for (const auto& [term, postings] : whole.terms) {
    for (const SamplePosting& posting : postings) whole.documents[posting.document].length += posting.frequency;
  }
  if (options_.positions) add_positions(whole, 1);
  Runs one;
  one.push_back(write(whole, {}));
  const Merged expected = merge_to_index(one, {}, with(1));
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    std::mt19937_64 random(seed);
    Runs runs = cut(whole, 16, random);
    ASSERT_EQ(merge_to_index(runs, {}, with(2)).files, expected.files) << seed;
    runs = merge_passes(std::move(runs), 2, random);
    ASSERT_EQ(merge_to_index(runs, {}, with(2)).files, expected.files) << seed << " after passes";
  }
}

TEST_F(IndexMerge, TakesRunsWithoutTermsOrDocuments) {
  SampleRun empty, silent;
  silent.documents.resize(5);
  Runs runs;
  runs.push_back(write(empty, {}));
  const Merged none = merge_to_index(runs, {}, with(4));
  EXPECT_EQ(none.result.document_count, 0u);
  EXPECT_EQ(read_index(), empty);
  runs.push_back(write(silent, {}));
  const SampleRun whole = source(9, 20, 30);
  runs.push_back(write(whole, {}));
  EXPECT_EQ(merge_to_index(runs, {}, with(4)).result.document_count, 25u);
  EXPECT_EQ(read_index().terms.size(), whole.terms.size());
}

TEST_F(IndexMerge, RefusesRunsThatDoNotFitTogether) {
  const SampleRun whole = source(11, 20, 30);
  RunIdentity open_end, open_begin;
  open_end.last_document_open = true;
  open_begin.first_document_open = true;
  const auto refused = [&](const RunIdentity& first, const RunIdentity& second) {
    Runs runs;
    runs.push_back(write(whole, first));
    runs.push_back(write(whole, second));
    EXPECT_THROW(merge_to_index(runs, {}, with(1)), FormatError);
    EXPECT_EQ(first.last_document_open == second.first_document_open,
              first.first_document_open || second.last_document_open);
  };
  refused(open_end, {});
  refused({}, open_begin);
  refused(open_begin, {});
  refused({}, open_end);
  Runs runs;
  runs.push_back(write(whole, {}));
  options_.max_term_bytes = 7;
  runs.push_back(write(whole, {}));
  EXPECT_THROW(merge_to_index(runs, {}, with(1)), FormatError);
}

TEST_F(IndexMerge, FindsPostingsThatDoNotGiveTheSum) {
  // The runs are well-formed, but their sum is that of other runs: only the check of the sum can find it.
  const SampleRun whole = source(13, 50, 60);
  for (const int what : {0, 1, 2}) {
    RunSummary wrong = whole.summary();
    const HeldRun held = write(whole, {});
    class Lying final : public MergeInput {
     public:
      Lying(const MergeInput& input, RunSummary summary) : input_(input), summary_(summary) {}
      const RunIdentity& identity() const override { return input_.identity(); }
      const RunSummary& summary() const override { return summary_; }
      std::vector<TermSample> term_samples() const override { return input_.term_samples(); }
      std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
        return input_.terms(std::move(first), std::move(last));
      }
      std::unique_ptr<DocumentCursor> documents() const override { return input_.documents(); }
      std::string name() const override { return "the-liar"; }

     private:
      const MergeInput& input_;
      RunSummary summary_;
    };
    if (what == 0) wrong.sum.lanes[1] ^= 1;
    if (what == 1) wrong.posting_count += 1;
    if (what == 2) wrong.occurrence_count += 1;
    const Lying lying(*held.input, wrong);
    const MergeInput* inputs[] = {&lying};
    IndexWriter writer(files_, "/job/lying-" + std::to_string(what), options_);
    const std::vector<std::uint8_t> codes(whole.documents.size());
    try {
      merge_lists(inputs, {}, codes, writer, with(3));
      FAIL() << what;
    } catch (const FormatError& error) {
      EXPECT_NE(std::string(error.what()).find("the-liar"), std::string::npos);
    }
  }
}

TEST_F(IndexMerge, FailsWithoutHangingOnCorruptRuns) {
  std::mt19937_64 random(17);
  const SampleRun whole = source(17, 400, 600);
  unsigned refused = 0;
  for (int round = 0; round < 120; ++round) {
    Runs runs = cut(whole, 5, random);
    const std::size_t victim = random() % runs.size();
    std::vector<std::uint8_t> bytes(runs[victim].file->size());
    runs[victim].file->read_exactly(0, bytes);
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    try {
      runs[victim] = hold([&](WritableFile& file) { file.append(bytes); });
      merge_to_index(runs, {}, with(4, 256));
    } catch (const FormatError&) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 120u);
}

TEST_F(IndexMerge, EndsCleanlyWhateverWriteFails) {
  std::mt19937_64 random(29);
  const Runs runs = cut(source(29, 60, 80), 4, random);
  const Merged expected = merge_to_index(runs, {}, with(3, 256));
  std::uint64_t failed = 0;
  for (std::uint64_t n = 0;; ++n) {
    files_.inject({FaultKind::kNoSpace, n, true});
    try {
      const Merged merged = merge_to_index(runs, {}, with(3, 256));
      if (files_.faults_fired() == 0) {
        EXPECT_EQ(merged.files, expected.files);
        break;
      }
      ADD_FAILURE() << "write " << n << " failed unnoticed";
    } catch (const IoError&) {
      ++failed;
    }
  }
  EXPECT_GT(failed, 10u);
}

IndexMergeOptions with_documents_beside(unsigned threads, unsigned most_threads) {
  IndexMergeOptions options = with(threads, 256);
  options.most_threads = most_threads;
  return options;
}

TEST_P(EveryIndexMerge, GivesTheSameBytesWithTheDocumentsBesideTheLists) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = source(seed, 1 + random() % 300, 1 + random() % 400);
    const Runs runs = cut(whole, 1 + random() % 10, random);
    DroppedDocuments dropped(budget_, whole.documents.size());
    if (seed % 2 == 0) dropped.drop(static_cast<std::uint32_t>(random() % whole.documents.size()));
    dropped.seal();
    const Merged expected = merge_to_index(runs, dropped, with(1));
    const auto most = 2 + static_cast<unsigned>(random() % 9);
    const unsigned threads = seed % 3 == 0 ? most : 1 + static_cast<unsigned>(random() % most);
    const Merged got = merge_to_index(runs, dropped, with_documents_beside(threads, most));
    ASSERT_EQ(got.files, expected.files) << threads << " of " << most;
    EXPECT_EQ(got.result.dropped_sum, expected.result.dropped_sum);
  }
}

TEST_F(IndexMerge, EndsCleanlyWhateverWriteFailsWithTheDocumentsBeside) {
  std::mt19937_64 random(31);
  const Runs runs = cut(source(31, 60, 80), 4, random);
  const Merged expected = merge_to_index(runs, {}, with(1));
  std::set<std::string> failed;
  for (std::uint64_t n = 0;; ++n) {
    files_.inject({FaultKind::kNoSpace, n, true});
    try {
      const Merged merged = merge_to_index(runs, {}, with_documents_beside(2 + n % 2, 2));
      EXPECT_EQ(files_.faults_fired(), 0u) << "write " << n << " failed unnoticed";
      EXPECT_EQ(merged.files, expected.files);
      break;
    } catch (const IoError& error) {
      failed.insert(error.what());
    }
  }
  EXPECT_GT(failed.size(), 10u);
}

TEST_F(IndexMerge, RefusesCorruptRunsWithTheDocumentsBeside) {
  std::mt19937_64 random(37);
  const SampleRun whole = source(37, 400, 600);
  for (int round = 0; round < 60; ++round) {
    Runs runs = cut(whole, 5, random);
    const std::size_t victim = random() % runs.size();
    std::vector<std::uint8_t> bytes(runs[victim].file->size());
    runs[victim].file->read_exactly(0, bytes);
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
    const auto merge = [&] {
      runs[victim] = hold([&](WritableFile& file) { file.append(bytes); });
      merge_to_index(runs, {}, with_documents_beside(1 + static_cast<unsigned>(random() % 3), 3));
    };
    EXPECT_THROW(merge(), FormatError);
  }
}

// An exception on one side ends the other side, and the merge throws it.
TEST_F(IndexMerge, EndsBothSidesWhenOneFails) {
  std::mt19937_64 random(41);
  const Runs runs = cut(source(41, 400, 900), 3, random);
  const auto all = inputs(runs);
  const std::vector<std::uint8_t> codes(lay_out_source(all).document_count);
  for (const unsigned threads : {1u, 2u, 3u}) {
    IndexMergeOptions options = with_documents_beside(threads, 3);
    bool was_stopped = false;
    options.check = [] { throw InterruptedError(2); };
    options.beside = [&](const std::function<void()>& check) {
      try {
        for (;;) check();
      } catch (...) {
        was_stopped = true;
        throw;
      }
    };
    IndexWriter lists_fail(files_, "/job/lists-fail-" + std::to_string(threads), options_);
    EXPECT_THROW(merge_lists(all, {}, codes, lists_fail, options), InterruptedError);
    EXPECT_TRUE(was_stopped);

    std::atomic<bool> has_failed = false;
    options.check = [&] {
      while (!has_failed) std::this_thread::yield();
    };
    options.beside = [&](const std::function<void()>&) {
      has_failed = true;
      throw IoError("the documents");
    };
    IndexWriter documents_fail(files_, "/job/documents-fail-" + std::to_string(threads), options_);
    EXPECT_THROW(merge_lists(all, {}, codes, documents_fail, options), IoError);
  }
}

TEST_F(IndexMerge, StopsWhenCancelled) {
  std::mt19937_64 random(19);
  const Runs runs = cut(source(19, 400, 900), 5, random);
  std::atomic<int> calls{0};
  IndexMergeOptions options = with(4, 64);
  options.check = [&] {
    if (++calls > 3) throw InterruptedError(2);
  };
  EXPECT_THROW(merge_to_index(runs, {}, options), InterruptedError);
}

TEST_F(IndexMerge, ReportsProgressUpToAllPostings) {
  std::mt19937_64 random(23);
  const SampleRun whole = source(23, 400, 900);
  Runs runs;
  runs.push_back(write(whole, {}));
  std::uint64_t last = 0;
  IndexMergeOptions options = with(3);
  options.progress = [&](std::uint64_t done) {
    EXPECT_GE(done, last);
    last = done;
  };
  merge_to_index(runs, {}, options);
  EXPECT_EQ(last, whole.summary().posting_count);
}

}  // namespace
}  // namespace spillway::testing
