// The groups found from tie bits are those found bit by bit, for any division of the places into ranges.
#include "sort/gpu/string/tie_groups.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace spillway {
namespace {

using Groups = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

struct Ties {
  std::vector<bool> bits;
  std::vector<std::uint32_t> words;
  explicit Ties(std::vector<bool> from) : bits(std::move(from)), words(TieGroups::word_count(bits.size())) {
    for (std::size_t i = 0; i < bits.size(); ++i) words[i / 32] |= std::uint32_t{bits[i]} << (i % 32);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(bits.size()); }
  Groups all() const {
    Groups groups;
    for (std::uint32_t begin = 0, end = 1; begin < count(); begin = end, ++end) {
      while (end < count() && bits[end]) ++end;
      if (end - begin > 1) groups.emplace_back(begin, end);
    }
    return groups;
  }
};

void check(const Ties& ties, std::uint32_t range, std::uint32_t fragment) {
  const TieGroups groups(ties.words, ties.count());
  Groups found;
  std::uint32_t finished = 0;
  for (std::uint32_t arrived = fragment; finished != ties.count(); arrived += fragment) {
    const std::uint32_t whole = groups.begin_of_group(std::min(arrived, ties.count()));
    ASSERT_TRUE(whole == ties.count() || !ties.bits[whole]);
    for (; finished < whole; finished = std::min(finished + range, whole)) {
      groups.for_each(finished, std::min(finished + range, whole), whole,
                      [&](std::uint32_t begin, std::uint32_t end) { found.emplace_back(begin, end); });
    }
  }
  EXPECT_EQ(found, ties.all()) << ties.count() << " places, ranges of " << range << ", fragments of " << fragment;
}

TEST(TieGroups, AreFoundWholeWhateverTheRanges) {
  std::mt19937 random(1);
  for (const std::uint32_t one_in : {2u, 3u, 50u, 400u}) {
    for (const std::size_t count : {1u, 2u, 31u, 32u, 33u, 64u, 65u, 1000u}) {
      std::vector<bool> bits(count), others(count);
      for (std::size_t i = 1; i < count; ++i) {
        bits[i] = random() % one_in == 0;
        others[i] = random() % one_in != 0;
      }
      for (const std::uint32_t range : {1u, 7u, 32u, 100u, 5000u}) {
        for (const std::uint32_t fragment : {1u, 32u, 77u, 5000u}) {
          check(Ties(bits), range, fragment);
          check(Ties(others), range, fragment);
        }
      }
    }
  }
}

// Pages that are only read take no memory.
TEST(TieGroups, AreFoundInSequencesOfTheMostPlaces) {
  constexpr std::uint32_t kCount = 0xFFFFFFFF;
  constexpr std::size_t kWords = TieGroups::word_count(kCount);
  void* const mapped = mmap(nullptr, kWords * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* const words = static_cast<std::uint32_t*>(mapped);
  words[kWords - 1] = 0b0111'0000'0000'0110u << 16;  // ties at places 2^32 - 15, -14, -4, -3 and -2
  const TieGroups groups({words, kWords}, kCount);
  Groups found;
  const auto keep = [&](std::uint32_t begin, std::uint32_t end) { found.emplace_back(begin, end); };
  groups.for_each(kCount - 200, kCount - 100, kCount, keep);
  EXPECT_TRUE(found.empty());
  groups.for_each(kCount - 100, kCount, kCount, keep);
  EXPECT_EQ(found, (Groups{{kCount - 15, kCount - 12}, {kCount - 4, kCount}}));
  munmap(mapped, kWords * sizeof(std::uint32_t));
}

}  // namespace
}  // namespace spillway
