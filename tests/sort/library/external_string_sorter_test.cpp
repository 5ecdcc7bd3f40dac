#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <random>

#include "io/memory/budget.hpp"
#include "sort/library/sort.hpp"
#include "tests/sort/library/string_sets.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::contract_sets;
using testing::random_strings;
using testing::ScratchDirectory;
using testing::Strings;
using Pair = std::pair<std::string, std::string>;
using Kind = SortFailure::Kind;

constexpr std::size_t kLeastMemory = std::size_t{32} << 20;
constexpr std::size_t kMany = 600'000;  // strings that do not fit it

Strings read_all(ExternalStringSorter& sorter) {
  Strings strings;
  while (sorter.next()) {
    strings.emplace_back(sorter.string());
    EXPECT_TRUE(sorter.value().empty());
  }
  return strings;
}

std::vector<Pair> read_pairs(ExternalStringSorter& sorter) {
  std::vector<Pair> pairs;
  while (sorter.next()) pairs.emplace_back(sorter.string(), sorter.value());
  return pairs;
}

std::optional<Kind> failure_of(const std::function<void()>& call, std::string_view message = {}) {
  try {
    call();
  } catch (const SortFailure& failure) {
    EXPECT_NE(std::string_view(failure.what()).find(message), std::string_view::npos) << failure.what();
    return failure.kind();
  }
  return std::nullopt;
}

class ExternalStrings : public ::testing::Test {
 protected:
  ExternalStrings() {
    options_.memory_bytes = kLeastMemory;
    options_.temp_directories = {scratch_.path()};
    options_.threads = 3;
  }

  Strings sort(const Strings& strings) {
    ExternalStringSorter sorter(options_);
    for (const std::string& string : strings) sorter.add(string);
    EXPECT_EQ(sorter.size(), strings.size());
    sorter.finish();
    Strings sorted = read_all(sorter);
    EXPECT_FALSE(sorter.next());
    spilled_bytes_ = sorter.spilled_bytes();
    return sorted;
  }

  std::vector<Pair> sort(const std::vector<Pair>& pairs) {
    ExternalStringSorter sorter(options_);
    for (const auto& [key, value] : pairs) sorter.add(key, value);
    sorter.finish();
    std::vector<Pair> sorted = read_pairs(sorter);
    spilled_bytes_ = sorter.spilled_bytes();
    return sorted;
  }

  // Few keys, and values that tell how they were added.
  static std::vector<Pair> numbered_pairs(std::size_t count) {
    std::vector<Pair> pairs;
    const Strings keys = random_strings(count, 6, testing::kEdgeBytes, 11);
    for (std::size_t i = 0; i < count; ++i) {
      pairs.emplace_back(keys[i], std::string("\0\1\2", i % 4) + std::to_string(count - i));
    }
    return pairs;
  }

  bool left_no_files() const { return std::filesystem::is_empty(scratch_.path()); }

  const tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, 4};
  ScratchDirectory scratch_;
  ExternalSortOptions options_;
  std::uint64_t spilled_bytes_ = 0;
};

TEST_F(ExternalStrings, SortsEverySet) {
  for (const bool is_descending : {false, true}) {
    for (const Strings& strings : contract_sets()) {
      Strings expected = strings;
      std::ranges::sort(expected);
      if (is_descending) std::ranges::reverse(expected);
      options_.is_descending = is_descending;
      options_.is_unique = false;
      EXPECT_EQ(sort(strings), expected) << strings.size() << " strings";
      expected.erase(std::ranges::unique(expected).begin(), expected.end());
      options_.is_unique = true;
      EXPECT_EQ(sort(strings), expected) << strings.size() << " strings, unique";
      EXPECT_EQ(spilled_bytes_, 0);
    }
  }
}

// Some blocks become runs, and the last one stays in memory.
TEST_F(ExternalStrings, SortsOutOfCore) {
  const Strings strings = random_strings(2 * kMany, 40, testing::all_bytes(), 7);
  Strings expected = strings;
  std::ranges::sort(expected);
  EXPECT_EQ(sort(strings), expected);
  EXPECT_GT(spilled_bytes_, std::size_t{16} << 20);
  options_.is_descending = true;
  std::ranges::reverse(expected);
  EXPECT_EQ(sort(strings), expected);
  EXPECT_TRUE(left_no_files());
}

