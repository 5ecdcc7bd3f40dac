#include "tools/search/output.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

class SearchOutputTest : public ::testing::Test {
 protected:
  SearchOutputTest() {
    sample_.options.tokenizer = Tokenizer::kAscii;
    sample_.options.store = StorePolicy::kMeta;
    sample_.documents = {{RunDocument::kId | RunDocument::kTitle, 0, "first one", "A title", "", "", ""},
                         {RunDocument::kId, 0, "second", "", "", "", ""}};
    sample_.lists["word"] = {{0, 2}, {1, 1}};
    testing::write_sample(posix_file_system(), scratch_ / "index", sample_);
    index_.emplace(posix_file_system(), scratch_ / "index");
  }

  std::string render(SearchFormat format, const std::string* id) const {
    return SearchOutput(*index_, format, "run").render({id, "a word", {{"word", 1}}, {{0, 0.5}, {1, 0.1}}}).data;
  }

  testing::ScratchDirectory scratch_;
  testing::SampleIndex sample_;
  std::optional<IndexReader> index_;
  const std::string id_ = "q 7";
};

TEST_F(SearchOutputTest, WritesTextForPeople) {
  EXPECT_EQ(render(SearchFormat::kText, nullptr), "   1     0.5000  first one  A title\n   2     0.1000  second\n");
  EXPECT_EQ(render(SearchFormat::kText, &id_),
            "query q 7: a word\n   1     0.5000  first one  A title\n   2     0.1000  second\n\n");
}

TEST_F(SearchOutputTest, TellsPeopleApartFromTheDataThatNothingMatches) {
  const SearchOutput output(*index_, SearchFormat::kText, "run");
  const RenderedAnswer of_command = output.render({nullptr, "x", {}, {}}), of_file = output.render({&id_, "x", {}, {}});
  EXPECT_EQ(of_command.data, "");
  EXPECT_EQ(of_command.words, "no document matches the query");
  EXPECT_EQ(of_file.data, "query q 7: x\n\n");
  EXPECT_EQ(of_file.words, "no document matches query q 7");
  EXPECT_EQ(output.render({nullptr, "x", {}, {{0, 0.5}}}).words, "");
  EXPECT_EQ(SearchOutput(*index_, SearchFormat::kTrec, "run").render({nullptr, "x", {}, {}}).words, "");
}

TEST_F(SearchOutputTest, WritesRunFilesWithWholeDoublesAndEscapedBlanks) {
  EXPECT_EQ(render(SearchFormat::kTrec, &id_),
            "q\\x207 Q0 first\\x20one 1 0.5 run\nq\\x207 Q0 second 2 0.10000000000000001 run\n");
  EXPECT_EQ(render(SearchFormat::kMsMarco, &id_), "q\\x207\tfirst\\x20one\t1\nq\\x207\tsecond\t2\n");
  EXPECT_EQ(render(SearchFormat::kMsMarco, nullptr), "1\tfirst\\x20one\t1\n1\tsecond\t2\n");
}

TEST_F(SearchOutputTest, TellsWhereAndWhenADocumentWasFound) {
  sample_.documents = {
      {RunDocument::kId | RunDocument::kUrl | RunDocument::kDate, 0, "a", "", "http://a/\x1B", "2024-01-02", ""},
      {RunDocument::kId | RunDocument::kDate, 0, "b", "", "", "2024", ""}};
  testing::write_sample(posix_file_system(), scratch_ / "dated", sample_);
  index_.emplace(posix_file_system(), scratch_ / "dated");
  EXPECT_EQ(render(SearchFormat::kText, nullptr),
            "   1     0.5000  a\n      http://a/\\x1B  2024-01-02\n   2     0.1000  b\n      2024\n");
  const auto object = nlohmann::json::parse(render(SearchFormat::kJson, &id_));
  EXPECT_EQ(object["hits"][0]["url"], "http://a/\x1B");
  EXPECT_EQ(object["hits"][0]["date"], "2024-01-02");
  EXPECT_FALSE(object["hits"][1].contains("url"));
}

TEST_F(SearchOutputTest, WritesAnObjectAQuery) {
  const auto object = nlohmann::json::parse(render(SearchFormat::kJson, &id_));
  EXPECT_EQ(object["query_id"], "q 7");
  EXPECT_EQ(object["query"], "a word");
  EXPECT_EQ(object["hits"][0]["title"], "A title");
  EXPECT_EQ(object["hits"][1]["document"], 1);
  EXPECT_FALSE(object["hits"][1].contains("title"));
}

TEST(SearchOutputColumn, EscapesWhatWouldSplitALine) {
  EXPECT_EQ(SearchOutput::column("a b\tc\n"), "a\\x20b\\x09c\\x0A");
  EXPECT_EQ(SearchOutput::column("a\u00A0b\u3000\u0085\u2028"), "a\\xC2\\xA0b\\xE3\\x80\\x80\\xC2\\x85\\xE2\\x80\\xA8");
  EXPECT_EQ(SearchOutput::column("caf\u00E9-\u4E2D/7"), "caf\u00E9-\u4E2D/7");
}

TEST(SearchOutputColumn, KeepsIdsApartThatLookLikeEscapes) {
  EXPECT_EQ(SearchOutput::column("a\\x20b"), "a\\x5Cx20b");
  EXPECT_NE(SearchOutput::column("a b"), SearchOutput::column("a\\x20b"));
  EXPECT_NE(SearchOutput::column("\u0085"), SearchOutput::column("\x85"));
}

// Reads every \xNN as a byte: what a program does to get the id back.
std::string text_of_column(const std::string& column) {
  std::string text;
  for (std::size_t at = 0; at < column.size(); ++at) {
    if (column[at] != '\\') {
      text += column[at];
      continue;
    }
    text += static_cast<char>(std::stoi(column.substr(at + 2, 2), nullptr, 16));
    at += 3;
  }
  return text;
}

// Different texts have different columns, because each text can be read from its column.
TEST(SearchOutputColumn, GivesTheTextBackForAnyBytes) {
  std::mt19937_64 random(11);
  const std::string_view pieces[] = {"a",    "x20",    "\\",     "\\x",  " ",          "\t",       "\x1B[",
                                     "\xC2", "\x85",   "\u0085", "\xFF", "\u00E9",     "\u00A0",   "\u202E",
                                     "\xE4", "\u4E2D", "5C",     "\x7F", "\U0001F600", "\xF0\x9F", {"\0", 1}};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (auto i = random() % 12; i > 0; --i) text += pieces[random() % std::size(pieces)];
    const std::string column = SearchOutput::column(text);
    ASSERT_EQ(text_of_column(column), text) << column;
    ASSERT_EQ(printable(column, std::string::npos), column) << "safe for a terminal";
    ASSERT_EQ(column.find_first_of(" \t\n"), std::string::npos) << column;
  }
}

}  // namespace
}  // namespace spillway
