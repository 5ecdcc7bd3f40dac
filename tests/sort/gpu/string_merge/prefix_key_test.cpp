// Keys of prefixes order as their strings do, and hold as many bytes as they should.
#include "sort/gpu/string_merge/prefix_key.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

// Padded, because whole words are read.
struct Text {
  std::string text;
  std::vector<std::uint64_t> words;
  explicit Text(std::string from) : text(std::move(from)), words(text.size() / 8 + 2) {
    std::copy(text.begin(), text.end(), reinterpret_cast<char*>(words.data()));
  }
  DeviceString view() const {
    return {reinterpret_cast<const std::uint8_t*>(words.data()), static_cast<std::uint32_t>(text.size())};
  }
};

Text random_text(std::mt19937& random) {
  std::string text(random() % 12, '\0');
  for (char& c : text) c = "\0a\xFF"[random() % 3];
  return Text(text);
}

// Returns a string with the same first bytes as `other`.
Text random_text_like(const Text& other, std::mt19937& random) {
  return Text(other.text.substr(0, random() % (other.text.size() + 1)) + random_text(random).text);
}

std::uint32_t lcp(const std::string& a, const std::string& b) {
  const auto end = a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::uint32_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

std::uint32_t random_up_to(std::uint32_t most, std::mt19937& random) {
  return static_cast<std::uint32_t>(random() % (most + 1));
}

// The symbols of the bytes of random_text() and of `others` more byte values.
KeySymbols symbols_with(unsigned others) {
  std::uint32_t used[8] = {1, 0, 0, 2, 0, 0, 0, 1u << 31};
  for (unsigned byte = 1; byte <= others; ++byte) used[byte / 32] |= 1u << (byte % 32);
  return make_key_symbols(used);
}

class PrefixKeyOfAlphabet : public ::testing::TestWithParam<unsigned> {
 protected:
  KeySymbols symbols_ = symbols_with(GetParam());
  KeyAlphabet alphabet_{symbols_.symbol_of, symbols_.bits};
};

TEST_P(PrefixKeyOfAlphabet, OrdersStringsThatItTellsApart) {
  std::mt19937 random(1);
  for (const std::uint32_t in_front : {0u, 1u, 21u, 33u}) {
    const std::uint32_t whole = alphabet_.key_bytes(in_front);
    for (int i = 0; i < 10000; ++i) {
      const Text a = random_text(random), b = random_text_like(a, random);
      const std::uint32_t depth = random_up_to(lcp(a.text, b.text), random), shared = lcp(a.text, b.text) - depth;
      const PrefixKey a_key = load_key(alphabet_, a.view(), depth, in_front);
      const PrefixKey b_key = load_key(alphabet_, b.view(), depth, in_front);
      EXPECT_EQ(in_front == 0 ? 0 : a_key >> (64 - in_front), 0u);
      if (a_key != b_key) {
        EXPECT_EQ(a_key < b_key, a.text < b.text);
      } else if ((a_key & kKeyGoesOn) == 0) {
        EXPECT_EQ(a.text, b.text);
      } else {
        EXPECT_EQ(known_bytes(a_key), whole);
      }
      EXPECT_EQ(a_key == b_key, a.text == b.text || (shared >= whole && a.text.size() > depth + whole &&
                                                     b.text.size() > depth + whole));
    }
  }
}

// Keys of a group relative to its pivot order as the strings do; equal keys give the number of bytes that they share.
TEST_P(PrefixKeyOfAlphabet, OrdersStringsInRelationToAPivot) {
  std::mt19937 random(2);
  std::size_t told_apart = 0, tries = 40000;
  for (std::size_t i = 0; i < tries; ++i) {
    const bool is_long = i % 8 == 0;
    const Text pivot =
        is_long ? Text(std::string(2 * kMostOffset, 'a') + random_text(random).text) : random_text(random);
    const Text a = random_text_like(pivot, random),
               b = i % 2 == 0 ? random_text_like(pivot, random) : random_text_like(a, random);
    const std::uint32_t in_front = i % 3 == 0 ? 0 : 10;
    const std::uint32_t depth = random_up_to(std::min(lcp(a.text, pivot.text), lcp(b.text, pivot.text)), random);
    const GroupDepth group{depth, i % 5 == 0 && depth > 0 ? PivotReach::kWhole : PivotReach::kStep};
    const auto key_of = [&](const Text& text) {
      const PivotPair pair{text.view(), pivot.view(), group};
      return pivot_key(alphabet_, pair, pair.shared_bytes(), in_front);
    };
    const PrefixKey a_key = key_of(a), b_key = key_of(b);
    if (a_key != b_key) {
      ++told_apart;
      EXPECT_EQ(a_key < b_key, a.text < b.text);
    } else if ((a_key & kKeyGoesOn) == 0) {
      EXPECT_EQ(a.text, b.text);
    } else {
      const GroupDepth known = depth_beside_pivot(a_key, in_front, group);
      EXPECT_GT(known.depth, depth);
      EXPECT_LE(known.depth, lcp(a.text, b.text));
      EXPECT_EQ(known.reach == PivotReach::kWhole,
                group.reach == PivotReach::kStep && lcp(a.text, pivot.text) >= depth + kMostOffset);
    }
    EXPECT_EQ((key_of(pivot) & kKeyGoesOn) != 0,
              group.reach == PivotReach::kStep &&
                  pivot.text.size() - depth > kMostOffset + alphabet_.key_bytes(in_front + kPlaceBits));
  }
  EXPECT_GT(told_apart, tries / 4);
}

INSTANTIATE_TEST_SUITE_P(OtherBytes, PrefixKeyOfAlphabet, ::testing::Values(0u, 4u, 20u, 50u, 100u, 250u));

TEST(PrefixKey, HoldsAsManyBytesAsTheAlphabetAllows) {
  const auto key_bytes = [](std::uint32_t bits) { return KeyAlphabet(nullptr, bits).key_bytes(0); };
  EXPECT_EQ(symbol_bits(0), 1u);
  EXPECT_EQ(symbol_bits(2), 1u);
  EXPECT_EQ(symbol_bits(32), 5u);
  EXPECT_EQ(symbol_bits(33), 6u);
  EXPECT_EQ(symbol_bits(64), 6u);
  EXPECT_EQ(symbol_bits(65), 8u);
  EXPECT_EQ(symbol_bits(256), 8u);
  EXPECT_EQ(key_bytes(8), 7u);
  EXPECT_EQ(key_bytes(5), 11u);
  EXPECT_EQ(key_bytes(2), 28u);
  EXPECT_EQ(key_bytes(1), 31u);
  for (std::uint32_t bits = 1; bits <= 8; ++bits) {
    for (std::uint32_t all = 0; all <= 56; ++all) EXPECT_EQ(KeyAlphabet(nullptr, bits).symbols_in(all), all / bits);
  }
}

TEST(PrefixKey, IsNeverAllOnes) {
  const KeySymbols symbols = symbols_with(254);
  const KeyAlphabet alphabet(symbols.symbol_of, symbols.bits);
  const Text ones(std::string(20, '\xFF'));
  EXPECT_NE(load_key(alphabet, ones.view(), 0, 0), ~PrefixKey{0});
  // The last group and the last relation to the pivot.
  const Text before(std::string(20, '\xFE'));
  for (const GroupDepth group : {GroupDepth{0, PivotReach::kStep}, {0, PivotReach::kWhole}}) {
    const PrefixKey key = pivot_key(alphabet, {ones.view(), before.view(), group}, 0, 0);
    EXPECT_NE(key, ~PrefixKey{0});
    EXPECT_EQ(key >> (64 - place_bits(group.reach)), 2 * pivot_number(group.reach));
  }
}

// The greatest number of groups in front leaves no room for bytes of a large alphabet: the numbers alone decide.
TEST(PrefixKey, TellsStringsApartByTheirNumberAlone) {
  const KeySymbols symbols = symbols_with(254);
  const KeyAlphabet alphabet(symbols.symbol_of, symbols.bits);
  const std::uint32_t in_front = 22;
  EXPECT_EQ(alphabet.key_bytes(in_front + kWholePlaceBits), 0u);
  const Text pivot(std::string(3000, 'p'));
  const GroupDepth group{1, PivotReach::kWhole};
  const auto key_of = [&](const std::string& text) {
    const Text padded(text);
    const PivotPair pair{padded.view(), pivot.view(), group};
    return pivot_key(alphabet, pair, pair.shared_bytes(), in_front);
  };
  const std::vector<std::string> sorted{"p",
                                        pivot.text.substr(0, 2000) + "o",
                                        pivot.text.substr(0, 2500) + "o",
                                        pivot.text,
                                        pivot.text + "a",
                                        pivot.text.substr(0, 2000) + "q",
                                        "pq"};
  for (std::size_t i = 1; i < sorted.size(); ++i) EXPECT_LT(key_of(sorted[i - 1]), key_of(sorted[i])) << i;
  EXPECT_EQ(depth_beside_pivot(key_of(sorted[1]), in_front, group).depth, 2000u);
  EXPECT_EQ(depth_beside_pivot(key_of(sorted[5]), in_front, group).depth, 2000u);
  EXPECT_EQ(key_of(pivot.text) & kKeyGoesOn, 0u);
}

}  // namespace
}  // namespace spillway
