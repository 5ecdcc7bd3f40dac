#include "sort/external/string_sort.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/sorters.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using Pair = std::pair<std::string, std::uint32_t>;

class ExternalStringSortTest : public ::testing::Test {
 protected:
  // Sorts with each sorter, reads twice, and compares with a stable sort in memory.
  void check(const std::vector<std::string>& strings, std::size_t memory_bytes, bool must_spill) {
    std::vector<Pair> expected;
    for (std::size_t i = 0; i < strings.size(); ++i)
      expected.emplace_back(strings[i], static_cast<std::uint32_t>(3 * i));
    std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
    for (const StringSorter* sorter : string_sorters()) {
      ExternalStringSort sort(budget_, temp_, *sorter, memory_bytes);
      EXPECT_EQ(budget_.used_bytes(), memory_bytes);
      for (std::size_t i = 0; i < strings.size(); ++i) sort.add(strings[i], static_cast<std::uint32_t>(3 * i));
      sort.sort();
      EXPECT_EQ(sort.spilled_bytes() != 0, must_spill);
      for (int time = 0; time < 2; ++time) {
        std::size_t at = 0, wrong = 0;
        sort.read([&](std::string_view text, std::uint32_t number) {
          wrong += at >= expected.size() || expected[at] != Pair(text, number) ? 1 : 0;
          ++at;
        });
        ASSERT_EQ(at, expected.size());
        ASSERT_EQ(wrong, 0u) << sorter->name();
      }
      ASSERT_TRUE(repeated(sort) == repeated_of(expected)) << sorter->name();
    }
    EXPECT_EQ(budget_.used_bytes(), 0u);
    EXPECT_EQ(temp_.used_bytes(), 0u);
  }

  static std::vector<Pair> repeated(ExternalStringSort& sort) {
    std::vector<Pair> pairs;
    sort.read_repeated([&](std::string_view text, std::uint32_t number) { pairs.emplace_back(text, number); });
    return pairs;
  }

  // Returns the pairs of `sorted` whose text equals that of a neighbour.
  static std::vector<Pair> repeated_of(const std::vector<Pair>& sorted) {
    std::vector<Pair> pairs;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const bool as_before = i != 0 && sorted[i - 1].first == sorted[i].first;
      const bool as_behind = i + 1 != sorted.size() && sorted[i + 1].first == sorted[i].first;
      if (as_before || as_behind) pairs.push_back(sorted[i]);
    }
    return pairs;
  }

  static std::vector<std::string> random_strings(std::size_t count, std::size_t longest, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::string> strings(count);
    for (std::string& text : strings) {
      text.resize(random() % (longest + 1));
      for (char& c : text) c = static_cast<char>(random() % 3 == 0 ? random() : 'x');
    }
    return strings;
  }

  // Returns the bytes that the C library's allocator has handed out. Sanitizers replace that allocator, so the figure
  // means nothing with them.
  static std::size_t allocated_bytes() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }

  static constexpr std::size_t kLeast = 256 << 10;
  testing::ScratchDirectory directory_;
  MemoryBudget budget_{64 << 20};
  TempSpace temp_{posix_file_system(), {}, directory_.path(), 0};
};

TEST_F(ExternalStringSortTest, SortsInMemoryWhatFits) {
  check({}, kLeast, false);
  check({""}, kLeast, false);
  check({"b", "a", "", "a", std::string("a\0", 2)}, kLeast, false);
  check(random_strings(20000, 20, 1), 16 << 20, false);
}

TEST_F(ExternalStringSortTest, SpillsWhatDoesNotFit) {
  check(random_strings(30000, 20, 2), kLeast, true);
  check(random_strings(100000, 12, 3), 1 << 20, true);
}

TEST_F(ExternalStringSortTest, MergesInSeveralPasses) {
  // About 1,500 strings a run, and far more runs than a merge may have open.
  check(random_strings(400000, 16, 4), kLeast, true);
}

