#include "merge/run/concatenated_entry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/merge/run/concatenated_lists.hpp"

namespace spillway {
namespace {

using testing::ConcatenatedLists;
using testing::encode_postings;
using testing::list_of;
using testing::Lists;
using testing::Parts;
using testing::SamplePosting;

TEST(ConcatenatedEntry, TakesNoPartThatDoesNotBeginBehindTheOneBefore) {
  Parts parts;
  parts.add({{3, 1}, {5, 2}}, 0);
  parts.add({{5, 1}, {9, 1}}, 2);
  parts.add({{6, 1}, {9, 1}}, 6);
  parts.add({{4, 1}}, 0);
  const std::vector<ListFragment>& list = parts.view();
  const auto takes = [&](std::initializer_list<std::size_t> order) {
    ConcatenatedEntry entry;
    return std::all_of(order.begin(), order.end(), [&](std::size_t i) { return entry.add(list[i]); });
  };
  EXPECT_TRUE(takes({0, 2}));
  EXPECT_TRUE(takes({3, 1}));
  EXPECT_FALSE(takes({0, 1})) << "a border document";
  EXPECT_FALSE(takes({0, 3})) << "a document that is passed";
  ListFragment low = list[0], cut = list[0];
  low.last_document = 2;
  cut.postings = cut.postings.first(0);
  EXPECT_FALSE(ConcatenatedEntry().add(low));
  EXPECT_FALSE(ConcatenatedEntry().add(cut));
}

TEST(ConcatenatedEntry, CountsWhatItsPartsHoldAndForgetsIt) {
  Parts parts;
  parts.add({{0, 1}, {300, 700}}, 0);
  parts.add({{20000, 1}}, 19000);
  ConcatenatedEntry entry;
  for (int i = 0; i < 2; ++i) {
    entry.clear();
    for (const ListFragment& part : parts.view()) ASSERT_TRUE(entry.add(part));
    EXPECT_EQ(entry.count(), 2U);
    EXPECT_EQ(entry.head().document_count, 3U);
    EXPECT_EQ(entry.head().occurrence_count, 702U);
    EXPECT_EQ(entry.head().last_document, 20000U);
    EXPECT_EQ(entry.posting_bytes(), encode_postings({{0, 1}, {300, 700}, {20000, 1}}).size());
  }
}

// The lists have any length from one posting on, and some fill their blocks to the last byte.
TEST(PostingsConcatenator, WritesAConcatenatedEntryAsItsPartsOrNotAtAll) {
  std::mt19937_64 random(3);
  ConcatenatedLists of_fragments, of_entries;
  Lists expected;
  std::size_t refused = 0;
  for (int i = 0; i < 2000; ++i) {
    Parts parts;
    std::uint32_t document = 0;
    for (std::size_t p = 1 + random() % 6; p != 0; --p) {
      std::vector<SamplePosting> postings;
      for (std::size_t left = 1 + random() % (i % 50 == 0 ? 900 : 12); left != 0; --left) {
        document += 1 + static_cast<std::uint32_t>(random() % (random() % 5 == 0 ? 1U << 22 : 40));
        postings.push_back({document, 1 + static_cast<std::uint32_t>(random() % 2 * (random() % 300))});
      }
      parts.add(postings, postings.front().document - static_cast<std::uint32_t>(random() % 2));
      expected[std::to_string(10000 + i)].merge(list_of(postings));
    }
    const std::string term = std::to_string(10000 + i);
    ConcatenatedEntry entry;
    for (const ListFragment& part : parts.view()) ASSERT_TRUE(entry.add(part));
    if (!of_entries.concatenator().write(term, entry)) {
      ++refused;
      of_entries.concatenator().write(term, parts.view());
    }
    of_fragments.concatenator().write(term, parts.view());
  }
  of_fragments.finish();
  of_entries.finish();
  EXPECT_GT(refused, 10U);
  ASSERT_EQ(of_entries.read(), expected);
  ASSERT_EQ(of_entries.blocks.size(), of_fragments.blocks.size());
  for (std::size_t i = 0; i < of_fragments.blocks.size(); ++i) {
    ASSERT_EQ(of_entries.blocks[i].payload, of_fragments.blocks[i].payload) << i;
  }
}

}  // namespace
}  // namespace spillway
