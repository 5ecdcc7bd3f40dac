#include "corpora/records/tsv.hpp"

#include <gtest/gtest.h>

#include <random>

#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/reader/read_corpus.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

ReadResult read_tsv(std::string_view bytes) { return read_input(bytes, setup_of(CorpusFormat::kTsv)); }

TEST(TsvRecords, HaveTwoOrThreeColumns) {
  const auto result = read_tsv("1\tone\r\n2\ttitle\ttwo \r\n3\t\t\n4\tlast\r");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "2", "3", "4"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two ", "", "last\r"}));
  EXPECT_FALSE(result.documents[0].has_title);
  EXPECT_EQ(result.documents[1].title, "title");
  EXPECT_EQ(result.documents[1].offset, 7u);
  EXPECT_TRUE(result.skips.empty());
}

TEST(TsvRecords, AreSkippedWithTheReason) {
  const auto result = read_input(std::string_view("words\n\n\tno id\na\tb\tc\td\nx\ty\0z\n1\tgood\n", 35),
                                 setup_of(CorpusFormat::kTsv));
  EXPECT_EQ(result.ids(), std::vector<std::string>{"1"});
  EXPECT_EQ(result.reasons(),
            (std::vector<SkipReason>{SkipReason::kBadColumns, SkipReason::kBadColumns, SkipReason::kMissingId,
                                     SkipReason::kBadColumns, SkipReason::kBadColumns}));
  EXPECT_EQ(result.skips[0].detail, "expected 2 or 3 columns with tabs between them, found 1");
  EXPECT_EQ(result.skips[4].offset, 25u);
  EXPECT_EQ(read_tsv(std::string(65536, 'i') + "\ttext").reasons(), std::vector<SkipReason>{SkipReason::kIdTooLong});
}

TEST(TsvRecords, FollowTheColumnsGiven) {
  ReadSetup setup = setup_of(CorpusFormat::kTsv);
  setup.options.tsv_fields = {{"3"}, {"1"}, {"5"}, {"2"}, {"4"}};
  const auto result = read_input("title\turl\tid\tdate\ttext\tmore\nt\tu\ti\td\n", setup);
  ASSERT_EQ(result.documents.size(), 1u);
  const ReadDocument& document = result.documents[0];
  EXPECT_EQ(document.id, "id");
  EXPECT_EQ(document.title, "title");
  EXPECT_EQ(document.text, "text");
  EXPECT_EQ(document.url, "url");
  EXPECT_EQ(document.date, "date");
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kBadColumns});
}

TEST(TsvRecords, ColumnsThatCannotBeAreRefused) {
  EXPECT_NO_THROW(check_tsv_fields({{}, {}, {}, {}, {}}));
  EXPECT_NO_THROW(check_tsv_fields({{"1"}, {}, {"100"}, {}, {}}));
  EXPECT_THROW(check_tsv_fields({{"id"}, {}, {"2"}, {}, {}}), UsageError);
  EXPECT_THROW(check_tsv_fields({{"0"}, {}, {"2"}, {}, {}}), UsageError);
  EXPECT_THROW(check_tsv_fields({{"01"}, {}, {"2"}, {}, {}}), UsageError);
  EXPECT_THROW(check_tsv_fields({{"101"}, {}, {"2"}, {}, {}}), UsageError);
  EXPECT_THROW(check_tsv_fields({{"1"}, {}, {}, {}, {}}), UsageError);
  EXPECT_THROW(check_tsv_fields({{}, {}, {"2"}, {}, {}}), UsageError);
}

TEST(TsvRecords, RepairBrokenUtf8) {
  const auto result = read_tsv("\xFF\t\xC3\n2\t\xC3\xA9\n");
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"\uFFFD", "2"}));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"\uFFFD", "\u00E9"}));
  EXPECT_TRUE(result.documents[0].repaired);
  EXPECT_FALSE(result.documents[1].repaired);
}

TEST(TsvRecords, SkipWhatIsTooLong) {
  ReadSetup setup = setup_of(CorpusFormat::kTsv, 64);
  setup.options.max_document_bytes = 100;
  const auto result = read_input("1\t" + std::string(100, 'x') + "\n2\t" + std::string(101, 'x') + "\n3\tx", setup);
  EXPECT_EQ(result.ids(), (std::vector<std::string>{"1", "3"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kDocumentTooLong});
}

TEST(TsvRecords, AreNotRecognised) { EXPECT_EQ(read_input("1\tone\n").ids(), std::vector<std::string>{"input"}); }

TEST(TsvRecords, EveryCuttingGivesTheSame) {
  std::mt19937_64 random(9);
  for (int round = 0; round < 25; ++round) {
    std::string bytes = random() % 3 == 0 ? "\xEF\xBB\xBF" : "";
    for (auto i = random() % 15; i > 0; --i) {
      for (auto columns = random() % 5; columns > 0; --columns) {
        for (auto length = random() % (random() % 4 == 0 ? 200 : 10); length > 0; --length) {
          bytes += "abc \xC3\xA9\xFF\r"[random() % 8];
        }
        bytes += '\t';
      }
      bytes += random() % 3 == 0 ? "\r\n" : "x\n";
    }
    const auto whole = read_tsv(bytes);
    for (const std::size_t buffer_bytes : {64u, 100u, 1u << 16}) {
      for (const std::size_t task : {1u, 5u, 64u, 1000u}) {
        expect_same_documents(read_input(bytes, setup_of(CorpusFormat::kTsv, buffer_bytes, 2, task)), whole);
      }
      expect_same_documents(read_input(gzip_member(bytes), setup_of(CorpusFormat::kTsv, buffer_bytes, 2)), whole);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace spillway
