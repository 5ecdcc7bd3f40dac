#include "tools/search/output.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
    return SearchOutput(*index_, format, "run").render({id, "a word", {{"word", 1}}, {{0, 0.5}, {1, 0.1}}});
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
  EXPECT_EQ(SearchOutput(*index_, SearchFormat::kText, "run").render({nullptr, "x", {}, {}}),
            "no document matches the query\n");
}

TEST_F(SearchOutputTest, WritesRunFilesWithWholeDoublesAndEscapedBlanks) {
  EXPECT_EQ(render(SearchFormat::kTrec, &id_),
            "q\\x207 Q0 first\\x20one 1 0.5 run\nq\\x207 Q0 second 2 0.10000000000000001 run\n");
  EXPECT_EQ(render(SearchFormat::kMsMarco, &id_), "q\\x207\tfirst\\x20one\t1\nq\\x207\tsecond\t2\n");
  EXPECT_EQ(render(SearchFormat::kMsMarco, nullptr), "1\tfirst\\x20one\t1\n1\tsecond\t2\n");
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
}

}  // namespace
}  // namespace spillway
