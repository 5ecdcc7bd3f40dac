#include "merge/run/merge.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "io/base/error.hpp"
#include "io/run/layout.hpp"
#include "tests/merge/run/cut_runs.hpp"
#include "tests/support/run_forger.hpp"

namespace spillway::testing {
namespace {

class RunMerge : public MergeTest {
 protected:
  // Merges damaged runs and returns the message of the error.
  std::string refusal_of(const Runs& runs, const RunMergeOptions& options) {
    MemoryFile out(budget_, "out");
    try {
      merge_runs(inputs(runs), out, options);
    } catch (const FormatError& error) {
      return error.what();
    }
    ADD_FAILURE() << "merged on " << options.threads << " threads";
    return "";
  }
};

TEST_F(RunMerge, GivesTheWholeSourceBack) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SampleRunOptions options;
    options.documents = 1 + random() % 400;
    options.terms = 1 + random() % 200;
    const SampleRun whole = make_source(seed, options);
    const Runs merged = merge_passes(cut(whole, 1 + random() % 40, random), 1, random);
    ASSERT_EQ(merged.size(), 1u);
    ASSERT_EQ(read_sample_run(*merged.front().file), whole);
    EXPECT_FALSE(merged.front().reader->identity().first_document_open);
    EXPECT_FALSE(merged.front().reader->identity().last_document_open);
  }
}

TEST_F(RunMerge, GivesTermsBackThatAreEqualInTheirFirstBytes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    const SampleRun whole = make_source_of_near_terms(seed, 40);
    const Runs merged = merge_passes(cut(whole, 12, random), 1, random);
    ASSERT_EQ(read_sample_run(*merged.front().file), whole);
  }
}

TEST_F(RunMerge, JoinsTheEntriesOfATermWhileTheyFitABlock) {
  SampleRun one;
  one.documents.resize(10);
  for (int term = 0; term < 50; ++term) {
    for (std::uint32_t document = 0; document < 10; ++document) {
      one.terms["term" + std::to_string(term)].push_back({document, 1});
      ++one.documents[document].length;
    }
  }
  Runs runs;
  for (int i = 0; i < 6; ++i) runs.push_back(write(one, {}));
  RunMergeOptions options;
  options.block_bytes = 64 << 10;
  const HeldRun merged =
      hold([&](WritableFile& file) { EXPECT_EQ(merge_runs(inputs(runs), file, options).entry_count, 50u); });
  EXPECT_EQ(merged.reader->summary().posting_count, 6u * 500);
}

// Each run ends inside a document that the next one goes on with, so that some lists have a document of both.
TEST_F(RunMerge, AddsBorderDocumentsOfListsThatAreShort) {
  for (const bool positions : {false, true}) {
    SCOPED_TRACE(positions);
    options_.positions = positions;
    SampleRun whole;
    whole.documents.resize(40);
    std::mt19937_64 random(5);
    for (std::uint32_t term = 0; term < 400; ++term) {
      for (std::uint32_t document = term % 40; document < 40; document += 1 + term % 13) {
        const auto frequency = static_cast<std::uint32_t>(1 + random() % 3 * (random() % 100));
        whole.terms["t" + std::to_string(term)].push_back({document, frequency});
        whole.documents[document].length += frequency;
      }
    }
    if (positions) add_positions(whole, 5);
    for (const std::size_t count : {2, 7, 60}) {
      const Runs runs = cut(whole, count, random);
      const HeldRun merged = hold([&](WritableFile& file) { merge_runs(inputs(runs), file, {}); });
      ASSERT_EQ(read_sample_run(*merged.file).terms, whole.terms) << count;
    }
  }
}

