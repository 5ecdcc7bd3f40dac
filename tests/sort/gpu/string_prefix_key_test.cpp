// Cached prefixes say nothing wrong about their strings, and enough.
#include "sort/gpu/string_prefix_key.hpp"

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

// A string that begins as another one does.
Text random_text_like(const Text& other, std::mt19937& random) {
  return Text(other.text.substr(0, random() % (other.text.size() + 1)) + random_text(random).text);
}

std::uint32_t lcp(const std::string& a, const std::string& b) {
  const auto end = a.begin() + static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
  return static_cast<std::uint32_t>(std::mismatch(a.begin(), end, b.begin()).first - a.begin());
}

void check_order(const Text& a, const Text& b, std::uint32_t depth, const KeyOrder& order) {
  const std::uint32_t shared = lcp(a.text, b.text);
  if (order.is_settled) {
    EXPECT_EQ(depth + order.shared, shared);
    EXPECT_EQ(order.is_b_first, b.text < a.text);
  } else {
    EXPECT_LE(depth + order.shared, shared);
  }
}

// Symbols of the bytes of random_text() and of so many other byte values.
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
  std::size_t settled = 0;
  for (int i = 0; i < 20000; ++i) {
    const Text a = random_text(random), b = random_text_like(a, random);
    const PrefixKey a_key = load_key(alphabet_, a.view(), 0), b_key = load_key(alphabet_, b.view(), 0);
    const KeyOrder order = compare_whole_keys(alphabet_, a_key, b_key);
    check_order(a, b, 0, order);
    check_order(a, b, 0, compare_keys(alphabet_, a_key, b_key));
    const std::uint32_t whole = alphabet_.key_bytes();
    EXPECT_EQ(order.is_settled, lcp(a.text, b.text) < whole || std::min(a.text.size(), b.text.size()) <= whole);
    settled += order.is_settled ? 1 : 0;
  }
  EXPECT_EQ(settled == 20000u, alphabet_.key_bytes() >= 11);
}

TEST_P(PrefixKeyOfAlphabet, KeepsItsWordAsItMovesOn) {
  std::mt19937 random(2);
  for (int i = 0; i < 40000; ++i) {
    const Text a = random_text(random), b = random_text_like(a, random);
    const std::uint32_t shared = lcp(a.text, b.text);
    if (shared == 0) continue;
    const auto depth = static_cast<std::uint32_t>(random() % shared) + 1;
    PrefixKey a_key = load_key(alphabet_, a.view(), 0);
    const PrefixKey b_key = load_key(alphabet_, b.view(), depth);
    if (depth > known_bytes(a_key)) continue;
    const bool says_something = can_advance_key(a_key, depth);
    a_key = advance_key(alphabet_, a_key, depth);
    EXPECT_EQ(says_something, known_bytes(a_key) != 0 || (a_key & kKeyGoesOn) == 0);
    check_order(a, b, depth, compare_keys(alphabet_, a_key, b_key));
    check_order(b, a, depth, compare_keys(alphabet_, b_key, a_key));
  }
}

INSTANTIATE_TEST_SUITE_P(OtherBytes, PrefixKeyOfAlphabet, ::testing::Values(0u, 4u, 20u, 50u, 100u, 250u));

TEST(PrefixKey, HoldsAsManyBytesAsTheAlphabetAllows) {
  const auto key_bytes = [](std::uint32_t bits) { return KeyAlphabet(nullptr, bits).key_bytes(); };
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
  EXPECT_NE(load_key(alphabet, ones.view(), 0), ~PrefixKey{0});
  EXPECT_NE(load_key(alphabet, ones.view(), 0) | kKeyMark, ~PrefixKey{0});
}

}  // namespace
}  // namespace spillway
