#include "corpora/synthetic/generate_strings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "corpora/synthetic/string_sets.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"

namespace spillway {
namespace {

std::string lines_of(const std::string& name, std::uint64_t count, unsigned threads = 1, std::uint64_t seed = 1) {
  std::string lines;
  generate_strings(*find_string_set(name).make(seed), count, threads,
                   [&](std::string_view fragment) { lines += fragment; });
  return lines;
}

std::vector<std::string> strings_of(const std::string& name, std::uint64_t count) {
  const std::string lines = lines_of(name, count);
  std::vector<std::string> strings;
  for (std::size_t begin = 0; begin < lines.size();) {
    const std::size_t end = lines.find('\n', begin);
    strings.push_back(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  return strings;
}

// The bytes of a seed must never change: published figures depend on them.
TEST(GenerateStrings, SeedsMeanTheSameBytesEverywhere) {
  const std::map<std::string_view, std::string> expected{
      {"random", "a5ff07884d9b6bf0fc2a407cc8f5bc04"},       {"random-ascii", "58c34d3460213a7807c110e0b8a016e8"},
      {"artificial-2", "d7a8abed5eca7f38c51e93224fa9636d"}, {"artificial-4", "503a3d7768fb575f7e240506ded97231"},
      {"artificial-5", "ef1c391582d84d905f1ae32caef31f28"}, {"dna9", "311788bcfbb4dc1046f07d758830839d"},
      {"words", "8f404c936bc6453b68a06c68f88b7002"},        {"words-dup", "f8e9bc57bfab075c04a308e84e2e294f"},
      {"url", "cce362ad50e82fcb203e5d06a9ae54ed"},          {"pc-filelist", "ee21247d50ce65bad518fdd1ad5d1fc0"},
      {"sentences", "faa607fd273dfb75b7ba9b7a0f785a36"},    {"dictcalls", "67a43bf19f08d560af67d8c9835eec53"}};
  ASSERT_EQ(string_sets().size(), expected.size());
  for (const StringSetText& set : string_sets()) {
    const std::string lines = lines_of(std::string(set.name), 20000);
    EXPECT_EQ(to_hex(hash128({reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size()})),
              expected.at(set.name))
        << set.name;
  }
}

TEST(GenerateStrings, ThreadsDoNotMatter) {
  for (const StringSetText& set : string_sets()) {
    const std::string name(set.name);
    EXPECT_EQ(lines_of(name, 50000, 5), lines_of(name, 50000, 1)) << name;
  }
}

TEST(GenerateStrings, ASmallerSetIsTheStartOfALargerOne) {
  for (const StringSetText& set : string_sets()) {
    const std::string name(set.name);
    const std::string few = lines_of(name, 777), many = lines_of(name, 20000);
    EXPECT_EQ(many.substr(0, few.size()), few) << name;
    EXPECT_EQ(std::count(few.begin(), few.end(), '\n'), 777) << name << ": a string holds a line feed";
    EXPECT_EQ(many.find('\0'), std::string::npos) << name;
  }
}

// Blocks that are full, empty and partly filled.
TEST(GenerateStrings, MakesAsManyAsAsked) {
  for (const std::uint64_t count : {0, 1, 16383, 16384, 16385, 32768}) {
    for (const unsigned threads : {1u, 3u}) {
      const std::string lines = lines_of("words-dup", count, threads);
      EXPECT_EQ(static_cast<std::uint64_t>(std::count(lines.begin(), lines.end(), '\n')), count);
    }
  }
}

TEST(GenerateStrings, SeedsGiveOtherStringsWhereThereIsAChoice) {
  for (const StringSetText& set : string_sets()) {
    if (set.name == "artificial-2") continue;
    const std::string name(set.name);
    EXPECT_NE(lines_of(name, 1000, 1, 2), lines_of(name, 1000, 1, 1)) << name;
  }
}

TEST(GenerateStrings, FillsMemoryWithTheSameStrings) {
  for (const StringSetText& text : string_sets()) {
    const auto set = text.make(1);
    constexpr std::size_t kCount = 20000;
    std::vector<std::uint8_t> bytes(string_bytes(*set, kCount, 2));
    std::vector<std::uint64_t> offsets(kCount + 1);
    fill_strings(*set, 3, bytes, offsets);
    EXPECT_EQ(offsets.back(), bytes.size());
    const std::vector<std::string> expected = strings_of(std::string(text.name), kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::string found(bytes.begin() + static_cast<std::ptrdiff_t>(offsets[i]),
                              bytes.begin() + static_cast<std::ptrdiff_t>(offsets[i + 1]));
      ASSERT_EQ(found, expected[i]) << text.name << " " << i;
    }
  }
}

// A few long strings among short ones, like the lines of some files.
class UnevenSet final : public StringSet {
 public:
  explicit UnevenSet(std::size_t most) : most_(most) {}
  std::size_t max_bytes() const override { return most_; }
  char* write(std::uint64_t index, char* out) const override {
    return std::fill_n(out, index % 3 == 0 ? most_ : 1, static_cast<char>('a' + index % 26));
  }

 private:
  std::size_t most_;
};

TEST(GenerateStrings, HoldsFewLongStringsAtATime) {
  for (const std::size_t most : {std::size_t{1000}, std::size_t{1} << 20, std::size_t{9} << 20}) {
    const UnevenSet set(most);
    EXPECT_LE(generating_bytes(set, 100'000, 1), std::max(std::size_t{6} << 20, most + 100)) << most;
    EXPECT_LE(generating_bytes(set, 100'000, 4), std::max(std::size_t{24} << 20, most + 100)) << most;
    std::string expected, found;
    std::size_t longest_fragment = 0;
    for (std::uint64_t i = 0; i < 10; ++i) {
      std::string string(most, '?');
      string.resize(static_cast<std::size_t>(set.write(i, string.data()) - string.data()));
      expected += string + "\n";
    }
    generate_strings(set, 10, 3, [&](std::string_view fragment) {
      found += fragment;
      longest_fragment = std::max(longest_fragment, fragment.size());
    });
    EXPECT_TRUE(found == expected) << most;
    EXPECT_LE(longest_fragment, generating_bytes(set, 10, 1)) << most;
    EXPECT_EQ(string_bytes(set, 10, 3), expected.size() - 10);
  }
}

TEST(GenerateStrings, WhatWriteThrowsEndsTheWork) {
  const auto set = find_string_set("words").make(1);
  for (const unsigned threads : {1u, 4u}) {
    int fragments = 0;
    EXPECT_THROW(generate_strings(*set, 1'000'000, threads,
                                  [&](std::string_view) {
                                    if (++fragments == 3) throw IoError("full");
                                  }),
                 IoError);
    EXPECT_EQ(fragments, 3);
  }
}

TEST(StringSets, HaveTheLettersAndLengthsOfTheirSource) {
  const auto only = [](const std::string& text, std::string_view letters) {
    return text.find_first_not_of(letters) == std::string::npos;
  };
  std::set<std::size_t> ascii_lengths, a_lengths;
  for (const std::string& text : strings_of("random", 2000)) {
    EXPECT_TRUE(text.size() >= 90 && text.size() <= 110);
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 33 && c <= 126; }));
  }
  for (const std::string& text : strings_of("random-ascii", 2000)) {
    ascii_lengths.insert(text.size());
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= 33 && c <= 126; }));
  }
  EXPECT_EQ(ascii_lengths.size(), 20u);
  EXPECT_EQ(*ascii_lengths.rbegin(), 19u);
  for (const std::string& text : strings_of("artificial-2", 100)) EXPECT_EQ(text, std::string(100, 'A'));
  for (const std::string& text : strings_of("artificial-4", 2000)) {
    EXPECT_TRUE(only(text, "abcdefghi") && !text.empty() && text.size() <= 100);
  }
  for (const std::string& text : strings_of("artificial-5", 5000)) {
    EXPECT_TRUE(only(text, "A"));
    a_lengths.insert(text.size());
  }
  EXPECT_EQ(a_lengths.size(), 100u);
  EXPECT_EQ(*a_lengths.begin(), 1u);
  for (const std::string& text : strings_of("dna9", 2000)) EXPECT_TRUE(only(text, "ACGT") && text.size() == 9);
}

TEST(StringSets, WordsAreDistinctAlsoBeyondTheLowDigits) {
  const auto set = find_string_set("words").make(7);
  std::vector<char> room(set->max_bytes());
  std::set<std::string> words;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{1} << 28, std::uint64_t{50} << 28}) {
      words.emplace(room.data(), set->write(base + i, room.data()));
    }
  }
  EXPECT_EQ(words.size(), 9000u);
  const std::vector<std::string> many = strings_of("words", 200'000);
  EXPECT_EQ(std::set<std::string>(many.begin(), many.end()).size(), many.size());
}

TEST(StringSets, FitTheRoomThatTheyAskFor) {
  for (const StringSetText& text : string_sets()) {
    const auto set = text.make(3);
    std::vector<char> room(set->max_bytes() + 64);
    for (std::uint64_t i = 0; i < 30000; ++i) {
      const std::uint64_t index = i * 1'000'003;
      const char* const end = set->write(index, room.data());
      ASSERT_LE(static_cast<std::size_t>(end - room.data()), set->max_bytes()) << text.name << " " << index;
    }
  }
}

TEST(StringSets, AreRefusedByNamesThatAreNone) {
  EXPECT_THROW(find_string_set("genome"), UsageError);
  EXPECT_THROW(find_string_set(""), UsageError);
}

}  // namespace
}  // namespace spillway
