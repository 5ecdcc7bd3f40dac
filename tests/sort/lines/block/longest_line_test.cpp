#include "sort/lines/block/longest_line.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "io/base/bytes.hpp"

namespace spillway {
namespace {

constexpr std::size_t kSure = LongestLineFinder::kSurelyFound;

// Gives a text in pieces of at most `most` bytes.
void give(LongestLineFinder& finder, std::string_view text, std::size_t most, std::mt19937& random) {
  while (!text.empty()) {
    const std::size_t bytes = std::min<std::size_t>(text.size(), random() % most + 1);
    finder.add(bytes_of(text.substr(0, bytes)));
    text.remove_prefix(bytes);
  }
}

TEST(LongestLine, IsFoundHoweverTextIsCut) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    std::uint64_t begin = 0, longest = 0;
    for (int lines = 1 + static_cast<int>(random() % 20); lines != 0; --lines) {
      const std::size_t bytes = random() % 4 == 0 ? kSure + random() % (2 * kSure) : random() % 300;
      if (bytes > longest) begin = text.size();
      longest = std::max<std::uint64_t>(longest, bytes);
      text += std::string(bytes, 'x') + "\n";
    }
    if (random() % 2 == 0) text.pop_back();
    LongestLineFinder finder('\n');
    finder.begin_text(7, 1000);
    give(finder, text, round % 2 == 0 ? 3000 : 200'000, random);
    finder.end_text();
    if (longest < kSure) continue;
    ASSERT_TRUE(finder.longest()) << "round " << round;
    EXPECT_EQ(finder.longest()->text, 7U);
    EXPECT_EQ(finder.longest()->begin, 1000 + begin) << "round " << round;
    EXPECT_EQ(finder.longest()->bytes, longest) << "round " << round;
  }
}

TEST(LongestLine, IsTheFirstOneOfSeveralTexts) {
  LongestLineFinder finder('\0');
  const std::string line(kSure, 'x');
  for (const std::size_t text : {3U, 4U}) {
    finder.begin_text(text);
    finder.add(bytes_of(line));
    finder.end_text();
  }
  ASSERT_TRUE(finder.longest());
  EXPECT_EQ(finder.longest()->text, 3U);
  EXPECT_EQ(finder.longest()->bytes, kSure);
}

}  // namespace
}  // namespace spillway
