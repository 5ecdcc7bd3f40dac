// Whole jobs against a std::map oracle: every term, posting, length and stored field that the index hands out.
#include <gtest/gtest.h>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/end_to_end/indexing.hpp"
#include "tests/support/corpora_path.hpp"

namespace spillway {
namespace {

using testing::Documents;
using testing::expect_equals_oracle;
using testing::index_job;
using testing::random_corpus;
using testing::RandomDocuments;
using testing::run_job;
using testing::ScratchDirectory;
using testing::write_bytes;

ContentOptions random_content(std::mt19937_64& random) {
  ContentOptions content;
  content.tokenizer = random() % 2 == 0 ? Tokenizer::kUnicode : Tokenizer::kAscii;
  content.stop_words = random() % 2 == 0 ? "ed\nking\nni\nx2\n" : "";
  content.stemmer = std::array{"none", "porter", "english"}[random() % 3];
  content.max_term_bytes = std::array{255U, 6U, 65535U}[random() % 3];
  content.positions = random() % 2 == 0;
  content.store = random() % 3 == 0 ? StorePolicy::kNone : StorePolicy::kMeta;
  return content;
}

TEST(Oracle, AgreesWithIndexesOfRandomDocuments) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    RandomDocuments shape;
    shape.count = random() % 80;
    shape.longest_token_bytes = random() % 4 == 0 ? 70000 : 300;
    const bool duplicates = random() % 2 == 0;
    const Documents documents = random_corpus(seed, shape, duplicates);
    const ScratchDirectory scratch;
    write_bytes(scratch / "in.jsonl", testing::jsonl_of(documents));
    IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / "index");
    options.content = random_content(random);
    options.block_bytes = random() % 2 == 0 ? 0 : 500 + random() % 20000;
    options.threads = 1 + static_cast<unsigned>(random() % 4);
    options.record_sorter = std::array{"auto", "cpu-radix", "cpu-quick"}[random() % 3];
    const IndexReport report = run_job(options);
    const Documents kept = testing::without_duplicates(documents);
    expect_equals_oracle(scratch / "index", kept, options.content);
    EXPECT_EQ(report.records_in, documents.size());
    EXPECT_EQ(report.documents, kept.size());
    if (HasFatalFailure()) return;
  }
}

// Documents that are cut over chunks, blocks and runs, stop words among their tokens; some are dropped.
TEST(Oracle, AgreesAboutPositionsOfLongDocuments) {
  for (const char* sorter : {"cpu-chunk", "cpu-radix", "cpu-quick"}) {
    for (const std::uint64_t block_bytes : {0, 200, 3000, 100000}) {
      SCOPED_TRACE(sorter + std::string(" ") + std::to_string(block_bytes));
      RandomDocuments shape;
      shape.count = 12;
      shape.long_document_words = 20000;
      const Documents documents = random_corpus(77, shape, true);
      const ScratchDirectory scratch;
      write_bytes(scratch / "in.jsonl", testing::jsonl_of(documents));
      IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / "index");
      options.content.positions = true;
      options.content.stop_words = "ed\nking\nni\nx2\n";
      options.content.max_term_bytes = 12;
      options.record_sorter = sorter;
      options.block_bytes = block_bytes;
      run_job(options);
      expect_equals_oracle(scratch / "index", testing::without_duplicates(documents), options.content);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Oracle, AgreesWithIndexesOfLines) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomDocuments shape;
    shape.count = 200;
    shape.words = 12;
    const Documents documents = testing::as_lines(testing::random_documents(seed, shape));
    const ScratchDirectory scratch;
    std::string text = testing::lines_of(documents);
    if (seed % 2 == 0 && !documents.back().text.empty()) text.pop_back();  // no end of line at the end
    write_bytes(scratch / "in.txt", text);
    IndexOptions options = index_job({scratch / "in.txt"}, scratch / "index");
    options.corpus.format = CorpusFormat::kLines;
    options.block_bytes = seed % 3 == 0 ? 2000 : 0;
    run_job(options);
    expect_equals_oracle(scratch / "index", documents, options.content);
    if (HasFatalFailure()) return;
  }
}