// A block ends where a range ends, so the bytes depend on the threads; the contents do not.
TEST_F(RunMerge, GivesTheSameOnManyThreads) {
  std::mt19937_64 random(5);
  SampleRunOptions sample;
  sample.documents = 3000;
  sample.terms = 4000;
  const SampleRun whole = make_source(5, sample);
  const Runs runs = cut(whole, 12, random);
  std::uint64_t bytes = 0, entries = 0;
  for (const HeldRun& run : runs) {
    bytes += run.file->size();
    entries += run.reader->summary().entry_count;
  }
  for (const auto& [threads, beside] : {std::pair(1U, false), {1U, true}, {2U, false}, {2U, true}, {7U, true}}) {
    RunMergeOptions options;
    options.block_bytes = kMinRunBlockBytes;
    options.threads = threads;
    options.documents_beside = beside;
    std::atomic<int> checks{0};
    options.check = [&] { ++checks; };
    const HeldRun merged = hold([&](WritableFile& file) { merge_runs(inputs(runs), file, options); });
    EXPECT_EQ(read_sample_run(*merged.file), whole);
    EXPECT_LE(merged.file->size(), merged_run_bound(bytes, entries, false));
    EXPECT_GT(checks, 20);
  }
}

// There are more threads than slots, and another thread holds one slot for a while.
TEST_F(RunMerge, WorksInItsSlotsOnly) {
  std::mt19937_64 random(8);
  SampleRunOptions sample;
  sample.documents = 2000;
  sample.terms = 3000;
  const SampleRun whole = make_source(8, sample);
  const Runs runs = cut(whole, 8, random);
  ConcurrencyLimiter slots(2);
  std::atomic<int> busy{0}, most{0}, checks{0};
  std::optional<ThreadSlot> other = slots.take();
  RunMergeOptions options;
  options.block_bytes = kMinRunBlockBytes;
  options.threads = 6;
  options.slots = &slots;
  options.documents_beside = true;
  options.check = [&] {
    int before = most.load();
    const int now = ++busy;
    while (before < now && !most.compare_exchange_weak(before, now)) {
    }
    if (++checks == 20) other.reset();
    if (checks <= 20) {
      EXPECT_EQ(now, 1);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --busy;
  };
  const HeldRun merged = hold([&](WritableFile& file) { merge_runs(inputs(runs), file, options); });
  EXPECT_EQ(read_sample_run(*merged.file), whole);
  EXPECT_EQ(most, 2);
  EXPECT_EQ(slots.waiting(), 0U);
}

TEST_F(RunMerge, StopsWhenItsCheckThrows) {
  std::mt19937_64 random(6);
  SampleRunOptions sample;
  sample.documents = 2000;
  sample.terms = 3000;
  const Runs runs = cut(make_source(6, sample), 8, random);
  for (const unsigned threads : {1U, 4U}) {
    ConcurrencyLimiter slots(2);
    RunMergeOptions options;
    options.block_bytes = kMinRunBlockBytes;
    options.threads = threads;
    options.slots = &slots;
    options.documents_beside = threads > 1;
    std::atomic<int> left{5};
    options.check = [&] {
      if (--left < 0) throw InterruptedError(2);
    };
    MemoryFile out(budget_, "out");
    EXPECT_THROW(merge_runs(inputs(runs), out, options), InterruptedError);
    const ThreadSlot one = slots.take(), another = slots.take();  // does not wait: the merge gave all slots back
  }
}

TEST_F(RunMerge, KeepsTheBordersOfAGroupOpen) {
  std::mt19937_64 random(3);
  const SampleRun whole = make_source(3, {});
  Runs runs;
  while (runs.size() < 4 || !runs[1].input->identity().first_document_open ||
         !runs[2].input->identity().last_document_open) {
    runs = cut(whole, 20, random);
  }
  const auto all = inputs(runs);
  const HeldRun middle = hold([&](WritableFile& file) {
    merge_runs(std::span(all).subspan(1, 2), file, {.block_bytes = 4096, .run_number = 77});
  });
  EXPECT_TRUE(middle.reader->identity().first_document_open);
  EXPECT_TRUE(middle.reader->identity().last_document_open);
  EXPECT_EQ(middle.reader->identity().number, 77u);
}

TEST_F(RunMerge, RefusesRunsOfAnotherJob) {
  Runs runs;
  runs.push_back(write(make_source(1, {}), {}));
  options_.stemmer = "porter";
  runs.push_back(write(make_source(2, {}), {}));
  MemoryFile out(budget_, "out");
  EXPECT_THROW(merge_runs(inputs(runs), out, {}), FormatError);
  EXPECT_EQ(out.size(), 0u);
}

TEST_F(RunMerge, GivesPositionsBackHoweverListsAreCut) {
  options_.positions = true;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    SampleRunOptions options;
    options.documents = 1 + random() % 100;
    options.terms = 100;
    options.largest_frequency = seed % 2 == 0 ? 5 : 500;  // positions of one posting that take most of a block
    SampleRun whole = make_source(seed, options);
    add_positions(whole, seed);
    const Runs merged = merge_passes(cut(whole, 1 + random() % 30, random), 1, random);
    SampleRun found = read_sample_run(*merged.front().file);
    ASSERT_EQ(found.terms, whole.terms);
  }
}

