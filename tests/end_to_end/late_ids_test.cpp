// Tests that jobs that sort ids beside lists and documents give the index of those that sort them first.
#include <gtest/gtest.h>

#include "indexer/record/job_recorder.hpp"
#include "io/base/error.hpp"
#include "tests/end_to_end/same_bytes.hpp"

namespace spillway {
namespace {

using testing::run_job;
using testing::same_index;
namespace fs = std::filesystem;

// Whether the sort of ids had a time of its own, after duplicates were searched.
enum class Sorted : std::uint8_t { kFirst, kLater };

class LateIds : public testing::SameBytes {
 protected:
  IndexOptions on_threads(unsigned threads) const {
    IndexOptions options = job({scratch_ / "in"});
    options.threads = threads;
    options.memory_bytes = testing::tight_memory(2000);
    return options;
  }

  static Sorted run_recorded(const IndexOptions& options, IndexReport& report) {
    JobRecorder recorder;
    std::atomic<int> signal_number{0};
    IndexProgress progress;
    const auto ignore = [](const std::string&) {};
    run_index(options,
              {.files = posix_file_system(),
               .signal_number = signal_number,
               .progress = progress,
               .warn = ignore,
               .say = ignore,
               .recorder = &recorder},
              report);
    std::size_t spans = 0;
    for (const Timeline::Lane& lane : recorder.record().lanes) {
      if (lane.stage == JobStage::kIds) spans += lane.spans.size();
    }
    EXPECT_TRUE(spans == 1 || spans == 2) << spans;
    return spans == 2 ? Sorted::kLater : Sorted::kFirst;
  }

  // The expected index is that of one thread.
  void expect_same_on_many_threads(Sorted sorted) {
    for (const unsigned threads : {2U, 16U}) {
      const IndexOptions options = on_threads(threads);
      IndexReport report;
      const Sorted found = run_recorded(options, report);
      EXPECT_EQ(found, threads == 16 ? sorted : Sorted::kFirst) << threads;
      EXPECT_TRUE(same_index(expected_, options.output)) << threads;
      EXPECT_EQ(report.documents, report_.documents);
      EXPECT_EQ(report.skipped, report_.skipped);
      fs::remove_all(options.output);
    }
  }
};

TEST_F(LateIds, GiveTheSameBytesUnderEveryPolicy) {
  for (const DuplicateIds policy : {DuplicateIds::kFirst, DuplicateIds::kKeep, DuplicateIds::kFail}) {
    SCOPED_TRACE(static_cast<int>(policy));
    content_options_.duplicate_ids = policy;
    set_random_corpus(31, 1000, false);
    expect_same_on_many_threads(Sorted::kLater);
    if (policy == DuplicateIds::kFail) continue;
    set_random_corpus(32, 1000, true);
    expect_same_on_many_threads(policy == DuplicateIds::kKeep ? Sorted::kLater : Sorted::kFirst);
  }
}

TEST_F(LateIds, GiveTheSameErrorForADuplicate) {
  set_random_corpus(33, 1000, true);
  std::string expected;
  for (const unsigned threads : {1U, 16U}) {
    IndexOptions options = on_threads(threads);
    options.content.duplicate_ids = DuplicateIds::kFail;
    try {
      run_job(options);
      FAIL() << threads;
    } catch (const InputError& error) {
      if (expected.empty()) expected = error.what();
      EXPECT_EQ(error.what(), expected);
    }
    EXPECT_FALSE(fs::exists(options.output));
  }
}

TEST_F(LateIds, GiveTheSameBytesWithoutRepeatedDocuments) {
  for (const Dedup dedup : {Dedup::kUrl, Dedup::kExact}) {
    testing::RandomDocuments shape;
    shape.count = 1000;
    documents_ = testing::random_corpus(34, shape, false);
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      documents_[i].url = "http://host/" + std::to_string(i % 700);
      if (i % 3 == 1) documents_[i].title = documents_[i - 1].title, documents_[i].text = documents_[i - 1].text;
      if (i % 7 == 1) documents_[i].id.clear();
    }
    dedup_ = dedup;
    std::string content = testing::jsonl_of(documents_);
    for (std::size_t at; (at = content.find("\"id\":\"\",")) != std::string::npos;) content.erase(at, 8);
    set_corpus(content, CorpusFormat::kJsonl);
    EXPECT_LT(report_.documents, documents_.size());
    expect_same_on_many_threads(Sorted::kLater);
  }
}

TEST_F(LateIds, GiveTheSameBytesForKnownIds) {
  set_random_corpus(35, 600, true);
  testing::RandomDocuments shape;
  shape.count = 600;
  testing::Documents more = testing::random_corpus(36, shape, true);
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (i % 5 != 0) more[i].id += "-more";
  }
  testing::write_bytes(scratch_ / "more", testing::jsonl_of(more));
  for (const KnownIds known : {KnownIds::kSkip, KnownIds::kReplace}) {
    std::map<std::string, std::string> expected;
    for (const unsigned threads : {1U, 16U}) {
      IndexOptions options = on_threads(threads);
      run_job(options);
      options.inputs = {scratch_ / "more"};
      options.append = known;
      options.force = true;
      run_job(options);
      if (expected.empty()) expected = testing::bytes_of(options.output);
      EXPECT_TRUE(same_index(expected, options.output)) << threads;
      fs::remove_all(options.output);
    }
  }
}

}  // namespace
}  // namespace spillway
