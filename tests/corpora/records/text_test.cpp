#include "corpora/records/text.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "io/file/posix_file_system.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadSetup text_setup(std::size_t buffer_bytes = std::size_t{1} << 20) {
  return setup_of(CorpusFormat::kText, buffer_bytes);
}

TEST(TextRecords, AFileIsADocument) {
  const auto result = read_input("\xEF\xBB\xBFone\ntwo\r\n", text_setup());
  ASSERT_EQ(result.documents.size(), 1u);
  EXPECT_EQ(result.documents[0].id, "input");
  EXPECT_EQ(result.documents[0].text, "one\ntwo\r\n");
  EXPECT_FALSE(result.documents[0].has_title);
  EXPECT_FALSE(result.documents[0].repaired);
}

TEST(TextRecords, AnEmptyFileIsNone) {
  EXPECT_TRUE(read_input("", text_setup()).documents.empty());
  EXPECT_TRUE(read_input("").documents.empty());
  EXPECT_TRUE(read_input(gzip_member(""), text_setup()).documents.empty());
}

TEST(TextRecords, NulNearTheStartMeansBinary) {
  const auto binary = read_input(std::string(65535, 'x') + std::string(1, '\0') + "y");
  EXPECT_TRUE(binary.documents.empty());
  EXPECT_EQ(binary.reasons(), std::vector<SkipReason>{SkipReason::kBinary});
  const std::string text = std::string(65536, 'x') + std::string(1, '\0') + "y";
  for (const std::size_t buffer_bytes : {64u, 1u << 20})
    EXPECT_EQ(read_input(text, text_setup(buffer_bytes)).texts(), std::vector<std::string>{text});
  for (const auto& packed : {gzip_member(text), zstd_frame(text)}) {
    for (const std::size_t buffer_bytes : {64u, 1u << 20})
      EXPECT_EQ(read_input(packed, text_setup(buffer_bytes)).texts(), std::vector<std::string>{text});
  }
  EXPECT_EQ(read_input(gzip_member(std::string("a\0b", 3))).reasons(), std::vector<SkipReason>{SkipReason::kBinary});
  EXPECT_EQ(read_input(gzip_member(std::string("a\0b", 3)), text_setup()).reasons(),
            std::vector<SkipReason>{SkipReason::kBinary});
}

TEST(TextRecords, LongFilesAreRepairedWhileTheyStream) {
  std::string bytes, expected;
  for (int i = 0; i < 1000; ++i) {
    bytes += "word \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 ";
    expected += "word \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 ";
    if (i % 100 == 50) bytes += "\xE2\x82", expected += "\xEF\xBF\xBD";
  }
  for (const std::string& stored : {bytes, gzip_member(bytes), zstd_frame(bytes)}) {
    for (const std::size_t buffer_bytes : {64u, 65u, 66u, 67u, 1000u, 1u << 20}) {
      const auto result = read_input(stored, text_setup(buffer_bytes));
      ASSERT_EQ(result.texts(), std::vector<std::string>{expected}) << buffer_bytes;
      EXPECT_TRUE(result.documents[0].repaired);
    }
  }
}

TEST(TextRecords, TooLongOnesAreSkipped) {
  for (const std::size_t buffer_bytes : {64u, 1u << 20}) {
    for (const std::size_t bytes : {100u, 101u, (1u << 20) + 500u}) {
      ReadSetup setup = text_setup(buffer_bytes);
      setup.options.max_document_bytes = 100;
      const std::string text(bytes, 'x');
      for (const std::string& stored : {text, gzip_member(text)}) {
        const auto result = read_input(stored, setup);
        EXPECT_EQ(result.documents.size(), bytes == 100 ? 1u : 0u);
        EXPECT_EQ(result.reasons(), std::vector<SkipReason>(bytes == 100 ? 0 : 1, SkipReason::kDocumentTooLong));
      }
    }
  }
}

TEST(TextRecords, IdsAreRepaired) {
  const ScratchDirectory directory;
  write_input(directory / "a\xFF", "text");
  const auto result = read_corpus({directory.path()});
  EXPECT_EQ(result.ids(), std::vector<std::string>{"a\xEF\xBF\xBD"});
  EXPECT_TRUE(result.documents[0].repaired);
}

TEST(TextRecords, SmallFilesShareTasks) {
  const ScratchDirectory directory;
  for (int i = 0; i < 300; ++i) write_input(directory / std::to_string(1000 + i), "text " + std::to_string(i));
  const CorpusPlan plan = plan_corpus(posix_file_system(), {directory.path()}, {});
  MemoryBudget budget(1 << 24);
  TempSpace temp(posix_file_system(), {}, directory.path(), 0);
  const CorpusOptions options;
  CorpusReader reader({posix_file_system(), plan, options, {1000, 1 << 16, 1}}, budget, temp);
  CorpusTask task;
  int tasks = 0;
  while (reader.next(task)) ++tasks;
  EXPECT_GT(tasks, 1);
  EXPECT_LT(tasks, 10);
  const auto result = read_corpus({directory.path()}, setup_of(CorpusFormat::kAuto, 1 << 16, 4, 100));
  ASSERT_EQ(result.documents.size(), 300u);
  EXPECT_EQ(result.documents[299].text, "text 299");
}

}  // namespace
}  // namespace spillway