TEST_F(ExternalStringSortTest, KeepsEqualStringsInNumberOrder) {
  check(std::vector<std::string>(60000, "the same"), kLeast, true);
  std::vector<std::string> few = random_strings(60000, 1, 5);
  check(few, kLeast, true);
}

TEST_F(ExternalStringSortTest, SortsTheLongestStrings) {
  std::vector<std::string> strings;
  std::mt19937_64 random(6);
  for (int i = 0; i < 60; ++i) {
    strings.emplace_back(65535 - random() % 3, 'l');
    strings.back()[random() % 65000] = static_cast<char>(random());
    strings.push_back(std::string(random() % 3, 'm'));
  }
  check(strings, kLeast, true);
  check(strings, 32 << 20, false);
}

TEST_F(ExternalStringSortTest, SortsPlacedStringsWhereTheyStand) {
  std::vector<std::string> strings = random_strings(40000, 3, 4);
  std::vector<Pair> expected;
  ExternalStringSort sort(budget_, temp_, *string_sorters().front(), 16 << 20);
  const std::span<StringRef> places = sort.place(strings.size());
  ASSERT_EQ(places.size(), strings.size());
  for (std::uint32_t i = 0; i < strings.size(); ++i) {
    if (i % 7 == 3) continue;  // not there
    places[i] = {reinterpret_cast<const std::uint8_t*>(strings[i].data()),
                 static_cast<std::uint32_t>(strings[i].size()), i};
    expected.emplace_back(strings[i], i);
  }
  sort.sort();
  std::stable_sort(expected.begin(), expected.end(), [](const Pair& a, const Pair& b) { return a.first < b.first; });
  std::vector<Pair> found;
  sort.read([&](std::string_view text, std::uint32_t number) { found.emplace_back(text, number); });
  EXPECT_TRUE(found == expected);
  EXPECT_TRUE(repeated(sort) == repeated_of(expected));
}

// Every string occurs twice, as in a corpus that was crawled twice. The sort takes no memory beyond its budget; a list
// of all repeated strings would take 8 MB more.
TEST_F(ExternalStringSortTest, FindsAnyNumberOfRepeatedStringsInItsMemory) {
  constexpr std::uint32_t kTexts = 1000000;
  MemoryBudget budget(std::size_t{192} << 20);
  ExternalStringSort sort(budget, temp_, *string_sorters().front(), budget.total_bytes());
  const std::span<StringRef> places = sort.place(std::size_t{2} * kTexts);
  ASSERT_EQ(places.size(), 2 * kTexts);
  std::vector<std::uint32_t> texts(kTexts);  // most significant byte first, in order of another number
  for (std::uint32_t i = 0; i < kTexts; ++i) texts[i] = __builtin_bswap32(i * 2654435761U);
  for (std::uint32_t i = 0; i < 2 * kTexts; ++i) {
    places[i] = {reinterpret_cast<const std::uint8_t*>(&texts[i % kTexts]), sizeof texts[0], i};
  }
  sort.sort();
  const std::size_t before = allocated_bytes();
  std::size_t most = 0, count = 0, wrong = 0, checks = 0;
  std::uint32_t last = 0;
  sort.read_repeated(
      [&](std::string_view, std::uint32_t number) {
        if (count % 100000 == 0) most = std::max(most, allocated_bytes());
        if (count % 2 == 0) wrong += number >= kTexts || (count != 0 && texts[last] == texts[number]) ? 1 : 0;
        if (count % 2 == 1) wrong += number != last + kTexts ? 1 : 0;
        last = count % 2 == 0 ? number : 0;
        ++count;
      },
      [&] { ++checks; });
  EXPECT_EQ(count, 2 * kTexts);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(checks, 1u);
  EXPECT_LT(most, before + (std::size_t{2} << 20));
}

