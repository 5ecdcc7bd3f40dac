#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "corpora/unpack/zstd_codec.hpp"
#include "tests/corpora/reader/packing.hpp"
#include "tests/corpora/unpack/packed_lines.hpp"

namespace spillway {
namespace {

using namespace spillway::testing;

TEST(Zstd, FramesAndSkippableFramesAreOneStream) {
  const auto result =
      read_lines(zstd_skippable_frame("head") + zstd_frame("one\ntw") + zstd_skippable_frame("") + zstd_frame("") +
                 zstd_frame("o\nthree") + zstd_skippable_frame(std::string(1000000, 's')));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_TRUE(result.skips.empty());
}

TEST(Zstd, TrailingGarbageIsCounted) {
  for (const char* const junk : {"x", "junk and more junk than a header"}) {
    const auto result = read_lines(zstd_frame("one\ntwo") + junk);
    EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "two"}));
    EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kTrailingGarbage});
  }
}

TEST(Zstd, ATruncatedFrameKeepsItsWholeRecords) {
  const std::string lines = numbered_lines(0, 100000);
  const std::string stored = zstd_frame(lines);
  for (const std::size_t kept : {stored.size() - 1, stored.size() / 2, std::size_t{5}, std::size_t{12}}) {
    const auto result = read_lines(stored.substr(0, kept));
    EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kZstdTruncated}) << kept;
    for (std::size_t i = 0; i < result.documents.size(); ++i) {
      ASSERT_EQ(result.documents[i].text, "line " + std::to_string(i) + " of many");
    }
    if (kept == stored.size() - 1) {
      EXPECT_EQ(result.documents.size(), 100000u);
    }
    if (kept == stored.size() / 2) {
      EXPECT_GT(result.documents.size(), 20000u);
    }
  }
}

TEST(Zstd, AWrongChecksumDropsASmallFrameAndGoesOn) {
  std::string bad = zstd_frame("two\n");
  bad.back() = static_cast<char>(bad.back() ^ 1);
  const auto result = read_lines(zstd_frame("one\n") + bad + zstd_frame("three\n"));
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"one", "three"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kZstdCorrupt});
}

// zstd stores such bytes as they are, so that a frame that lost some of them takes those of the next one instead.
std::string incompressible(std::uint64_t seed, std::size_t bytes) {
  std::mt19937_64 random(seed);
  std::string raw(bytes, '\0');
  for (char& c : raw) c = static_cast<char>(random());
  return raw;
}

TEST(Zstd, AFrameThatLostItsEndCostsNoOtherFrame) {
  const std::string raw = incompressible(7, 30000);
  for (const bool checksum : {true, false}) {
    const std::string frame = zstd_frame(raw, {.checksum = checksum});
    ASSERT_GT(frame.size(), raw.size());
    for (const std::size_t lost : {std::size_t{1}, std::size_t{20}, std::size_t{20000}}) {
      for (const int followers : {2, 40, 1000}) {
        std::string stored = zstd_frame("first\n") + frame.substr(0, frame.size() - lost);
        for (int i = 0; i < followers; ++i) {
          stored += zstd_frame("next " + std::to_string(i) + "\n", {.checksum = checksum});
        }
        const auto result = read_lines(stored);
        std::set<std::string> texts;
        for (const auto& text : result.texts()) texts.insert(text);
        for (int i = 1; i < followers; ++i) {  // the first line after a fault may be the rest of another one
          ASSERT_TRUE(texts.contains("next " + std::to_string(i))) << i << " of " << followers << ", lost " << lost;
        }
        EXPECT_FALSE(result.skips.empty());
      }
    }
  }
}

TEST(Zstd, AFrameInsideOfATruncatedFrameIsNoFaultOfItsOwn) {
  const std::string raw = incompressible(8, 3000);
  const std::string inner = zstd_frame("inner");
  const std::string frame = zstd_frame(raw + inner + raw + inner);
  for (const std::size_t lost : {std::size_t{1}, std::size_t{12}, raw.size()}) {
    const auto result = read_lines(zstd_frame("first\n") + frame.substr(0, frame.size() - lost));
    EXPECT_EQ(std::ranges::count(result.reasons(), SkipReason::kZstdTruncated), 1) << lost;
    EXPECT_EQ(std::ranges::count(result.reasons(), SkipReason::kTrailingGarbage), 0) << lost;
  }
}

TEST(Zstd, RandomDamageNeverJoinsRecords) {
  std::mt19937_64 random(18);
  std::string stored, lines;
  for (int i = 0; i < 40; ++i) stored += zstd_frame(numbered_lines(i * 100, i * 100 + 100));
  std::set<std::string> good;
  for (int i = 0; i < 4000; ++i) good.insert("line " + std::to_string(i) + " of many");
  for (int round = 0; round < 40; ++round) {
    std::string bad = stored;
    for (int i = 0; i < 5; ++i) bad[4 + random() % (bad.size() - 4)] = static_cast<char>(random());
    if (round % 3 == 0) bad.resize(4 + random() % bad.size());
    const auto result = read_lines(bad, 200, 2);
    for (const auto& text : result.texts()) ASSERT_TRUE(good.count(text) == 1) << text;
    expect_same_documents(read_lines(bad), result);
  }
}

