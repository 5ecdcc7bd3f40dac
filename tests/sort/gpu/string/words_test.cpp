// Step logic of the GPU string sorters: words, shared prefixes, and digits compare as the bytes do.
#include "sort/gpu/string/words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "sort/gpu/string_radix/digits.hpp"

namespace spillway {
namespace {

DeviceString view(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), static_cast<std::uint32_t>(text.size())};
}

// Text at every alignment, in memory that ends with the last aligned word that may be read.
class AlignedText {
 public:
  AlignedText(std::string_view text, std::size_t skip) : words_((skip + text.size() + 7) / 8, ~std::uint64_t{0}) {
    data_ = reinterpret_cast<std::uint8_t*>(words_.data()) + skip;
    if (!text.empty()) std::memcpy(data_, text.data(), text.size());
  }
  const std::uint8_t* data() const { return data_; }

 private:
  std::vector<std::uint64_t> words_;
  std::uint8_t* data_;
};

TEST(StringWords, LoadsAnyBytesAtAnyAlignment) {
  const std::string text = "\x01\xFF\x03\x80\x05\x06\x07\x08";
  for (std::size_t skip = 0; skip < 8; ++skip) {
    for (std::size_t bytes = 0; bytes <= 8; ++bytes) {
      const AlignedText aligned(text.substr(0, bytes), skip);
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        expected |= std::uint64_t{static_cast<unsigned char>(text[i])} << (56 - 8 * i);
      }
      EXPECT_EQ(load_big_endian(aligned.data(), bytes), expected) << skip << " " << bytes;
    }
  }
}

TEST(StringWords, FindsWhereStringsDiffer) {
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
  const auto length = static_cast<std::uint32_t>(text.size());
  const AlignedText whole(text, 0);
  for (std::size_t skip = 0; skip < 8; ++skip) {
    for (std::uint32_t bytes = 0; bytes <= text.size(); ++bytes) {
      const AlignedText aligned(text.substr(0, bytes), skip);
      EXPECT_EQ(shared_prefix({whole.data(), length}, {aligned.data(), bytes}, bytes / 2), bytes);
      for (std::uint32_t change = bytes / 2; change < bytes; ++change) {
        std::string changed = text;
        changed[change] = '\0';
        const AlignedText other(changed, 0);
        EXPECT_EQ(shared_prefix({other.data(), length}, {aligned.data(), bytes}, bytes / 2), change);
      }
    }
  }
}

TEST(StringDigits, FillAKeyAsFarAsTheAlphabetAllows) {
  EXPECT_EQ(digits_within(5, 32, 9).digits, 9u);  // DNA of nine letters
  EXPECT_EQ(digits_within(5, 32, 9).bits, 21u);
  EXPECT_EQ(digits_within(2, 32, 100).digits, 32u);
  EXPECT_EQ(digits_within(2, 64, 100).digits, 64u);
  EXPECT_EQ(digits_within(2, 64, 100).bits, 64u);
  EXPECT_EQ(digits_within(95, 32, 100).digits, 4u);
  EXPECT_EQ(digits_within(256, 32, 100).digits, 4u);
  EXPECT_EQ(digits_within(256, 64, 100).digits, 8u);
  EXPECT_EQ(digits_within(257, 64, 100).digits, 7u);
  EXPECT_EQ(digits_within(257, 64, 100).bits, 57u);
  EXPECT_EQ(digits_within(257, 9, 100).digits, 1u);
}

TEST(StringDigits, TellInTheLowestBitWhetherTheStringGoesOn) {
  const DigitKey whole = shape_key(16, 32, 8), part = shape_key(16, 32, 9);
  EXPECT_TRUE(whole.is_whole());
  EXPECT_EQ(whole.bits, 32u);
  EXPECT_FALSE(part.is_whole());
  EXPECT_EQ(part.digits, 7u);
  EXPECT_EQ(part.bits, 29u);
  EXPECT_EQ(shape_key(2, 64, 64).bits, 64u);
  EXPECT_EQ(shape_key(2, 64, 65).digits, 63u);
}

template <typename Key>
void check_order(const std::vector<std::string>& strings) {
  std::uint32_t used[8] = {};
  for (const std::string& text : strings) {
    for (const char c : text) used[static_cast<unsigned char>(c) / 32] |= 1u << (static_cast<unsigned char>(c) % 32);
  }
  const StringDigits digits = make_string_digits(used);
  const DigitKey shape = shape_key(digits.base, 8 * sizeof(Key), 100);
  const auto key = [&](const std::string& text) { return pack_digits<Key>(view(text), 1, digits, shape); };
  const auto known = [&](const std::string& text) {
    return std::pair(text.substr(1, shape.digits), text.size() - 1 > shape.digits);
  };
  for (std::size_t i = 1; i < strings.size(); ++i) {
    const auto a = known(strings[i - 1]), b = known(strings[i]);
    const Key a_key = key(strings[i - 1]), b_key = key(strings[i]);
    ASSERT_EQ(a < b, a_key < b_key);
    ASSERT_EQ(a == b, a_key == b_key);
    ASSERT_EQ((b_key & 1) != 0, b.second);
    ASSERT_EQ(shape.bits == 8 * sizeof(Key) ? 0 : b_key >> shape.bits, 0u);
  }
}

TEST(StringDigits, CompareAsBytesDoAndEndWithTheString) {
  using namespace std::string_literals;
  std::mt19937_64 random(1);
  for (const std::string& alphabet :
       {"A"s, "ACGT"s, "\0\x01\x7F\x80\xFF"s, "etaoinshrdlucmfwypvbgkjqxz0123456789"s, ""s}) {
    std::vector<std::string> strings;
    for (int i = 0; i < 20000; ++i) {
      strings.emplace_back(1 + random() % 12, '\0');
      for (char& c : strings.back()) {
        c = alphabet.empty() ? static_cast<char>(random()) : alphabet[random() % alphabet.size()];
      }
    }
    check_order<std::uint32_t>(strings);
    check_order<std::uint64_t>(strings);
  }
}

}  // namespace
}  // namespace spillway
