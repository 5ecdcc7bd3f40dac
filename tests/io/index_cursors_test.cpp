#include "io/index_cursors.hpp"

#include <gtest/gtest.h>

#include "io/varint.hpp"
#include "tests/support/sample_index.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::make_sample;
using testing::Posting;
using testing::Postings;
using testing::sample_positions;
using testing::SampleIndex;
using testing::ScratchDirectory;
using testing::write_sample;

std::uint64_t next_varint(const std::uint8_t** at, const std::uint8_t* end) {
  std::uint64_t value = 0;
  EXPECT_TRUE(read_varint(at, end, &value));
  return value;
}

// As io/run_format.hpp says.
Postings decode_piece(const TermPiece& piece) {
  Postings postings;
  const std::uint8_t *at = piece.postings.data(), *end = at + piece.postings.size();
  std::uint64_t document = 0, occurrences = 0;
  for (std::uint32_t i = 0; i < piece.document_count; ++i) {
    const std::uint64_t value = next_varint(&at, end);
    document += value >> 1;
    const std::uint64_t frequency = (value & 1) != 0 ? 1 : next_varint(&at, end);
    postings.emplace_back(static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(frequency));
    occurrences += frequency;
  }
  EXPECT_EQ(at, end);
  EXPECT_EQ(document, piece.last_document);
  EXPECT_EQ(occurrences, piece.occurrence_count);
  return postings;
}

struct Read {
  std::map<std::string, Postings> lists;
  std::map<std::string, std::vector<std::uint8_t>> positions;
  std::vector<std::string> order;  // of the pieces
};

Read read_terms(const IndexReader& index, std::string_view first, std::string_view last) {
  Read read;
  IndexTermCursor cursor(index, first, last);
  while (cursor.next()) {
    const TermPiece& piece = cursor.piece();
    const std::string term(piece.term);
    if (piece.document_count > 1) {
      EXPECT_LE(piece.postings.size() + piece.positions.size(), IndexTermCursor::kPieceBytes);
    }
    const Postings postings = decode_piece(piece);
    read.lists[term].insert(read.lists[term].end(), postings.begin(), postings.end());
    read.positions[term].insert(read.positions[term].end(), piece.positions.begin(), piece.positions.end());
    read.order.push_back(term);
  }
  EXPECT_FALSE(cursor.next());
  return read;
}

// Holes where documents were dropped.
std::vector<std::uint32_t> source_numbers(const SampleIndex& sample) {
  std::vector<std::uint32_t> numbers;
  std::size_t passed = 0;
  for (std::uint32_t source = 0; source < sample.source_document_count(); ++source) {
    if (passed < sample.dropped.size() && sample.dropped[passed] == source) {
      ++passed;
    } else {
      numbers.push_back(source);
    }
  }
  return numbers;
}

TEST(IndexTermCursor, GivesEveryListInSourceNumbering) {
  for (const bool positions : {false, true}) {
    ScratchDirectory scratch;
    SampleIndex sample = make_sample(3000, 300, 11);
    sample.options.positions = positions;
    write_sample(posix_file_system(), scratch / "index", sample);
    const IndexReader index(posix_file_system(), scratch / "index");
    const std::vector<std::uint32_t> numbers = source_numbers(sample);
    const Read read = read_terms(index, "", "");
    EXPECT_TRUE(std::is_sorted(read.order.begin(), read.order.end()));
    ASSERT_EQ(read.lists.size(), sample.lists.size());
    for (const auto& [term, postings] : sample.lists) {
      Postings expected;
      std::vector<std::uint8_t> expected_positions;
      for (const Posting& posting : postings) {
        expected.emplace_back(numbers[posting.first], posting.second);
        const auto more = sample_positions(posting);
        if (positions) expected_positions.insert(expected_positions.end(), more.begin(), more.end());
      }
      ASSERT_EQ(read.lists.at(term), expected) << term;
      ASSERT_EQ(read.positions.at(term), expected_positions) << term;
    }
  }
}

TEST(IndexTermCursor, KeepsToItsRange) {
  ScratchDirectory scratch;
  SampleIndex sample = make_sample(50, 200, 12);
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  const auto count = [&](std::string_view first, std::string_view last) {
    return read_terms(index, first, last).lists.size();
  };
  std::vector<std::string> terms;
  for (const auto& [term, postings] : sample.lists) terms.push_back(term);
  EXPECT_EQ(count("", ""), 200u);
  EXPECT_EQ(count("", terms[57]), 57u);
  EXPECT_EQ(count(terms[57], ""), 143u);
  EXPECT_EQ(count(terms[57], terms[58]), 1u);
  EXPECT_EQ(count(terms[57] + "\x01", terms[60]), 2u);
  EXPECT_EQ(count("zzz", ""), 0u);
  EXPECT_EQ(count("", "a"), 0u);
}

TEST(IndexTermCursor, CutsLongListsIntoPieces) {
  ScratchDirectory scratch;
  SampleIndex sample;
  sample.documents.resize(200000);
  sample.options.positions = true;
  for (std::uint32_t d = 0; d < 200000; ++d) sample.lists["long"].emplace_back(d, 1 + d % 3);
  sample.lists["long"][5].second = 100000;  // the positions of one posting pass a piece
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  IndexTermCursor cursor(index, "", "");
  Postings all;
  std::size_t pieces = 0;
  for (; cursor.next(); ++pieces) {
    const Postings some = decode_piece(cursor.piece());
    all.insert(all.end(), some.begin(), some.end());
    if (cursor.piece().document_count > 1) {
      ASSERT_LE(cursor.piece().postings.size() + cursor.piece().positions.size(), IndexTermCursor::kPieceBytes);
    } else {
      EXPECT_EQ(cursor.piece().positions.size(), 100000u);
    }
  }
  EXPECT_EQ(all, sample.lists["long"]);
  EXPECT_GT(pieces, 10u);
}

TEST(IndexDocumentCursor, GivesDocumentsWithHolesForDroppedOnes) {
  for (const std::uint32_t documents : {0u, 1u, 64u, 700u}) {
    ScratchDirectory scratch;
    SampleIndex sample = make_sample(documents, 20, 13);
    write_sample(posix_file_system(), scratch / "index", sample);
    const IndexReader index(posix_file_system(), scratch / "index");
    const std::vector<std::uint32_t> numbers = source_numbers(sample);
    IndexDocumentCursor cursor(index);
    std::size_t kept = 0;
    for (std::uint32_t source = 0; source < sample.source_document_count(); ++source) {
      ASSERT_TRUE(cursor.next());
      const RunDocument& found = cursor.document();
      if (kept == numbers.size() || numbers[kept] != source) {
        ASSERT_EQ(found.fields, RunDocument::kDropped);
        ASSERT_EQ(found.length, 0u);
        continue;
      }
      const auto& expected = sample.documents[kept++];
      ASSERT_EQ(found.fields, expected.fields);
      ASSERT_EQ(found.length, expected.length);
      ASSERT_EQ(found.id, expected.id);
      ASSERT_EQ(found.title, expected.title);
      ASSERT_EQ(found.url, expected.url);
      ASSERT_EQ(found.date, expected.date);
      ASSERT_EQ(found.text, expected.text);
    }
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(kept, documents);
  }
}

}  // namespace
}  // namespace spillway
