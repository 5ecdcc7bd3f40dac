#include "text/scan/word_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "indexer/chunk/term_table.hpp"
#include "tests/support/guarded_text.hpp"

namespace spillway {
namespace {

using testing::GuardedText;

bool belongs(unsigned c, WordBytes words) {
  static const std::string kAlphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  if (c >= 0x80) return words == WordBytes::kWithHighBytes;
  return kAlphanumeric.find(static_cast<char>(c)) != std::string::npos;
}

struct Edges {
  std::vector<std::uint16_t> places;
  std::string lowered;
  bool operator==(const Edges&) const = default;
};

Edges expected_edges(std::string_view text, std::uint64_t word_before, WordBytes words) {
  Edges edges;
  bool before = word_before != 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_word = belongs(static_cast<std::uint8_t>(c), words);
    if (is_word != before) edges.places.push_back(static_cast<std::uint16_t>(i));
    before = is_word;
    edges.lowered.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c);
  }
  return edges;
}

Edges edges_of(std::string_view text, std::uint64_t word_before, FindEdgesFunction find_edges) {
  constexpr std::uint8_t kUntouched = 0x5A;
  std::vector<std::uint8_t> lowered(text.size() + kScanPadding + 1, kUntouched);
  std::vector<std::uint16_t> places(text.size() + kScanPadding + 1, kUntouched);
  const std::size_t count = find_edges(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), word_before,
                                       lowered.data(), places.data());
  EXPECT_LE(count, text.size());
  EXPECT_EQ(lowered.back(), kUntouched) << "wrote past the padding";
  EXPECT_EQ(places.back(), kUntouched) << "wrote past the padding";
  places.resize(count);
  return {places, std::string(lowered.begin(), lowered.begin() + static_cast<std::ptrdiff_t>(text.size()))};
}

std::string random_bytes(std::mt19937_64& random, std::size_t count) {
  std::string bytes;
  while (bytes.size() < count) bytes.push_back(static_cast<char>(random()));
  return bytes;
}

class FindEdges : public ::testing::TestWithParam<WordBytes> {
 protected:
  std::span<const WordKernels> paths() const { return all_word_kernels(GetParam()); }
  void expect_right(const WordKernels& path, std::string_view text) const {
    for (const std::uint64_t before : {0, 1}) {
      ASSERT_EQ(edges_of(text, before, path.find_edges), expected_edges(text, before, GetParam())) << path.name;
    }
  }
};

TEST_P(FindEdges, ListsThePortablePathFirstAndEachOnce) {
  ASSERT_GE(paths().size(), 2U);
  EXPECT_STREQ(paths()[0].name, "portable");
  std::set<std::string> names;
  for (const WordKernels& path : paths()) names.insert(path.name);
  EXPECT_EQ(names.size(), paths().size());
  RecordProperty("paths", static_cast<int>(paths().size()));
}

TEST_P(FindEdges, KnowsEveryByteAtEveryPlace) {
  for (const WordKernels& path : paths()) {
    for (unsigned c = 0; c < 256; ++c) {
      // The byte among bytes of the other kind, at each place of two blocks.
      const char other = belongs(c, GetParam()) ? ' ' : 'x';
      for (std::size_t at = 0; at < 128; ++at) {
        std::string text(128, other);
        text[at] = static_cast<char>(c);
        expect_right(path, text);
      }
    }
  }
}

TEST_P(FindEdges, IsRightForAllLengthsAndMisalignments) {
  std::mt19937_64 random(1);
  const std::string bytes = random_bytes(random, 300 + 64);
  for (const WordKernels& path : paths()) {
    for (std::size_t shift = 0; shift < 64; ++shift) {
      for (std::size_t count = 0; count <= 300; ++count) {
        expect_right(path, std::string_view(bytes).substr(shift, count));
      }
    }
  }
}

TEST_P(FindEdges, TakesAsManyEdgesAsThereCanBe) {
  std::string text;
  for (std::size_t i = 0; i < kScanBytes; ++i) text.push_back(i % 2 == 0 ? 'a' : ' ');
  for (const WordKernels& path : paths()) expect_right(path, text);
}