TEST_F(ExternalStringSortTest, StopsLookingForRepeatedStrings) {
  const auto stop = [] { throw UsageError("stopped"); };
  for (const std::size_t memory_bytes : {kLeast, std::size_t{16} << 20}) {
    ExternalStringSort sort(budget_, temp_, *string_sorters().front(), memory_bytes);
    for (std::uint32_t i = 0; i < 30000; ++i) sort.add("all differ " + std::to_string(i), i);
    sort.sort();
    EXPECT_THROW(sort.read_repeated([](std::string_view, std::uint32_t) {}, stop), UsageError);
  }
}

TEST_F(ExternalStringSortTest, GivesNoPlacesForMoreThanFit) {
  ExternalStringSort sort(budget_, temp_, *string_sorters().front(), kLeast);
  EXPECT_TRUE(sort.place(kLeast / 16).empty());
  sort.add("b", 0);
  sort.add("a", 1);
  sort.sort();
  std::string order;
  sort.read([&](std::string_view text, std::uint32_t) { order += text; });
  EXPECT_EQ(order, "ab");
}

TEST_F(ExternalStringSortTest, RefusesLongerStrings) {
  ExternalStringSort sort(budget_, temp_, *string_sorters().front(), kLeast);
  EXPECT_THROW(sort.add(std::string(65536, 'x'), 0), UsageError);
}

TEST_F(ExternalStringSortTest, RefusesMoreMemoryThanThereIs) {
  EXPECT_THROW(ExternalStringSort(budget_, temp_, *string_sorters().front(), 65 << 20), BudgetError);
}

TEST_F(ExternalStringSortTest, FindsScratchBytesThatChanged) {
  const std::vector<std::string> strings = random_strings(20000, 20, 7);
  unsigned found = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    ExternalStringSort sort(budget_, temp_, *string_sorters().front(), kLeast);
    for (std::size_t i = 0; i < strings.size(); ++i) sort.add(strings[i], static_cast<std::uint32_t>(i));
    sort.sort();
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
    ASSERT_FALSE(files.empty());
    const auto& victim = files[random() % files.size()];
    std::fstream file(victim, std::ios::in | std::ios::out | std::ios::binary);
    const auto at = static_cast<std::streamoff>(random() % std::filesystem::file_size(victim));
    file.seekg(at);
    const char byte = static_cast<char>(file.get());
    file.seekp(at);
    file.put(static_cast<char>(byte ^ (1 << random() % 8)));
    file.close();
    try {
      sort.read([](std::string_view, std::uint32_t) {});
    } catch (const Error&) {
      ++found;
    }
  }
  EXPECT_EQ(found, 40u);
}

class SlowExternalStringSort : public ExternalStringSortTest {};

TEST_F(SlowExternalStringSort, SortsMillionsOfIdsInFourMebibytes) {
  constexpr std::uint32_t kCount = 8000000;
  const auto id = [](std::uint32_t i) {
    char text[32];
    std::snprintf(text, sizeof text, "doc-%016x", i * 2654435761u);
    return std::string(text, 20);
  };
  MemoryBudget budget(4 << 20);
  ExternalStringSort sort(budget, temp_, *string_sorters().front(), 4 << 20);
  for (std::uint32_t i = 0; i < kCount; ++i) sort.add(id(i), i);
  sort.sort();
  std::string last;
  std::uint64_t count = 0, sum = 0, wrong = 0;
  sort.read([&](std::string_view text, std::uint32_t number) {
    wrong += text <= last || text != id(number) ? 1 : 0;
    last = text;
    sum += number;
    ++count;
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(count, kCount);
  EXPECT_EQ(sum, std::uint64_t{kCount} * (kCount - 1) / 2);
}

TEST_F(ExternalStringSortTest, KeepsToTheLimitOfScratchSpace) {
  TempSpace little(posix_file_system(), {}, directory_.path(), 100000);
  ExternalStringSort sort(budget_, little, *string_sorters().front(), kLeast);
  const auto fill = [&] {
    for (std::uint32_t i = 0; i < 100000; ++i) sort.add("some text that is not short " + std::to_string(i * 7919), i);
  };
  EXPECT_THROW(fill(), BudgetError);
}

}  // namespace
}  // namespace spillway
