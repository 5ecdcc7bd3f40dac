#include "tools/query_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "io/error.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using Queries = std::vector<std::pair<std::string, std::string>>;

Queries read_all(const std::string& bytes) {
  const testing::ScratchDirectory scratch;
  std::ofstream(scratch / "queries.tsv", std::ios::binary) << bytes;
  QueryFile file(posix_file_system(), scratch / "queries.tsv");
  Queries queries;
  while (const auto line = file.next()) queries.emplace_back(line->id, line->text);
  return queries;
}

std::string refusal(const std::string& bytes) {
  try {
    read_all(bytes);
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