TEST_P(FindEdges, ReadsNothingOutsideTheText) {
  std::mt19937_64 random(2);
  for (std::size_t count = 0; count <= 300; ++count) {
    const GuardedText text(random_bytes(random, count));  // ends at the end of a page
    for (const WordKernels& path : paths()) expect_right(path, text.view());
  }
  const GuardedText page(random_bytes(random, 4096));  // begins at the begin of a page
  for (const WordKernels& path : paths()) {
    expect_right(path, page.view());
    for (std::size_t count = 0; count <= 130; ++count) expect_right(path, page.view().substr(0, count));
  }
}

INSTANTIATE_TEST_SUITE_P(Words, FindEdges, ::testing::Values(WordBytes::kAlphanumeric, WordBytes::kWithHighBytes),
                         [](const auto& param_info) {
                           return param_info.param == WordBytes::kAlphanumeric ? "Alphanumeric" : "WithHighBytes";
                         });

TEST(LoadKeys, GivesWordsAndGuessesOfShortTokens) {
  std::mt19937_64 random(4);
  std::vector<std::uint32_t> slots(256);
  for (std::uint32_t& slot : slots) slot = static_cast<std::uint32_t>(random());
  const SlotTable table{slots.data(), 64 - 8, (1U << 18) - 1, 0x1234567890ABCDEFULL};
  for (const WordKernels& path : all_word_kernels(WordBytes::kWithHighBytes)) {
    SCOPED_TRACE(path.name);
    for (int round = 0; round < 2000; ++round) {
      std::string text;
      std::vector<std::uint16_t> edges;
      std::vector<std::string> tokens;
      const std::size_t count = random() % (kTokenBatch + 1);
      while (tokens.size() < count) {
        std::string token;
        const std::size_t bytes = 1 + random() % (random() % 4 == 0 ? 300 : 18);
        while (token.size() < bytes) token.push_back(static_cast<char>('a' + random() % 26));
        if (random() % 8 == 0) token[random() % bytes] = static_cast<char>(0x80 + random() % 128);
        edges.push_back(static_cast<std::uint16_t>(text.size()));
        text += token;
        edges.push_back(static_cast<std::uint16_t>(text.size()));
        text += " ";
        tokens.push_back(token);
      }
      std::vector<std::uint8_t> lowered(text.begin(), text.end());
      lowered.resize(text.size() + kScanPadding, 0xEE);
      TokenKeys keys;
      path.load_keys(lowered.data(), edges, table, keys);
      for (std::size_t i = 0; i < count; ++i) {
        const std::string& token = tokens[i];
        if (token.size() > 16) {
          ASSERT_EQ(keys.low[i], 0U) << token;
          ASSERT_EQ(keys.bytes[i], 0U) << token;
          continue;
        }
        std::uint64_t words[2];
        TermTable::load_short(token, words);
        ASSERT_EQ(keys.low[i], words[0]) << token;
        ASSERT_EQ(keys.high[i], words[1]) << token;
        ASSERT_EQ(keys.bytes[i], token.size());
        const std::uint64_t hash = hash_token_words(words[0], words[1], table.seed);
        ASSERT_EQ(keys.guess[i], slots[hash >> table.shift] & table.index_mask) << token;
      }
    }
  }
}

// Every guess is an entry, both in an empty and in a full table.
TEST(WordKernels, TakeNoLongTokenForAnEntryOfATable) {
  MemoryBudget budget(std::size_t{64} << 20);
  TermTable table(budget, 64, 4096);
  const std::string text = "seventeenbytes017 anotherverylongtoken99 " + std::string(kScanPadding, ' ');
  const std::vector<std::uint16_t> edges{0, 17, 18, 40};
  const std::span<const std::uint8_t> lowered(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  for (std::size_t entries = 0; entries <= 64; ++entries) {
    for (const WordKernels& path : all_word_kernels(WordBytes::kWithHighBytes)) {
      SCOPED_TRACE(path.name);
      TokenKeys keys;
      path.load_keys(lowered.data(), edges, table.slot_table(KeySpace::kTerm), keys);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_FALSE(table.is_entry(keys.guess[i], {keys.low[i], keys.high[i], keys.bytes[i]})) << entries;
      }
    }
    if (entries < 64) table.insert("term" + std::to_string(entries), KeySpace::kTerm);
  }
}

}  // namespace
}  // namespace spillway
