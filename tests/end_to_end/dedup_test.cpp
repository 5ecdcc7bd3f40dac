// --dedup: which documents are left out, and that resources, modes, files, parts and interruptions do not change it.
#include <random>
#include <unordered_set>

#include "io/index/reader.hpp"
#include "tests/end_to_end/same_bytes.hpp"
#include "tests/support/few_descriptors.hpp"

namespace spillway {
namespace {

using testing::Documents;
using testing::run_job;
using testing::same_index;
using testing::write_bytes;
namespace fs = std::filesystem;

class DedupTest : public testing::SameBytes, public ::testing::WithParamInterface<Dedup> {
 protected:
  DedupTest() { dedup_ = GetParam(); }

  // About every second document has a URL, and every third the text or the URL of another.
  void set_documents(std::uint64_t seed, std::size_t count) {
    testing::RandomDocuments shape;
    shape.count = count;
    shape.words = 50;
    shape.long_document_words = 1500;
    documents_ = testing::random_corpus(seed, shape, false);
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      auto& document = documents_[i];
      document.url = random() % 2 == 0 ? "" : "http://host/" + std::to_string(random() % count / 2);
      const auto& other = documents_[random() % (i + 1)];
      if (random() % 3 == 0) document.title = other.title;
      if (random() % 2 == 0) continue;
      document.title = other.title;
      document.text = other.text;
    }
    content_ = testing::jsonl_of(documents_);
    write_bytes(scratch_ / "in", content_);
  }

  // Indexes on one thread, and checks which documents are left.
  void make_reference() {
    reference_ = job({scratch_ / "in"});
    reference_.threads = 1;
    reference_.mode = IndexMode::kCpu;
    report_ = run_job(reference_);
    expected_ = testing::bytes_of(reference_.output);
    const Documents kept = first_of_each();
    EXPECT_LT(kept.size(), documents_.size());
    EXPECT_EQ(ids_of(reference_.output), ids(kept));
    EXPECT_EQ(report_.documents, kept.size());
    EXPECT_EQ(report_.records_in, documents_.size());
    ASSERT_EQ(report_.skipped.size(), 1U);
    const SkipReason reason = dedup_ == Dedup::kUrl ? SkipReason::kDuplicateUrl : SkipReason::kDuplicateText;
    EXPECT_EQ(report_.skipped[0], std::pair(reason, documents_.size() - kept.size()));
    fs::remove_all(reference_.output);
  }

  Documents first_of_each() const {
    Documents kept;
    std::unordered_set<std::string> seen;
    for (const auto& document : documents_) {
      const std::string value = dedup_ == Dedup::kUrl ? document.url : document.title + '\0' + document.text;
      if (value.empty() || seen.insert(value).second) kept.push_back(document);
    }
    return kept;
  }

  static std::vector<std::string> ids(const Documents& documents) {
    std::vector<std::string> found;
    for (const auto& document : documents) found.push_back(document.id);
    return found;
  }