TEST(Oracle, AgreesWithIndexesOfADirectoryOfTexts) {
  RandomDocuments shape;
  shape.count = 60;
  Documents documents = testing::random_documents(1, shape);
  const ScratchDirectory scratch;
  std::filesystem::create_directories(scratch / "in/sub");
  for (std::size_t i = 0; i < documents.size(); ++i) {
    testing::OracleDocument& document = documents[i];
    document = {(i % 3 == 0 ? "sub/" : "") + std::string("text") + std::to_string(100 + i), "", "", "",
                document.text + "."};
    std::erase(document.text, '\x01');
    write_bytes(scratch / "in" + "/" + document.id, document.text);
  }
  std::sort(documents.begin(), documents.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  run_job(index_job({scratch / "in"}, scratch / "index"));
  expect_equals_oracle(scratch / "index", documents, ContentOptions{});
}

TEST(Oracle, AgreesAboutDuplicateIds) {
  RandomDocuments shape;
  shape.count = 150;
  shape.words = 10;
  shape.long_document_words = 40;
  const Documents documents = random_corpus(5, shape, true);
  const Documents kept = testing::without_duplicates(documents);
  ASSERT_LT(kept.size(), documents.size());
  const ScratchDirectory scratch;
  write_bytes(scratch / "in.jsonl", testing::jsonl_of(documents));
  for (const std::uint64_t block_bytes : {0, 3000}) {
    IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / "first");
    options.block_bytes = block_bytes;
    options.force = true;
    const IndexReport report = run_job(options);
    expect_equals_oracle(scratch / "first", kept, options.content);
    EXPECT_EQ(report.records_in, documents.size());
    ASSERT_EQ(report.skipped.size(), 1U);
    EXPECT_EQ(report.skipped[0], std::pair(SkipReason::kDuplicateId, std::uint64_t{documents.size() - kept.size()}));

    options.output = scratch / "keep";
    options.content.duplicate_ids = DuplicateIds::kKeep;
    run_job(options);
    expect_equals_oracle(scratch / "keep", documents, options.content);
    const IndexReader index(posix_file_system(), scratch / "keep");
    for (const auto& document : documents) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < documents.size(); ++i) {
        if (documents[i].id == document.id) expected.push_back(i);
      }
      ASSERT_EQ(index.find_documents(document.id), expected);
    }

    options.output = scratch / "fail";
    options.content.duplicate_ids = DuplicateIds::kFail;
    EXPECT_THROW(run_job(options), InputError);
    EXPECT_FALSE(std::filesystem::exists(scratch / "fail"));
    EXPECT_FALSE(std::filesystem::exists(scratch / "fail.work"));
  }
}

TEST(Oracle, CountsDuplicatesAgainstTheErrorRate) {
  Documents documents(100);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i].id = std::to_string(i / 2);
  const ScratchDirectory scratch;
  write_bytes(scratch / "in.jsonl", testing::jsonl_of(documents));
  IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / "index");
  options.max_error_rate = 0.49;
  EXPECT_THROW(run_job(options), InputError);
  EXPECT_FALSE(std::filesystem::exists(scratch / "index"));
  options.max_error_rate = 0.5;
  run_job(options);
  expect_equals_oracle(scratch / "index", testing::without_duplicates(documents), {});
}

TEST(Oracle, AgreesOnNothing) {
  const ScratchDirectory scratch;
  write_bytes(scratch / "in.jsonl", "");
  IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / "index");
  options.corpus.format = CorpusFormat::kJsonl;
  const IndexReport report = run_job(options);
  EXPECT_EQ(report.records_in, 0U);
  expect_equals_oracle(scratch / "index", {}, {});
}

TEST(Oracle, AgreesOnDocumentsWithoutWords) {
  Documents documents(50);
  for (std::size_t i = 0; i < documents.size(); ++i)
    documents[i] = {std::to_string(i), "", "", "", i % 2 == 0 ? "" : "- ."};
  const ScratchDirectory scratch;
  write_bytes(scratch / "in.jsonl", testing::jsonl_of(documents));
  for (const std::uint64_t block_bytes : {0, 100}) {
    IndexOptions options = index_job({scratch / "in.jsonl"}, scratch / ("index" + std::to_string(block_bytes)));
    options.block_bytes = block_bytes;
    run_job(options);
    expect_equals_oracle(options.output, documents, {});
  }
}

class RealCorpora : public ::testing::TestWithParam<const char*> {};

void index_and_compare(const std::string& path, ContentOptions content) {
  content.positions = true;
  const ScratchDirectory scratch;
  IndexOptions options = index_job({path}, scratch / "index");
  options.memory_bytes = testing::tight_memory(700);  // windows of 128 MiB
  options.content = content;
  options.block_bytes = std::uint64_t{1} << 20;
  run_job(options);
  const Documents documents = testing::parse_jsonl(testing::unpack_zstd(path));
  expect_equals_oracle(scratch / "index", testing::without_duplicates(documents), content);
}

TEST_P(RealCorpora, AgreeWithTheOracle) {
  const auto corpora = SPILLWAY_CORPORA_OR_SKIP();
  index_and_compare(corpora + "/" + GetParam(), {});
}

std::string name_of_corpus(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name;
  for (const char c : std::string(tested.param)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Small, RealCorpora,
                         ::testing::Values("retrieval/adi/docs.jsonl.zst", "retrieval/cranfield/docs.jsonl.zst",
                                           "text/pkgdesc_zh_CN.jsonl.zst"),
                         name_of_corpus);
INSTANTIATE_TEST_SUITE_P(Slow, RealCorpora,
                         ::testing::Values("retrieval/scifact/docs.jsonl.zst", "retrieval/vaswani/docs.jsonl.zst",
                                           "retrieval/cacm/docs.jsonl.zst", "retrieval/cisi/docs.jsonl.zst",
                                           "retrieval/med/docs.jsonl.zst", "text/pkgdesc_ja.jsonl.zst",
                                           "text/pkgdesc_ko.jsonl.zst", "text/pkgdesc_ru.jsonl.zst",
                                           "text/pkgdesc_de.jsonl.zst"),
                         name_of_corpus);

}  // namespace
}  // namespace spillway