// A posting whose positions take many blocks.
TEST_F(RunMerge, CutsAPostingThatIsLargerThanABlock) {
  options_.positions = true;
  SampleRun whole;
  whole.documents.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    SamplePosting& posting = whole.terms["word"].emplace_back(SamplePosting{i, 0});
    for (std::uint32_t position = 7; position < 1000000; position += 1 + position % 200) {
      posting.positions.push_back(position);
      ++posting.frequency;
    }
    whole.documents[i].length = posting.frequency;
  }
  RunMergeOptions options;
  options.block_bytes = 1 << 20;
  SampleWriting writing{{}, 1 << 20};
  writing.identity.job = options_.job();
  writing.identity.has_positions = true;
  Runs runs;
  runs.push_back(hold([&](WritableFile& file) { write_sample_run(whole, writing, file); }));
  options.block_bytes = kMinRunBlockBytes;
  Runs cut;
  cut.push_back(hold([&](WritableFile& file) { merge_runs(inputs(runs), file, options); }));
  EXPECT_GT(cut.front().reader->summary().entry_count, 3u);
  EXPECT_LE(cut.front().reader->block_bytes(), kMinRunBlockBytes);
  EXPECT_EQ(cut.front().reader->summary().sum, runs.front().reader->summary().sum);
  EXPECT_EQ(read_sample_run(*cut.front().file), whole);
}

// The footer counts one posting more than the run holds. A merge in one range notices it at the end of the range; with
// several ranges, each range is correct, and only the totals show it.
TEST_F(RunMerge, RefusesARunThatLacksAPosting) {
  for (const bool positions : {false, true}) {
    options_.positions = positions;
    std::mt19937_64 random(9);
    SampleRun whole = make_source(9, {.documents = 300, .terms = 2000});
    if (positions) add_positions(whole, 9);
    Runs runs = cut(whole, 4, random);
    RunForger forger(all_bytes(*runs[1].file));
    const std::size_t at = forger.footer_offset() + run_layout::kPostingCountAt;
    store_le(forger.bytes().data() + at, runs[1].reader->summary().posting_count + 1);
    forger.seal_footer();
    runs[1] = hold([&](WritableFile& file) { file.append(forger.bytes()); });
    for (const unsigned threads : {1U, 3U}) {
      RunMergeOptions options;
      options.block_bytes = kMinRunBlockBytes;
      options.threads = threads;
      const std::string refusal = refusal_of(runs, options);
      EXPECT_NE(refusal.find(runs[1].file->path()), std::string::npos) << refusal;
      EXPECT_NE(refusal.find("postings"), std::string::npos) << refusal;
    }
  }
}

