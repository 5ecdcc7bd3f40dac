#include "corpora/synthetic/derived_sets.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "corpora/synthetic/string_sets.hpp"

namespace spillway {
namespace {

std::string string_of(const StringSet& set, std::uint64_t index) {
  std::string text(set.max_bytes() + 1, '\x7F');
  const char* const end = set.write(index, text.data());
  EXPECT_EQ(text.back(), '\x7F') << "a string is longer than max_bytes()";
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

MadeStringSet words() { return find_string_set("words").make(1); }

TEST(DerivedSets, HaveStringsOfOneLength) {
  const auto set = make_printable_set(12, 1);
  std::set<std::string> strings;
  for (std::uint64_t i = 0; i < 100; ++i) {
    strings.insert(string_of(*set, i));
    EXPECT_EQ(string_of(*set, i).size(), 12u);
    for (const char byte : string_of(*set, i)) EXPECT_TRUE(byte >= '!' && byte <= '~') << byte;
  }
  EXPECT_EQ(strings.size(), 100u);
}

TEST(DerivedSets, KeepEveryKthByte) {
  const auto whole = words(), third = make_every_kth_byte(words(), 3);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string expected;
    const std::string text = string_of(*whole, i);
    for (std::size_t at = 0; at < text.size(); at += 3) expected += text[at];
    EXPECT_EQ(string_of(*third, i), expected) << text;
  }
}

TEST(DerivedSets, RepeatEachByte) {
  const auto whole = words(), twice = make_repeated_bytes(words(), 2);
  for (std::uint64_t i = 0; i < 200; ++i) {
    std::string expected;
    for (const char byte : string_of(*whole, i)) expected += std::string(2, byte);
    EXPECT_EQ(string_of(*twice, i), expected);
  }
}

TEST(DerivedSets, KeepTheSetWithAFactorOfOne) {
  const auto whole = words(), kept = make_every_kth_byte(words(), 1), repeated = make_repeated_bytes(words(), 1);
  for (std::uint64_t i = 0; i < 50; ++i) {
    EXPECT_EQ(string_of(*kept, i), string_of(*whole, i));
    EXPECT_EQ(string_of(*repeated, i), string_of(*whole, i));
  }
}

}  // namespace
}  // namespace spillway
