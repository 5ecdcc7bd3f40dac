#include "io/index/cursors.hpp"

#include <gtest/gtest.h>

#include "io/base/varint.hpp"
#include "io/file/posix_file_system.hpp"
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

// Decodes according to io/format/run.hpp.
Postings decode_entry(const RunEntry& entry) {
  Postings postings;
  const std::uint8_t *at = entry.postings.data(), *end = at + entry.postings.size();
  std::uint64_t document = 0, occurrences = 0;
  for (std::uint32_t i = 0; i < entry.document_count; ++i) {
    const std::uint64_t value = next_varint(&at, end);
    document += value >> 1;
    const std::uint64_t frequency = (value & 1) != 0 ? 1 : next_varint(&at, end);
    postings.emplace_back(static_cast<std::uint32_t>(document), static_cast<std::uint32_t>(frequency));
    occurrences += frequency;
  }
  EXPECT_EQ(at, end);
  EXPECT_EQ(document, entry.last_document);
  EXPECT_EQ(occurrences, entry.occurrence_count);
  return postings;
}

std::vector<std::uint32_t> decode_distances(const RunEntry& entry) {
  std::vector<std::uint32_t> distances;
  const std::uint8_t *at = entry.positions.data(), *end = at + entry.positions.size();
  for (std::uint64_t distance = 0; at != end; distances.push_back(static_cast<std::uint32_t>(distance))) {
    EXPECT_TRUE(read_varint(&at, end, &distance));
  }
  return distances;
}

// A list joined from its entries; postings that were cut are joined again.
struct List {
  Postings postings;
  std::vector<std::uint32_t> distances;
  std::uint32_t last_position = 0;
  std::size_t entries = 0, cuts = 0;

  void add(const RunEntry& entry) {
    EXPECT_LE(entry.postings.size() + entry.positions.size(), IndexTermCursor::kEntryBytes);
    Postings more = decode_entry(entry);
    std::vector<std::uint32_t> some = decode_distances(entry);
    ++entries;
    if (!entry.positions.empty()) {
      EXPECT_EQ(some.size(), entry.occurrence_count);
      const std::uint32_t end = std::accumulate(some.end() - more.back().second, some.end(), 0u);
      if (!postings.empty() && more.front().first == postings.back().first) {
        ++cuts;
        some.front() -= last_position;
        postings.back().second += more.front().second;
        more.erase(more.begin());
      }
      last_position = end;
    }
    postings.insert(postings.end(), more.begin(), more.end());
    distances.insert(distances.end(), some.begin(), some.end());
  }
};

struct Read {
  std::map<std::string, List> lists;
  std::vector<std::string> order;  // terms in the order of their entries
};

Read read_terms(const IndexReader& index, std::string_view first, std::string_view last) {
  Read read;
  IndexTermCursor cursor(index, first, last);
  while (cursor.next()) {
    read.order.emplace_back(cursor.entry().term);
    read.lists[read.order.back()].add(cursor.entry());
  }
  EXPECT_FALSE(cursor.next());
  return read;
}

std::vector<std::uint32_t> expected_distances(const Postings& postings) {
  std::vector<std::uint32_t> expected;
  for (const Posting& posting : postings) {
    const auto more = sample_positions(posting);
    expected.insert(expected.end(), more.begin(), more.end());
  }
  return expected;
}

// Numbers with holes for dropped documents.
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
      for (const Posting& posting : postings) expected.emplace_back(numbers[posting.first], posting.second);
      ASSERT_EQ(read.lists.at(term).postings, expected) << term;
      ASSERT_EQ(read.lists.at(term).distances, positions ? expected_distances(postings) : std::vector<std::uint32_t>());
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

TEST(IndexTermCursor, CutsLongListsIntoFragments) {
  ScratchDirectory scratch;
  SampleIndex sample;
  sample.documents.resize(200000);
  sample.options.positions = true;
  for (std::uint32_t d = 0; d < 200000; ++d) sample.lists["long"].emplace_back(d, 1 + d % 3);
  sample.lists["long"][5].second = 100000;  // the positions of one posting exceed an entry
  write_sample(posix_file_system(), scratch / "index", sample);
  const IndexReader index(posix_file_system(), scratch / "index");
  const List list = read_terms(index, "", "").lists.at("long");
  EXPECT_EQ(list.postings, sample.lists["long"]);
  EXPECT_EQ(list.distances, expected_distances(sample.lists["long"]));
  EXPECT_GE(list.cuts, 1u);
  EXPECT_GT(list.entries, 10u);
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
    }
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(kept, documents);
  }
}

TEST(IndexTextCursor, GivesTextsAndNoneForDroppedDocuments) {
  for (const std::uint32_t documents : {0u, 1u, 64u, 700u}) {
    ScratchDirectory scratch;
    SampleIndex sample = make_sample(documents, 20, 13);
    if (documents > 1) {
      sample.documents[1].fields |= RunDocument::kText;
      for (int i = 0; i < 40000; ++i) sample.documents[1].text += std::to_string(i);
    }
    write_sample(posix_file_system(), scratch / "index", sample);
    const IndexReader index(posix_file_system(), scratch / "index");
    const std::vector<std::uint32_t> numbers = source_numbers(sample);
    IndexTextCursor cursor(index);
    std::size_t kept = 0;
    for (std::uint32_t source = 0; source < sample.source_document_count(); ++source) {
      std::string text;
      do {
        ASSERT_TRUE(cursor.next());
        text += cursor.fragment().bytes;
      } while (!cursor.fragment().ends_document);
      const bool is_kept = kept < numbers.size() && numbers[kept] == source;
      ASSERT_EQ(text, is_kept ? sample.documents[kept].text : "");
      kept += is_kept ? 1 : 0;
    }
    EXPECT_FALSE(cursor.next());
    EXPECT_EQ(kept, documents);
  }
}

}  // namespace
}  // namespace spillway
