#include "indexer/gpu/steps/distinct_tokens.hpp"

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include <cstring>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "indexer/gpu/steps/token_sums.hpp"

namespace spillway {
namespace {

// Tokens as they go up, and where each begins.
class UploadedTexts {
 public:
  explicit UploadedTexts(const std::vector<std::string>& texts) {
    std::string raw;
    for (const std::string& text : texts) {
      places.push_back(raw.size());
      raw += text;
      raw.append(1 + raw.size() % 3, '\0');
    }
    raw.append(kRawPadding, '\0');
    words_.resize(raw.size() / 8 + 1);
    raw.copy(reinterpret_cast<char*>(words_.data()), raw.size());
  }
  const std::uint8_t* raw() const { return reinterpret_cast<const std::uint8_t*>(words_.data()); }
  std::vector<std::uint64_t> places;

 private:
  std::vector<std::uint64_t> words_;  // for their alignment
};

class FilledTable {
 public:
  FilledTable(const std::vector<std::string>& texts, std::uint32_t slots)
      : texts_(texts), uploaded_(texts), memory_(slots), table_{uploaded_.raw(), memory_.data(), slots, &is_full_} {}

  std::uint32_t put(std::size_t token) {
    const std::uint64_t at = uploaded_.places[token];
    const ShortToken text = load_token(uploaded_.raw(), at);
    const std::uint64_t hash =
        table_.hash_of(at, text, text.bytes <= kShortTokenBytes ? hash_short_token(text) : Hash128Halves{});
    std::uint32_t slot = DistinctTokens::kNone;
    const bool was_there = table_.find_at_once(text, hash, slot);
    const std::uint32_t found = table_.put(at, text, hash);
    EXPECT_TRUE(!was_there || slot == found);
    return found;
  }
  bool is_full() const { return is_full_ != 0; }

  // Counts the terms and writes them as strings. Returns their texts by slot.
  std::map<std::uint32_t, std::string> terms() {
    const auto slots = static_cast<std::uint32_t>(memory_.size());
    std::vector<RawCounts> counts(slots + 1);
    const CountTerms count{uploaded_.raw(), memory_.data(), slots, counts.data()};
    for (std::size_t s = 0; s <= slots; ++s) count(s);
    RawCounts total;
    for (RawCounts& at : counts) total = AddRawCounts{}(total, std::exchange(at, total));
    TermTotals totals;
    CollectTerms{&counts.back(), &totals}(0);
    std::vector<std::uint64_t> text(totals.bytes / 8 + 2, 0x5A5A5A5A5A5A5A5A), offsets(totals.terms + 1);
    std::vector<std::uint32_t> slot_of_term(totals.terms);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(text.data());
    const WriteTerms write{uploaded_.raw(), memory_.data(),     slots, counts.data(), bytes,
                           offsets.data(),  slot_of_term.data()};
    tbb::parallel_for(std::size_t{0}, std::size_t{slots} + 1, write);
    EXPECT_EQ(offsets.back(), totals.bytes);
    EXPECT_EQ(bytes[totals.bytes], 0x5A) << "nothing is written after the last term";
    std::map<std::uint32_t, std::string> found;
    for (std::uint32_t term = 0; term < totals.terms; ++term) {
      found[slot_of_term[term]] = {reinterpret_cast<const char*>(bytes) + offsets[term],
                                   offsets[term + 1] - offsets[term]};
    }
    EXPECT_EQ(found.size(), totals.terms);
    return found;
  }

  void expect_a_slot_for_each_text() {
    std::vector<std::uint32_t> slots(texts_.size());
    tbb::parallel_for(std::size_t{0}, texts_.size(), [&](std::size_t i) { slots[i] = put(i); });
    ASSERT_FALSE(is_full());
    const std::map<std::uint32_t, std::string> found = terms();
    for (std::size_t i = 0; i < texts_.size(); ++i) ASSERT_EQ(found.at(slots[i]), texts_[i]);
    EXPECT_EQ(found.size(), std::set<std::string>(texts_.begin(), texts_.end()).size());
  }