TEST(Zstd, ReadsItsOwnEstimateOfMemory) {
  const std::string text(3000000, 'x');
  const auto known = zstd_frame_memory(zstd_frame(text, {.window_log = 21}));
  ASSERT_TRUE(known.has_value());
  EXPECT_GE(*known, 2u << 20);
  const auto small = zstd_frame_memory(zstd_frame("abc", {.window_log = 27}));
  ASSERT_TRUE(small.has_value());
  EXPECT_LT(*small, 2u << 20);
  const auto streamed = zstd_frame_memory(zstd_frame("abc", {.window_log = 27, .content_size = false}));
  ASSERT_TRUE(streamed.has_value());
  EXPECT_EQ(*streamed, (std::uint64_t{1} << 27) + ZstdCodec::kFixedBytes);
  EXPECT_FALSE(zstd_frame_memory("nothing of the kind").has_value());
  EXPECT_FALSE(zstd_frame_memory("\x28\xB5\x2F\xFD").has_value());
}

TEST(Zstd, RefusesAWindowThatNothingIsKeptForAndSaysWhatItNeeds) {
  ReadSetup setup = setup_of(CorpusFormat::kLines, 1 << 16);
  setup.budget_bytes = std::size_t{16} << 20;
  const ZstdOptions wide{.window_log = 25, .content_size = false};
  EXPECT_THROW(read_input(zstd_frame("one\n", wide), setup), BudgetError);
  // The window of a later frame is known only when the frame is reached.
  try {
    read_input(zstd_frame("zero\n") + zstd_frame("one\n", wide), setup);
    FAIL();
  } catch (const BudgetError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(std::to_string((std::uint64_t{1} << 25) + ZstdCodec::kFixedBytes)), std::string::npos);
    EXPECT_NE(message.find("--memory 256M"), std::string::npos) << message;
  }
  setup.budget_bytes = std::size_t{64} << 20;  // most of the budget is taken by others
  EXPECT_THROW(read_input(zstd_frame("zero\n") + zstd_frame("one\n", wide), setup), BudgetError);
  setup.limits.unpack_bytes = ZstdCodec::share_of(std::size_t{256} << 20);
  EXPECT_EQ(read_input(zstd_frame("zero\n") + zstd_frame("one\n", wide), setup).texts(),
            (std::vector<std::string>{"zero", "one"}));
  const ZstdOptions too_wide{.window_log = 28, .content_size = false};
  setup.budget_bytes = std::size_t{1} << 30;
  setup.limits.unpack_bytes = ZstdCodec::share_of(std::size_t{1} << 40);
  EXPECT_THROW(read_input(zstd_frame("one\n", too_wide), setup), BudgetError);
  // No budget would do, and what stands before it can be read.
  const auto result = read_input(zstd_frame("zero\n") + zstd_frame("one\n", too_wide) + zstd_frame("two\n"), setup);
  EXPECT_EQ(result.texts(), (std::vector<std::string>{"zero", "two"}));
  EXPECT_EQ(result.reasons(), std::vector<SkipReason>{SkipReason::kZstdCorrupt});
}

TEST(Zstd, ADamagedHeaderCostsItsFrameAlone) {
  std::string frame = zstd_frame("second " + incompressible(3, 300) + "\n", {.window_log = 17});
  ASSERT_EQ(frame[4] & 0x20, 0x20);  // one segment; its length stands in the header
  std::size_t damaged = 0;
  for (unsigned bit = 0; bit < 8; ++bit) {
    for (const std::size_t at : {std::size_t{4}, std::size_t{5}, std::size_t{6}}) {
      std::string bad = frame;
      bad[at] = static_cast<char>(bad[at] ^ 1 << bit);
      for (const bool is_first : {false, true}) {
        std::string stored = is_first ? bad : zstd_frame("first\n") + bad;
        for (int i = 0; i < 3; ++i) stored += zstd_frame("next\nlast\n");
        const auto texts = read_lines(stored).texts();
        EXPECT_GE(std::ranges::count(texts, "next"), 2) << "byte " << at << ", bit " << bit;
        EXPECT_EQ(std::ranges::count(texts, "last"), 3) << "byte " << at << ", bit " << bit;
        damaged += std::ranges::count(texts, "first") == 1 ? 1 : 0;
      }
    }
  }
  EXPECT_EQ(damaged, 24u);
}

TEST(Zstd, BuffersAndThreadsDoNotMatter) {
  const std::string lines = numbered_lines(0, 5000) + std::string(3000, 'y') + "\r\n" + numbered_lines(0, 10);
  const auto whole = read_lines(lines);
  const std::string stored = zstd_frame(lines);
  for (const std::size_t buffer_bytes : {64u, 4096u, 1u << 20}) {
    for (const unsigned threads : {1u, 3u, 8u}) expect_same_documents(read_lines(stored, buffer_bytes, threads), whole);
  }
}

}  // namespace
}  // namespace spillway
