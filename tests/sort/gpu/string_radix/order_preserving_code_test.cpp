#include "sort/gpu/string_radix/order_preserving_code.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

using Table = std::vector<CodeInterval>;

Table make_table(const std::vector<std::uint32_t>& counts, std::uint32_t base) {
  Table intervals;
  for (std::uint32_t context = 0; context < base; ++context) {
    const auto row = counts.begin() + context * base;
    const std::uint32_t all = std::accumulate(row, row + base, 0u);
    std::uint32_t begin = 0;
    for (std::uint32_t digit = 0; digit < base; ++digit) {
      const std::uint32_t width = code_width(row[digit], all, base);
      intervals.push_back(make_code_interval(begin, width));
      begin += width;
    }
    EXPECT_LE(begin, kCodeUnits);
  }
  return intervals;
}

template <typename Code>
StringCodes codes_of(const std::string& text, const Code& code) {
  const std::string padded = text + std::string(16, '\xEE');
  return code(
      DeviceString{reinterpret_cast<const std::uint8_t*>(padded.data()), static_cast<std::uint32_t>(text.size())});
}
StringCodes codes_of(const std::string& text, const StringDigits& digits, const Table& intervals) {
  return codes_of(text, [&](const DeviceString& string) { return code_string(string, 0, digits, intervals.data()); });
}

StringDigits digits_of(const std::string& alphabet) {
  std::uint32_t used[8] = {};
  for (const char c : alphabet) used[static_cast<unsigned char>(c) / 32] |= 1u << (static_cast<unsigned char>(c) % 32);
  return make_string_digits(used);
}

std::string every_byte() {
  std::string bytes(kMaxCodeBase - 1, '\0');
  std::iota(bytes.begin(), bytes.end(), '\x05');
  return bytes;
}

// Codes are in order, and equal only where the strings are equal or both codes are full.
template <typename Code>
void check_codes(std::vector<std::string> strings, const Code& code) {
  std::sort(strings.begin(), strings.end());
  StringCodes last = codes_of(strings[0], code);
  for (std::size_t i = 1; i < strings.size(); ++i) {
    const StringCodes codes = codes_of(strings[i], code);
    const auto key = std::pair(codes.first, codes.second), last_key = std::pair(last.first, last.second);
    const bool is_open = (codes.first & 1) != 0 && (codes.second & 1) != 0;
    const bool has_second = (codes.first & 1) != 0;
    ASSERT_LE(last_key, key) << strings[i - 1] << ", " << strings[i];
    ASSERT_TRUE(strings[i] != strings[i - 1] || last_key == key) << strings[i];
    ASSERT_TRUE(strings[i] == strings[i - 1] || is_open || last_key != key) << strings[i - 1] << ", " << strings[i];
    ASSERT_TRUE(has_second || codes.second == 0);
    last = codes;
  }
}

void check_codes(const std::vector<std::string>& strings, const StringDigits& digits, const Table& intervals) {
  check_codes(strings, [&](const DeviceString& string) { return code_string(string, 0, digits, intervals.data()); });
}

std::string random_text(std::mt19937_64& random, const std::string& alphabet, std::size_t most) {
  std::string text(random() % (most + 1), '\0');
  for (char& c : text) c = alphabet[random() % alphabet.size() * (random() % 2) % alphabet.size()];
  return text;
}

// The sample may differ from the strings.
TEST(StringCode, KeepsTheOrderWhateverWasCounted) {
  using namespace std::string_literals;
  std::mt19937_64 random(7);
  for (const std::string& alphabet : {"A"s, "ab"s, "\0\x01\x7F\x80\xFF"s, "etaoinshrdlucm 0123456789"s, every_byte()}) {
    const StringDigits digits = digits_of(alphabet);
    std::vector<std::string> strings;
    for (int i = 0; i < 20000; ++i) strings.push_back(random_text(random, alphabet, i % 2 == 0 ? 6 : 40));
    std::vector<std::uint32_t> counts(std::size_t{digits.base} * digits.base);
    check_codes(strings, digits, make_table(counts, digits.base));
    for (std::uint32_t& count : counts) count = static_cast<std::uint32_t>(random() % 8 == 0 ? random() % 100000 : 0);
    check_codes(strings, digits, make_table(counts, digits.base));
  }
}

TEST(StringCode, SeparatesStringsThatDifferInOneByteOrEnd) {
  const StringDigits digits = digits_of("abcdefghijklmnopqrstuvwxyz");
  const Table intervals = make_table(std::vector<std::uint32_t>(27 * 27), 27);
  std::vector<std::string> strings;
  for (std::size_t bytes = 0; bytes <= 10; ++bytes) {
    for (char c = 'a'; c <= 'z'; ++c) strings.push_back(std::string(bytes, 'q') + c);
    strings.emplace_back(bytes, 'q');
  }
  check_codes(strings, digits, intervals);
}

// With matching counts, one code holds a hundred equal bytes.
TEST(StringCode, HoldsMoreOfWhatTheSampleHad) {
  const StringDigits digits = digits_of("A");
  const Table intervals = make_table({0, 100, 100, 5000}, 2);
  EXPECT_EQ(codes_of(std::string(100, 'A'), digits, intervals).first & 1, 0u);
  EXPECT_EQ(codes_of(std::string(1000, 'A'), digits, intervals).first & 1, 1u);
}

TEST(StringCode, ByDigitsKeepsTheOrder) {
  std::mt19937_64 random(8);
  const std::string alphabet = "etaoinshrdlucm0123456789";
  const StringDigits digits = digits_of(alphabet);
  std::vector<std::string> strings;
  for (int i = 0; i < 20000; ++i) strings.push_back(random_text(random, alphabet, 16));
  check_codes(strings, [&](const DeviceString& string) {
    return code_digits(string, load_unaligned(string.data, string.bytes), digits, shape_key(digits.base, 32, 16));
  });
}

// Codes begin after a prefix that all strings share, as in later rounds.
TEST(StringCode, ContinuesBehindAnyByte) {
  std::mt19937_64 random(9);
  const std::string alphabet = "ab/";
  const StringDigits digits = digits_of(alphabet);
  const Table intervals = make_table({0, 5, 5, 1, 2, 9, 9, 1, 30, 3, 3, 3, 1, 1, 100, 0}, digits.base);
  std::vector<std::string> strings;
  for (int i = 0; i < 20000; ++i) strings.push_back("abba/" + random_text(random, alphabet, 60));
  check_codes(strings, [&](const DeviceString& string) { return code_string(string, 5, digits, intervals.data()); });
}

TEST(StringCode, IsForAlphabetsThatFitAndSetsThatAreWorthATable) {
  EXPECT_TRUE(is_table_worthwhile(100, 10000));
  EXPECT_FALSE(is_table_worthwhile(100, 9999));
  EXPECT_TRUE(is_table_worthwhile(2, 4));
  EXPECT_FALSE(is_table_worthwhile(27, 1u << 30));
  EXPECT_FALSE(is_table_worthwhile(kMaxCodeBase + 1, 1u << 30));
  EXPECT_EQ(max_code_intervals(729), 729u);
  EXPECT_EQ(max_code_intervals(1u << 30), kMaxCodeBase * kMaxCodeBase);
}

}  // namespace
}  // namespace spillway