TEST_F(ExternalStrings, KeepsOneOfEqualStringsOutOfCore) {
  options_.is_unique = true;
  const Strings strings = random_strings(2 * kMany, 5, testing::kEdgeBytes, 8);
  Strings expected = strings;
  std::ranges::sort(expected);
  expected.erase(std::ranges::unique(expected).begin(), expected.end());
  EXPECT_EQ(sort(strings), expected);
  EXPECT_GT(spilled_bytes_, 0);
}

TEST_F(ExternalStrings, SortsByKeysAndThenByValues) {
  for (const std::size_t count : {std::size_t{5'000}, kMany}) {
    const std::vector<Pair> pairs = numbered_pairs(count);
    std::vector<Pair> expected = pairs;
    std::ranges::sort(expected);
    EXPECT_EQ(sort(pairs), expected);
    EXPECT_EQ(spilled_bytes_ != 0, count == kMany);
    std::ranges::reverse(expected);
    options_.is_descending = true;
    EXPECT_EQ(sort(pairs), expected);
    options_.is_descending = false;
  }
}

TEST_F(ExternalStrings, KeepsTheOrderOfEqualKeysIfStable) {
  options_.is_stable = true;
  for (const std::size_t count : {std::size_t{5'000}, kMany}) {
    for (const bool is_descending : {false, true}) {
      options_.is_descending = is_descending;
      const std::vector<Pair> pairs = numbered_pairs(count);
      std::vector<Pair> expected = pairs;
      std::ranges::stable_sort(expected, [&](const Pair& a, const Pair& b) {
        return is_descending ? a.first > b.first : a.first < b.first;
      });
      EXPECT_EQ(sort(pairs), expected);
      EXPECT_EQ(spilled_bytes_ != 0, count == kMany);
    }
  }
}

TEST_F(ExternalStrings, KeepsTheFirstOfEqualKeysIfUnique) {
  options_.is_unique = true;
  for (const std::size_t count : {std::size_t{5'000}, kMany}) {
    for (const bool is_descending : {false, true}) {
      options_.is_descending = is_descending;
      const std::vector<Pair> pairs = numbered_pairs(count);
      std::vector<Pair> expected = pairs;
      std::ranges::stable_sort(expected, [&](const Pair& a, const Pair& b) {
        return is_descending ? a.first > b.first : a.first < b.first;
      });
      expected.erase(std::ranges::unique(expected, {}, &Pair::first).begin(), expected.end());
      EXPECT_EQ(sort(pairs), expected);
      EXPECT_EQ(spilled_bytes_ != 0, count == kMany);
    }
  }
}

TEST_F(ExternalStrings, TakesKeysWithAndWithoutValues) {
  ExternalStringSorter sorter(options_);
  sorter.add("b");
  sorter.add("a", "");
  sorter.add("a", "1");
  sorter.add("a");
  sorter.finish();
  EXPECT_EQ(read_pairs(sorter), (std::vector<Pair>{{"a", ""}, {"a", ""}, {"a", "1"}, {"b", ""}}));
}

TEST_F(ExternalStrings, SortsByNamedSorters) {
  const Strings strings = random_strings(20'000, 12, testing::kEdgeBytes, 9);
  Strings expected = strings;
  std::ranges::sort(expected);
  for (const char* sorter : {"cpu-msd", "cpu-multikey"}) {
    options_.sorter = sorter;
    EXPECT_EQ(sort(strings), expected);
  }
}

// They are longer than what is handed on at once.
TEST_F(ExternalStrings, SortsLongStrings) {
  options_.most_string_bytes = std::size_t{2} << 20;
  options_.memory_bytes = std::size_t{64} << 20;
  Strings strings;
  for (std::size_t i = 0; i < 60; ++i) {
    strings.push_back(std::string(300'000 + i * 1'000, static_cast<char>(i % 3)) + std::to_string(i % 7));
    strings.push_back(std::string(1'000'000, 'x') + std::to_string(60 - i));
  }
  Strings expected = strings;
  std::ranges::sort(expected);
  EXPECT_EQ(sort(strings), expected);
  EXPECT_GT(spilled_bytes_, 0);
}

TEST_F(ExternalStrings, RefusesLongerStringsAndGoesOn) {
  options_.most_string_bytes = 10;
  ExternalStringSorter sorter(options_);
  sorter.add("123456789a");
  EXPECT_EQ(failure_of([&] { sorter.add("123456789ab"); }, "11 bytes"), Kind::kUsage);
  EXPECT_EQ(failure_of([&] { sorter.add(std::string(6, '\0')); }, "12 bytes"), Kind::kUsage);
  EXPECT_EQ(failure_of([&] { sorter.add("123456", "78901"); }, "most_string_bytes"), Kind::kUsage);
  sorter.add(std::string(5, '\0'));
  sorter.finish();
  EXPECT_EQ(read_all(sorter), (Strings{std::string(5, '\0'), "123456789a"}));
}

TEST_F(ExternalStrings, RefusesCallsOutOfTurn) {
  ExternalStringSorter sorter(options_);
  sorter.add("a");
  EXPECT_EQ(failure_of([&] { sorter.next(); }, "before finish()"), Kind::kUsage);
  sorter.finish();
  EXPECT_EQ(failure_of([&] { sorter.add("b"); }, "after finish()"), Kind::kUsage);
  EXPECT_EQ(failure_of([&] { sorter.finish(); }, "after finish()"), Kind::kUsage);
  EXPECT_EQ(read_all(sorter), Strings{"a"});
}

TEST_F(ExternalStrings, RefusesTooLittleMemoryNamingWhatIsNeeded) {
  options_.memory_bytes = kLeastMemory;
  options_.most_string_bytes = std::size_t{8} << 20;
  std::string message;
  try {
    const ExternalStringSorter sorter(options_);
  } catch (const SortFailure& failure) {
    EXPECT_EQ(failure.kind(), Kind::kBudget);
    message = failure.what();
  }
  const std::size_t at = message.find("needs ");
  ASSERT_NE(at, std::string::npos) << message;
  options_.memory_bytes = std::stoull(message.substr(at + 6));
  EXPECT_EQ(sort(Strings{std::string(options_.most_string_bytes, 'b'), "a"}).front(), "a");
  --options_.memory_bytes;
  EXPECT_EQ(failure_of([&] { const ExternalStringSorter sorter(options_); }, "raise it"), Kind::kBudget);
}

TEST_F(ExternalStrings, RefusesOptionsThatNoSortCanHave) {
  options_.sorter = "none";
  EXPECT_EQ(failure_of([&] { const ExternalStringSorter sorter(options_); }, "cpu-msd"), Kind::kUsage);
  options_.sorter = "auto";
  options_.most_string_bytes = (std::size_t{1} << 30) + 1;
  EXPECT_EQ(failure_of([&] { const ExternalStringSorter sorter(options_); }, "1073741824"), Kind::kUsage);
}

// Adds until that fails. After that, every call fails in the same way.
void expect_lasting_failure(ExternalStringSorter& sorter, Kind kind, std::string_view message) {
  const std::string string(1'000, 'x');
  const auto add_many = [&] {
    for (std::size_t i = 0; i < 100'000; ++i) sorter.add(std::to_string(i * 7919 % 100'000) + string);
  };
  EXPECT_EQ(failure_of(add_many, message), kind);
  EXPECT_EQ(failure_of([&] { sorter.add("a"); }, message), kind);
  EXPECT_EQ(failure_of([&] { sorter.finish(); }, message), kind);
  EXPECT_EQ(failure_of([&] { sorter.next(); }, message), kind);
}

TEST_F(ExternalStrings, FailsWithoutItsScratchDirectory) {
  options_.temp_directories = {scratch_ / "none"};
  ExternalStringSorter sorter(options_);
  expect_lasting_failure(sorter, Kind::kIo, "none");
}

TEST_F(ExternalStrings, FailsAboveTheLimitOfScratchFiles) {
  options_.temp_limit_bytes = 10'000;
  ExternalStringSorter sorter(options_);
  expect_lasting_failure(sorter, Kind::kBudget, "may hold 10000");
}

// The last strings may be what does not fit.
TEST_F(ExternalStrings, ReportsWhatFailsAfterTheLastString) {
  options_.temp_directories = {scratch_ / "none"};
  ExternalStringSorter sorter(options_);
  std::size_t added = 0;
  const auto call = [&] {
    for (; added < 120'000; ++added) sorter.add(std::to_string(added * 7919 % 120'000) + std::string(100, 'x'));
    sorter.finish();
  };
  EXPECT_EQ(failure_of(call, "none"), Kind::kIo);
  EXPECT_EQ(failure_of([&] { sorter.next(); }, "none"), Kind::kIo);
}

TEST_F(ExternalStrings, MayBeDestroyedAtAnyTime) {
  const Strings strings = random_strings(kMany, 40, testing::all_bytes(), 10);
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kMany / 2, kMany}) {
    for (const std::size_t read : {std::size_t{0}, std::size_t{1}, count / 2}) {
      ExternalStringSorter adding(options_), reading(options_);
      for (std::size_t i = 0; i < count; ++i) adding.add(strings[i]);
      for (std::size_t i = 0; i < count; ++i) reading.add(strings[i]);
      reading.finish();
      for (std::size_t i = 0; i < read && reading.next(); ++i) continue;
    }
  }
  EXPECT_TRUE(left_no_files());
}

TEST_F(ExternalStrings, MayBeMoved) {
  ExternalStringSorter first(options_);
  first.add("b");
  ExternalStringSorter second = std::move(first);
  second.add("a");
  second.finish();
  ASSERT_TRUE(second.next());
  ExternalStringSorter third(options_);
  third = std::move(second);
  EXPECT_EQ(third.string(), "a");
  EXPECT_EQ(read_all(third), Strings{"b"});
  EXPECT_EQ(third.size(), 2);
}

// Sorts strings that are made one after the other, and returns by how much the resident memory grew at most.
std::optional<std::size_t> peak_of_sort(const ExternalSortOptions& options, std::size_t count, std::size_t most_bytes) {
  std::mt19937_64 random(12);
  std::string string;
  const auto next_string = [&] {
    string.assign(random() % (most_bytes + 1), 'q');
    for (std::size_t at = 0; at < string.size(); at += 13) string[at] = static_cast<char>('a' + random() % 26);
  };
  std::ofstream reset("/proc/self/clear_refs");
  if (!(reset << 5 << std::flush)) return std::nullopt;  // the peak begins anew
  const std::size_t before = resident_bytes();
  ExternalStringSorter sorter(options);
  std::uint64_t sum = 0, expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    next_string();
    sorter.add(string);
    expected += std::hash<std::string_view>()(string);
  }
  sorter.finish();
  std::string last;
  while (sorter.next()) {
    EXPECT_LE(last, sorter.string());
    last = sorter.string();
    sum += std::hash<std::string_view>()(last);
  }
  EXPECT_EQ(sum, expected);
  EXPECT_GT(sorter.spilled_bytes(), 0);
  return peak_resident_bytes() - before;
}

struct MemoryCase {
  const char* name;
  std::size_t mebibytes, count, most_bytes;
  bool is_stable;
};

class ExternalStringsMemory : public ::testing::TestWithParam<MemoryCase> {};

TEST_P(ExternalStringsMemory, StaysWithinItsLimit) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take memory of their own";
#endif
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, 4);
  const ScratchDirectory scratch;
  ExternalSortOptions options;
  options.memory_bytes = GetParam().mebibytes << 20;
  options.temp_directories = {scratch.path()};
  options.threads = 4;
  options.is_stable = GetParam().is_stable;
  options.most_string_bytes = std::max(options.most_string_bytes, GetParam().most_bytes);
  const auto peak = peak_of_sort(options, GetParam().count, GetParam().most_bytes);
  if (!peak) GTEST_SKIP() << "the system does not reset the peak of memory";
  RecordProperty("peak_bytes", std::to_string(*peak));
  EXPECT_LE(*peak, options.memory_bytes / 100 * 105);
  EXPECT_GE(*peak, options.memory_bytes / 4);
}

INSTANTIATE_TEST_SUITE_P(Sets, ExternalStringsMemory,
                         ::testing::Values(MemoryCase{"Short", 64, 2'000'000, 60, false},
                                           MemoryCase{"Empty", 32, 4'000'000, 0, false},
                                           MemoryCase{"Stable", 64, 1'500'000, 60, true},
                                           MemoryCase{"Default", 32, 500, 256 << 10, false},
                                           MemoryCase{"DefaultStable", 32, 400, 256 << 10, true},
                                           MemoryCase{"Long", 128, 160, 2 << 20, false}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace spillway
