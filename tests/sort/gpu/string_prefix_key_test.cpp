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

TEST(PrefixKey, OrdersStringsThatItTellsApart) {
  std::mt19937 random(1);
  std::size_t settled = 0;
  for (int i = 0; i < 20000; ++i) {
    const Text a = random_text(random), b = random_text_like(a, random);
    const PrefixKey a_key = load_key(a.view(), 0), b_key = load_key(b.view(), 0);
    const KeyOrder order = compare_whole_keys(a_key, b_key);
    check_order(a, b, 0, order);
    check_order(a, b, 0, compare_keys(a_key, b_key));
    EXPECT_EQ(order.is_settled, lcp(a.text, b.text) < kKeyBytes || std::min(a.text.size(), b.text.size()) <= kKeyBytes);
    settled += order.is_settled ? 1 : 0;
  }
  EXPECT_LT(settled, 20000u);
}

TEST(PrefixKey, KeepsItsWordAsItMovesOn) {
  std::mt19937 random(2);
  for (int i = 0; i < 40000; ++i) {
    const Text a = random_text(random), b = random_text_like(a, random);
    const std::uint32_t shared = lcp(a.text, b.text);
    if (shared == 0) continue;
    const auto depth = static_cast<std::uint32_t>(random() % shared) + 1;
    PrefixKey a_key = load_key(a.view(), 0);
    const PrefixKey b_key = load_key(b.view(), depth);
    if (depth > known_bytes(a_key)) continue;
    const bool says_something = can_advance_key(a_key, depth);
    a_key = advance_key(a_key, depth);
    EXPECT_EQ(says_something, known_bytes(a_key) != 0 || (a_key & kKeyGoesOn) == 0);
    check_order(a, b, depth, compare_keys(a_key, b_key));
    check_order(b, a, depth, compare_keys(b_key, a_key));
  }
}

TEST(PrefixKey, IsNeverAllOnes) {
  const Text ones(std::string(20, '\xFF'));
  EXPECT_NE(load_key(ones.view(), 0), ~PrefixKey{0});
  EXPECT_NE(load_key(ones.view(), 0) | kKeyMark, ~PrefixKey{0});
}

}  // namespace
}  // namespace spillway