 private:
  const std::vector<std::string>& texts_;
  UploadedTexts uploaded_;
  std::vector<TermSlot> memory_;
  std::uint32_t is_full_ = 0;
  DistinctTokens table_;
};

// Every length from one that fits a slot to several words, and bytes of all values but 0; texts that differ in one
// byte, and that are prefixes of others.
TEST(DistinctTokensTest, HasASlotForEachText) {
  std::mt19937_64 random(1);
  std::vector<std::string> texts;
  for (std::size_t bytes = 1; bytes <= 40; ++bytes) {
    for (const char last : {'a', 'b', '\x7F', '\x80', '\xFF'}) {
      for (const char first : {'a', '\x80', '\xFF'}) {
        std::string text(bytes, 'm');
        text.front() = first;
        text.back() = last;
        texts.push_back(text);
      }
    }
  }
  for (int i = 0; i < 3000; ++i) {
    std::string text(1 + random() % 24, ' ');
    for (char& byte : text) byte = static_cast<char>(1 + random() % 255);
    texts.push_back(text);
  }
  texts.push_back(std::string(70000, 'x'));
  texts.push_back(std::string(70000, 'x') + "y");
  const std::size_t distinct = texts.size();
  for (std::size_t i = 0; i < 4 * distinct; ++i) texts.push_back(texts[random() % distinct]);
  FilledTable(texts, static_cast<std::uint32_t>(2 * distinct)).expect_a_slot_for_each_text();
}

// Many texts share their first slots, so that they go on to the next ones, also from the last slot to the first.
TEST(DistinctTokensTest, GoesOnToTheNextSlot) {
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back("w" + std::to_string(i));
    texts.push_back("a longer word than a slot holds " + std::to_string(i));
  }
  for (int i = 0; i < 60; ++i) texts.push_back(texts[static_cast<std::size_t>(i)]);
  for (std::uint32_t slots = 128; slots < 140; ++slots) FilledTable(texts, slots).expect_a_slot_for_each_text();
}

// Texts of 20 bytes with the same hash: the second word makes up for what the first one does to it.
std::vector<std::string> texts_of_one_hash(std::size_t count) {
  std::mt19937_64 random(2);
  const auto word_of = [&] {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word = word << 8 | (1 + random() % 255);
    return word;
  };
  const std::uint64_t sum = word_of();  // of the second word and the hash of the first one
  std::vector<std::string> texts;
  while (texts.size() < count) {
    const std::uint64_t first = word_of(), second = sum - xxh3::avalanche64(first);
    std::string text(20, 'z');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    if (text.find('\0') == std::string::npos) texts.push_back(text);
  }
  return texts;
}

TEST(DistinctTokensTest, TellsTextsOfOneHashApart) {
  std::vector<std::string> texts = texts_of_one_hash(DistinctTokens::kMostMistakes);
  const UploadedTexts uploaded(texts);
  for (const std::uint64_t place : uploaded.places) {
    ASSERT_EQ(hash_long_token(uploaded.raw(), place), hash_long_token(uploaded.raw(), uploaded.places[0]));
  }
  for (std::size_t i = 0; i < 100; ++i) texts.push_back(texts[i % DistinctTokens::kMostMistakes]);
  FilledTable(texts, 64).expect_a_slot_for_each_text();
}

// Such texts would take the time of many comparisons.
TEST(DistinctTokensTest, CountsAsFullForManyTextsOfOneHash) {
  const std::vector<std::string> texts = texts_of_one_hash(DistinctTokens::kMostMistakes + 1);
  FilledTable table(texts, 64);
  for (std::size_t i = 0; i < DistinctTokens::kMostMistakes; ++i) EXPECT_NE(table.put(i), DistinctTokens::kNone);
  EXPECT_FALSE(table.is_full());
  EXPECT_EQ(table.put(DistinctTokens::kMostMistakes), DistinctTokens::kNone);
  EXPECT_TRUE(table.is_full());
}

// The texts differ in one byte, in each place, or in their length.
TEST(DistinctTokensTest, ComparesWholeTokens) {
  const std::string text = "a token of 27 bytes exactly";
  std::vector<std::string> texts{text, text};
  for (std::size_t i = 0; i < text.size(); ++i) {
    texts.push_back(text);
    texts.back()[i] = '#';
    texts.push_back(text.substr(0, i + 1));
  }
  texts.push_back(text + "s");
  const UploadedTexts uploaded(texts);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    for (std::size_t j = 0; j < texts.size(); ++j) {
      EXPECT_EQ(is_same_token(uploaded.raw(), uploaded.places[i], uploaded.places[j]), texts[i] == texts[j])
          << texts[i] << ", " << texts[j];
    }
  }
}

TEST(DistinctTokensTest, SaysThatItIsFull) {
  std::vector<std::string> texts;
  for (int i = 0; i < 70; ++i) texts.push_back("w" + std::to_string(i));
  FilledTable table(texts, 64);
  std::size_t lost = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(table.is_full(), lost != 0);
    if (table.put(i) == DistinctTokens::kNone) ++lost;
  }
  EXPECT_EQ(lost, 6U);
  EXPECT_EQ(table.terms().size(), 64U);
}

TEST(DistinctTokensTest, HasSlotsForHalfOfTheTokensUpToItsLimit) {
  EXPECT_EQ(token_table_slots(0), 64U);
  EXPECT_EQ(token_table_slots(1000), 564U);
  EXPECT_EQ(token_table_slots(std::uint64_t{1} << 32), kMostTableSlots);
}

}  // namespace
}  // namespace spillway
