#include "io/termdict/reader.hpp"
#include "io/termdict/writer.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;

// The values of a term follow from its number.
struct Table {
  static constexpr std::size_t kTermsOfStretch = 777;
  explicit Table(const std::set<std::string>& given, bool with_positions = true)
      : terms(given.begin(), given.end()), positions(with_positions) {
    SectionWriter out(posix_file_system(), scratch.path(), Section::kTerms, kPageBytes);
    TermTableWriter writer(out, positions ? Positions::kStored : Positions::kNone);
    TermTableReader::Limits limits{.terms = terms.size(), .documents = 1000, .positions = positions};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const TermEntry entry = expected(i);
      if (i % kTermsOfStretch == 0) writer.begin_part(entry.part);
      writer.add(entry);
      limits.posting_bytes[entry.part] += entry.posting_bytes;
      limits.bound_bytes += bound_bytes_of(entry.document_count);
      limits.position_bytes[entry.part] += entry.position_bytes;
    }
    writer.finish();
    const SectionStats stats = out.finish();
    section.emplace(posix_file_system(), scratch.path(), Section::kTerms, stats);
    reader.emplace(*section, limits);
  }
  TermEntry expected(std::size_t i) const {
    TermEntry entry;
    entry.term = terms[i];
    entry.number = i;
    entry.part = i / kTermsOfStretch % kListParts;
    entry.document_count = i % 3 == 0 ? 1 : i % 7 == 0 ? 200 : 2 + i % 100;
    entry.occurrence_count = entry.document_count + (i % 5 == 0 ? 0 : i % 1000);
    entry.posting_bytes = entry.document_count == 1 ? 0 : i % 300;
    entry.single_document = entry.document_count == 1 ? static_cast<std::uint32_t>(i % 1000) : 0;
    entry.position_bytes = positions ? i % 70 : 0;
    return entry;
  }
  ScratchDirectory scratch;
  std::vector<std::string> terms;
  bool positions;
  std::optional<SectionReader> section;
  std::optional<TermTableReader> reader;
};

void expect_same(const TermEntry& found, const TermEntry& expected) {
  ASSERT_EQ(found.term, expected.term);
  ASSERT_EQ(found.number, expected.number);
  ASSERT_EQ(found.part, expected.part);
  ASSERT_EQ(found.document_count, expected.document_count);
  ASSERT_EQ(found.occurrence_count, expected.occurrence_count);
  ASSERT_EQ(found.posting_bytes, expected.posting_bytes);
  ASSERT_EQ(found.single_document, expected.single_document);
  ASSERT_EQ(found.position_bytes, expected.position_bytes);
}

void expect_all_found(const Table& table) {
  std::uint64_t bounds = 0;
  std::array<std::uint64_t, kListParts> postings{}, positions{};
  TermTableReader::Walk walk(*table.reader, "");
  for (std::size_t i = 0; i < table.terms.size(); ++i) {
    while (!walk.next()) ASSERT_TRUE(walk.next_leaf());
    const TermEntry expected = table.expected(i);
    expect_same(walk.entry(), expected);
    ASSERT_EQ(walk.entry().posting_offset, postings[expected.part]);
    ASSERT_EQ(walk.entry().bound_offset, bounds);
    ASSERT_EQ(walk.entry().position_offset, positions[expected.part]);
    postings[expected.part] += expected.posting_bytes;
    bounds += bound_bytes_of(expected.document_count);
    positions[expected.part] += expected.position_bytes;
    const auto found = table.reader->find(table.terms[i]);
    ASSERT_TRUE(found) << i;
    expect_same(*found, expected);
    ASSERT_EQ(found->posting_offset, walk.entry().posting_offset);
  }
  EXPECT_FALSE(walk.next());
  EXPECT_FALSE(walk.next_leaf());
}