// An error in the thread that reads documents ends the other threads, and the merge throws it.
TEST_F(RunMerge, RefusesDamagedDocumentsBesideLists) {
  std::mt19937_64 random(10);
  Runs runs = cut(make_source(10, {.documents = 3000, .terms = 4000}), 4, random);
  std::vector<std::uint8_t> bytes = all_bytes(*runs[2].file);
  bytes[run_layout::kHeaderBytes + run_layout::kBlockHeaderBytes + 100] ^= 1;
  runs[2] = hold([&](WritableFile& file) { file.append(bytes); });
  RunMergeOptions options;
  options.block_bytes = kMinRunBlockBytes;
  options.documents_beside = true;
  for (const unsigned threads : {1U, 4U}) {
    options.threads = threads;
    const std::string refusal = refusal_of(runs, options);
    EXPECT_NE(refusal.find("checksum"), std::string::npos) << refusal;
  }
}

// Entries with valid checksums whose heads state wrong documents.
class ForgedInput final : public MergeInput {
 public:
  enum class Ends { kTold, kNotTold };  // of terms
  ForgedInput(std::vector<RunEntry> entries, RunSummary summary, Ends ends)
      : entries_(std::move(entries)), summary_(summary), ends_(ends) {}
  const RunIdentity& identity() const override { return identity_; }
  const RunSummary& summary() const override { return summary_; }
  std::vector<TermSample> term_samples() const override { return {}; }
  std::unique_ptr<TermCursor> terms(std::string, std::string) const override {
    return std::make_unique<Terms>(entries_, ends_);
  }
  std::unique_ptr<DocumentCursor> documents() const override { return std::make_unique<Documents>(summary_); }
  std::string name() const override { return "forged"; }

 private:
  class Terms final : public TermCursor {
   public:
    Terms(const std::vector<RunEntry>& entries, Ends ends) : entries_(entries), ends_(ends) {}
    bool next() override { return ++at_ <= entries_.size(); }
    const RunEntry& entry() const override { return entries_[at_ - 1]; }
    bool ends_term() const override {
      return ends_ == Ends::kTold && (at_ == entries_.size() || entries_[at_].term != entry().term);
    }

   private:
    const std::vector<RunEntry>& entries_;
    const Ends ends_;
    std::size_t at_ = 0;
  };
  class Documents final : public DocumentCursor {
   public:
    explicit Documents(const RunSummary& summary) : summary_(summary) {}
    bool next() override {
      document_.length = at_ == 0 ? static_cast<std::uint32_t>(summary_.occurrence_count) : 0;
      return ++at_ <= summary_.document_count;
    }
    const RunDocument& document() const override { return document_; }

   private:
    const RunSummary& summary_;
    std::uint64_t at_ = 0;
    RunDocument document_;
  };
  std::vector<RunEntry> entries_;
  RunSummary summary_;
  const Ends ends_;
  RunIdentity identity_;
};

TEST_F(RunMerge, RefusesEntriesThatDoNotAscend) {
  const auto bytes = encode_postings({{3, 1}, {5, 2}});
  RunEntry good{"t", 2, 3, 5, bytes, {}, {}}, far = good, low = good, other = good;
  other.term = "u";
  far.last_document = 10;
  low.last_document = 2;
  RunSummary summary;
  summary.document_count = 10;
  summary.entry_count = 2;
  for (const auto ends : {ForgedInput::Ends::kTold, ForgedInput::Ends::kNotTold}) {
    const auto merged = [&](std::vector<RunEntry> entries, std::uint64_t more_postings = 0,
                            std::uint64_t more_occurrences = 0) {
      summary.posting_count = 2 * entries.size() + more_postings;
      summary.occurrence_count = 3 * entries.size() + more_occurrences;
      const ForgedInput input(std::move(entries), summary, ends);
      const MergeInput* inputs[] = {&input};
      MemoryFile out(budget_, "out");
      return merge_runs(inputs, out, {4096, 0}).posting_count;
    };
    EXPECT_EQ(merged({good}), 2u);
    EXPECT_EQ(merged({good, other}), 4u);
    EXPECT_THROW(merged({far}), FormatError);
    EXPECT_THROW(merged({low}), FormatError);
    EXPECT_THROW(merged({good, good}), FormatError);
    EXPECT_THROW(merged({good}, 1), FormatError);
    EXPECT_THROW(merged({good}, 0, 1), FormatError);
  }
}

}  // namespace
}  // namespace spillway::testing