  static std::vector<std::string> ids_of(const std::string& path) {
    const IndexReader index(posix_file_system(), path);
    verify_index(index);
    std::vector<std::string> found;
    for (std::uint32_t i = 0; i < index.counts().documents; ++i) found.emplace_back(index.document(i).id);
    return found;
  }
};
INSTANTIATE_TEST_SUITE_P(, DedupTest, ::testing::Values(Dedup::kExact, Dedup::kUrl),
                         [](const auto& tested) { return dedup_names()[static_cast<std::size_t>(tested.param)]; });

TEST_P(DedupTest, KeepsTheFirstDocumentForAnyThreadsMemoryAndMode) {
  set_documents(1, 300);
  make_reference();
  for (unsigned threads = 1; threads <= 8; ++threads) {
    for (const IndexMode mode : {IndexMode::kCpu, IndexMode::kCpuPlus}) {
      IndexOptions options = job({scratch_ / "in"});
      options.threads = threads;
      options.mode = mode;
      options.memory_bytes = testing::tight_memory(threads % 3 == 0 ? 1000 : 64);
      options.block_bytes = threads % 2 == 0 ? 5000 : 0;
      options.record_sorter = threads % 4 == 0 ? "cpu-radix" : "auto";
      SCOPED_TRACE(threads);
      expect_same(options);
    }
  }
}

TEST_P(DedupTest, KeepsTheFirstDocumentOverFilesAndPasses) {
  set_documents(2, 400);
  make_reference();
  fs::create_directory(scratch_ / "files");
  for (std::size_t i = 0; i < documents_.size(); ++i) {
    write_bytes(scratch_ / ("files/" + std::to_string(1000 + i)), testing::jsonl_line(documents_[i]));
  }
  const testing::FewDescriptors few(110);
  for (const unsigned threads : {1U, 5U}) {
    IndexOptions options = job({scratch_ / "files"});
    options.threads = threads;
    options.block_bytes = 300;
    options.record_sorter = "cpu-radix";
    options.memory_bytes = std::max<std::uint64_t>(testing::tight_memory(48), 64 << 20);
    EXPECT_GE(expect_same(options).merge_passes, 2U);
  }
}

TEST_P(DedupTest, WorksOnLongDocumentsThatAreCutBetweenRuns) {
  set_documents(3, 20);
  std::string words;
  for (int i = 0; i < 20000; ++i) words += " word" + std::to_string(i % 3001);
  for (auto& document : documents_) document.text += words;
  write_bytes(scratch_ / "in", testing::jsonl_of(documents_));
  make_reference();
  for (const char* const sorter : {"cpu-chunk", "cpu-radix"}) {
    IndexOptions options = job({scratch_ / "in"});
    options.block_bytes = 3000;
    options.record_sorter = sorter;
    EXPECT_GT(expect_same(options).runs, 20U);
  }
}

// Without the hash of its title and text, an index is what it is without --dedup.
TEST(DedupOfTexts, LeavesNoTraceInAnIndexOfDistinctDocuments) {
  const testing::ScratchDirectory scratch;
  write_bytes(scratch / "in", "{\"id\":\"1\",\"title\":\"a\",\"text\":\"b\"}\n{\"id\":\"2\",\"text\":\"ab\"}\n");
  IndexOptions options = testing::index_job({scratch / "in"}, scratch / "plain");
  run_job(options);
  options.output = scratch / "dedup";
  options.dedup = Dedup::kExact;
  EXPECT_EQ(run_job(options).documents, 2U) << "a title is no part of a text";
  EXPECT_TRUE(same_index(testing::bytes_of(scratch / "plain"), options.output));
}

// Documents of --format lines have neither ids nor fields.
TEST(DedupOfTexts, DropsLinesAndNumbersTheRest) {
  const testing::ScratchDirectory scratch;
  write_bytes(scratch / "in", "one\n\ntwo\none\n\nthree\n");
  IndexOptions options = testing::index_job({scratch / "in"}, scratch / "index");
  options.corpus.format = CorpusFormat::kLines;
  options.content.store = StorePolicy::kNone;
  options.dedup = Dedup::kExact;
  const IndexReport report = run_job(options);
  EXPECT_EQ(report.documents, 4U);
  EXPECT_EQ(report.records_in, 6U);
  const IndexReader index(posix_file_system(), options.output);
  verify_index(index);
  EXPECT_EQ(index.document(3).id, "4");
}

// The parts keep what only later parts repeat; merging drops it.
TEST(DedupOfMerges, DropsTheUrlsOfEarlierParts) {
  const testing::ScratchDirectory scratch;
  const auto line = [](const char* id, const char* url) {
    return std::string("{\"id\":\"") + id + "\",\"text\":\"words\",\"url\":\"" + url + "\"}\n";
  };
  write_bytes(scratch / "a", line("1", "u") + line("2", "v") + line("3", "u"));
  write_bytes(scratch / "b", line("4", "v") + line("5", "w") + line("1", "x"));
  const auto index = [&](const std::vector<std::string>& inputs, const std::string& name) {
    IndexOptions options = testing::index_job(inputs, scratch / name);
    options.corpus.format = CorpusFormat::kJsonl;
    options.dedup = Dedup::kUrl;
    run_job(options);
    return options.output;
  };
  MergeOptions options;
  options.inputs = {index({scratch / "a"}, "first"), index({scratch / "b"}, "second")};
  options.output = scratch / "merged";
  options.memory_bytes = testing::tight_memory(100);
  options.dedup = Dedup::kUrl;
  const MergeReport report = testing::run_merge_job(options);
  EXPECT_EQ(report.input_documents, 5U);
  EXPECT_EQ(report.documents, 3U);
  EXPECT_EQ(report.repeated_documents, 1U);
  EXPECT_EQ(report.duplicate_documents, 1U);
  ASSERT_EQ(report.duplicate_examples.size(), 2U);
  EXPECT_EQ(report.duplicate_examples[0].reason, SkipReason::kDuplicateUrl);
  EXPECT_EQ(report.duplicate_examples[0].detail, "URL v is that of document 1");
  EXPECT_TRUE(same_index(testing::bytes_of(index({scratch / "a", scratch / "b"}, "whole")), options.output));
}

TEST(DedupOfMerges, NeedsStoredUrls) {
  const testing::ScratchDirectory scratch;
  write_bytes(scratch / "in", "{\"id\":\"1\",\"text\":\"x\",\"url\":\"u\"}\n");
  IndexOptions job = testing::index_job({scratch / "in"}, scratch / "index");
  job.content.store = StorePolicy::kNone;
  run_job(job);
  MergeOptions options;
  options.inputs = {job.output};
  options.output = scratch / "merged";
  options.memory_bytes = testing::tight_memory(100);
  options.dedup = Dedup::kUrl;
  EXPECT_THROW(testing::run_merge_job(options), UsageError);
}

}  // namespace
}  // namespace spillway
