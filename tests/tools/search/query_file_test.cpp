#include "tools/search/query_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using Queries = std::vector<std::pair<std::string, std::string>>;

Queries read_all(const std::string& bytes, QueryFile::Options options = {}) {
  const testing::ScratchDirectory scratch;
  std::ofstream(scratch / "queries.tsv", std::ios::binary) << bytes;
  QueryFile file(posix_file_system(), scratch / "queries.tsv", options);
  Queries queries;
  while (const auto line = file.next()) queries.emplace_back(line->id, line->text);
  return queries;
}

std::string refusal(const std::string& bytes, QueryFile::Options options = {}) {
  try {
    read_all(bytes, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(QueryFile, ReadsIdsAndTexts) {
  EXPECT_EQ(read_all("1\tone two\n2\tthree\tfour\n"), (Queries{{"1", "one two"}, {"2", "three\tfour"}}));
}

TEST(QueryFile, ReadsALastLineWithoutLineFeed) { EXPECT_EQ(read_all("1\ta\n2\tb"), (Queries{{"1", "a"}, {"2", "b"}})); }

TEST(QueryFile, DropsACarriageReturnAtTheEndOnly) { EXPECT_EQ(read_all("1\ta\rb\r\n"), (Queries{{"1", "a\rb"}})); }

TEST(QueryFile, TakesAnEmptyQueryAndAnEmptyFile) {
  EXPECT_EQ(read_all("1\t\n"), (Queries{{"1", ""}}));
  EXPECT_EQ(read_all(""), Queries{});
}

TEST(QueryFile, NamesFileAndLineOfWhatItRefuses) {
  EXPECT_NE(refusal("1\ta\nno tab\n").find("queries.tsv, line 2: expected id<TAB>query, found 'no tab'"),
            std::string::npos)
      << refusal("1\ta\nno tab\n");
  EXPECT_NE(refusal("\tno id\n").find("line 1"), std::string::npos);
  EXPECT_NE(refusal("1\ta\n\n").find("line 2"), std::string::npos);
}

TEST(QueryFile, RecognisesJsonLines) {
  EXPECT_EQ(read_all("\n{\"_id\": \"q1\", \"text\": \"a b\"}\n\n{\"query_id\": 7, \"query\": \"\\u00e9\"}\n"),
            (Queries{{"q1", "a b"}, {"7", "\xC3\xA9"}}));
  EXPECT_NE(
      refusal("{\"id\": \"1\", \"text\": \"a\"}\nno json\n").find("line 2: expected a JSON object, found 'no json'"),
      std::string::npos);
  EXPECT_NE(refusal("{\"text\": \"a\"}").find("\"_id\""), std::string::npos);
  EXPECT_NE(refusal("{\"id\": \"1\", \"text\": 3.5}").find("\"query\""), std::string::npos);
}

TEST(QueryFile, RecognisesPlainLinesWithTheirNumbersForIds) {
  EXPECT_EQ(read_all("one two\n\n three\n"), (Queries{{"1", "one two"}, {"3", " three"}}));
  EXPECT_NE(refusal("one two\n3\tthree\n").find("line 2: expected a line without a tab"), std::string::npos);
  EXPECT_EQ(read_all("a\tb\n", {QueryFormat::kLines, TopicField::kTitle}), (Queries{{"1", "a\tb"}}));
}

constexpr const char* kTopics = R"(<?xml version="1.0"?>
<top>
<num> Number: 301
<title> Topic: Organized
 Crime &amp; more

<desc> Description:
Identify it.
<narr> Narrative:
Relevant is
</top>
<TOP><NUM>302</NUM><TITLE>Polio</TITLE></TOP>
)";

TEST(QueryFile, RecognisesTopicsAndReadsTheFieldThatIsWanted) {
  EXPECT_EQ(read_all(kTopics), (Queries{{"301", "Organized  Crime & more"}, {"302", "Polio"}}));
  EXPECT_EQ(read_all(kTopics, {QueryFormat::kTrec, TopicField::kAll}),
            (Queries{{"301", "Organized  Crime & more Identify it. Relevant is"}, {"302", "Polio"}}));
  const std::string first(kTopics, std::string_view(kTopics).find("<TOP>"));
  EXPECT_EQ(read_all(first, {QueryFormat::kAuto, TopicField::kDescription}), (Queries{{"301", "Identify it."}}));
  EXPECT_EQ(read_all(first, {QueryFormat::kAuto, TopicField::kNarrative}), (Queries{{"301", "Relevant is"}}));
}

TEST(QueryFile, RefusesTopicsThatLackSomething) {
  EXPECT_NE(refusal(kTopics, {QueryFormat::kAuto, TopicField::kNarrative}).find("begins in line 12 lacks the field"),
            std::string::npos);
  EXPECT_NE(refusal("<top>\n<title> a\n</top>\n").find("begins in line 1 has no <num>"), std::string::npos);
  EXPECT_NE(refusal("<top>\n<num> 1\n<title> a\n").find("has no </top>"), std::string::npos);
}

TEST(QueryFile, LosesNoTopicWhoseBordersAreAmiss) {
  const std::string one = "<top>\n<num> 1\n<title> a\n", two = "<top>\n<num> 2\n<title> b\n</top>\n";
  EXPECT_NE(refusal(one + two).find("another <top> in the topic that begins in line 1"), std::string::npos);
  EXPECT_NE(refusal("<top><num>1<title>a</top><top><num>2<title>b</top>\n").find("another <top>"), std::string::npos);
  EXPECT_NE(refusal("<topics>\n<topic number=\"1\">a</topic>\n</topics>\n").find("found no <top>"), std::string::npos);
  EXPECT_EQ(read_all(two + "\n\n"), (Queries{{"2", "b"}}));
}

TEST(QueryFile, ReadsLinesAcrossItsReads) {
  std::string bytes;
  Queries expected;
  for (int i = 0; i < 300; ++i) {
    expected.emplace_back(std::to_string(i), std::string(static_cast<std::size_t>(i) * 7, 'x'));
    bytes += expected.back().first + "\t" + expected.back().second + "\n";
  }
  EXPECT_EQ(read_all(bytes), expected);
}

TEST(QueryFile, RefusesALineWithoutEnd) {
  EXPECT_NE(refusal("1\ta\n2\t" + std::string(2 << 20, 'x')).find("line 2: longer than 1 MiB"), std::string::npos);
}

}  // namespace
}  // namespace spillway