void expect_absent(const Table& table, const std::string& term) {
  if (std::binary_search(table.terms.begin(), table.terms.end(), term)) return;
  ASSERT_FALSE(table.reader->find(term)) << term.size();
  // A walk from there reaches the next term first.
  TermTableReader::Walk walk(*table.reader, term);
  const auto next = std::upper_bound(table.terms.begin(), table.terms.end(), term);
  while (true) {
    if (!walk.next()) {
      if (walk.next_leaf()) continue;
      ASSERT_EQ(next, table.terms.end());
      return;
    }
    if (walk.entry().term < term) continue;
    ASSERT_NE(next, table.terms.end());
    ASSERT_EQ(walk.entry().term, *next);
    return;
  }
}

std::set<std::string> random_terms(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<std::string> terms;
  while (terms.size() < count) {
    std::string term;
    if (random() % 4 != 0 && !terms.empty())
      term = *terms.lower_bound(std::string(1, static_cast<char>('a' + random() % 26)));
    if (terms.empty() || term.size() > 40) term.clear();
    for (std::uint64_t i = 1 + random() % 9; i != 0; --i) {
      term += random() % 20 == 0 ? static_cast<char>(random() % 3 * 255 / 2) : static_cast<char>('a' + random() % 26);
    }
    terms.insert(term);
    if (terms.size() == 1) terms.insert(std::string(2, '\xFF'));
  }
  return terms;
}

TEST(TermTable, FindsEveryOneOfAHundredThousandTerms) {
  std::set<std::string> terms = random_terms(100000, 1);
  for (const char fill : {'a', 'm', '\xFF', '\0'}) {
    for (const std::size_t size : {4000u, 65533u, 65534u, 65535u}) terms.insert(std::string(size, fill));
  }
  for (int i = 0; i < 256; ++i) {
    terms.insert(std::string(1, static_cast<char>(i)));
    terms.insert(std::string(30000, 'q') + static_cast<char>(i));  // separators as long as their terms
  }
  const Table table(terms);
  EXPECT_GE(table.reader->height(), 3u);
  expect_all_found(table);
}

TEST(TermTable, DoesNotFindTermsBetweenBeforeAndBehind) {
  const Table table(random_terms(20000, 2), false);
  expect_all_found(table);
  for (const std::string& term : table.terms) {
    expect_absent(table, term + '\0');
    expect_absent(table, term.substr(0, term.size() - 1));
    std::string above = term;
    above.back() = static_cast<char>(static_cast<unsigned char>(above.back()) + 1);
    expect_absent(table, above);
  }
  expect_absent(table, std::string(1, '\0'));
  expect_absent(table, std::string(70000, '\xFF'));
  EXPECT_FALSE(table.reader->find(""));
}

TEST(TermTable, TakesAnyNumberOfTermsAndHeights) {
  for (std::size_t count = 0; count < 40; ++count) {
    std::set<std::string> terms;
    for (std::size_t i = 0; i < count; ++i) terms.insert(std::string(3000, 'x') + std::string(i, 'y') + "z");
    const Table table(terms);
    expect_all_found(table);
    expect_absent(table, "w");
    expect_absent(table, "z");
    expect_absent(table, std::string(3000, 'x') + "yyyy");
  }
}

TEST(TermTable, HasInnerNodesOfAtLeastTwoChildrenWhereSeparatorsAreHuge) {
  std::set<std::string> terms;
  for (int i = 0; i < 60; ++i) terms.insert(std::string(60000, 'q') + std::to_string(100 + i));
  const Table table(terms);
  EXPECT_LE(table.reader->height(), 7u);
  expect_all_found(table);
}

TEST(TermTable, RefusesTermsOutOfOrderEmptyOrTooLong) {
  ScratchDirectory scratch;
  SectionWriter out(posix_file_system(), scratch.path(), Section::kTerms, kPageBytes);
  TermTableWriter writer(out, Positions::kNone);
  TermEntry entry;
  entry.document_count = entry.occurrence_count = 1;
  entry.term = "b";
  writer.add(entry);
  EXPECT_THROW(writer.add(entry), FormatError);
  entry.term = "a";
  EXPECT_THROW(writer.add(entry), FormatError);
  entry.term = "";
  EXPECT_THROW(writer.add(entry), FormatError);
  entry.term = std::string(65536, 'c');
  EXPECT_THROW(writer.add(entry), FormatError);
}

}  // namespace
}  // namespace spillway
