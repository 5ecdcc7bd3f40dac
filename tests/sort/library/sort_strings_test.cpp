#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "sort/library/sort.hpp"
#include "tests/sort/library/string_sets.hpp"

namespace spillway {
namespace {

using testing::contract_sets;
using testing::random_strings;
using testing::Strings;

std::vector<std::string_view> views_of(const Strings& strings) { return {strings.begin(), strings.end()}; }

// The order that is expected: equal strings by index.
std::vector<std::uint32_t> expected_order(const Strings& strings, bool is_descending) {
  std::vector<std::uint32_t> order(strings.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return is_descending ? strings[a] > strings[b] : strings[a] < strings[b];
  });
  return order;
}

// Kind and message of what a call throws.
std::pair<SortFailure::Kind, std::string> failure_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const SortFailure& failure) {
    return {failure.kind(), failure.what()};
  }
  return {SortFailure::Kind::kOther, "nothing was thrown"};
}

class SortStrings : public ::testing::TestWithParam<std::string> {
 protected:
  const tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, 3};
  StringSortOptions options(bool is_descending) const {
    StringSortOptions options;
    options.threads = 3;
    options.is_descending = is_descending;
    options.sorter = GetParam();
    return options;
  }
};

TEST_P(SortStrings, FindsTheOrderOfEverySet) {
  for (const bool is_descending : {false, true}) {
    for (const Strings& strings : contract_sets()) {
      EXPECT_EQ(order_strings(views_of(strings), options(is_descending)), expected_order(strings, is_descending))
          << strings.size() << " strings";
    }
  }
}

TEST_P(SortStrings, FindsLcps) {
  for (const bool is_descending : {false, true}) {
    for (const Strings& strings : contract_sets()) {
      const auto views = views_of(strings);
      const StringOrder found = order_strings_with_lcps(views.data(), views.size(), options(is_descending));
      EXPECT_EQ(found.order, expected_order(strings, is_descending));
      std::vector<std::uint32_t> lcps(strings.size());
      for (std::size_t i = 1; i < strings.size(); ++i) {
        const std::string &a = strings[found.order[i - 1]], &b = strings[found.order[i]];
        lcps[i] = static_cast<std::uint32_t>(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
      }
      EXPECT_EQ(found.lcps, lcps) << strings.size() << " strings";
    }
  }
}

TEST_P(SortStrings, SortsViewsAndStringsInPlace) {
  for (const bool is_descending : {false, true}) {
    for (Strings strings : contract_sets()) {
      std::vector<std::string_view> views = views_of(strings), expected;
      for (const std::uint32_t i : expected_order(strings, is_descending)) expected.push_back(views[i]);
      sort_strings(views, options(is_descending));
      ASSERT_EQ(views.size(), expected.size());
      for (std::size_t i = 0; i < views.size(); ++i) {
        EXPECT_EQ(views[i], expected[i]);
        EXPECT_EQ(views[i].data(), expected[i].data()) << "equal strings keep their order";
      }
      const Strings copies(expected.begin(), expected.end());
      sort_strings(strings, options(is_descending));
      EXPECT_EQ(strings, copies);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sorters, SortStrings, ::testing::Values("auto", "cpu-msd", "cpu-multikey"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(SortStringsInMemory, SortsAMillion) {
  Strings strings = random_strings(1'000'000, 24, testing::all_bytes(), 4);
  Strings expected = strings;
  std::ranges::sort(expected);
  sort_strings(strings);
  EXPECT_EQ(strings, expected);
}

TEST(SortStringsInMemory, KeepsTheOrderOfManyEqualStrings) {
  const Strings strings = random_strings(200'000, 1, "ab", 5);
  StringSortOptions options;
  options.is_descending = true;
  EXPECT_EQ(order_strings(views_of(strings), options), expected_order(strings, true));
}

TEST(SortStringsInMemory, RefusesLessMemoryThanItNeeds) {
  Strings strings = random_strings(100'000, 10, "abc", 6);
  const Strings before = strings;
  StringSortOptions options;
  options.memory_bytes = 100'000 * 84;
  const auto [kind, message] = failure_of([&] { sort_strings(strings, options); });
  EXPECT_EQ(kind, SortFailure::Kind::kBudget);
  EXPECT_NE(message.find("100000 strings in memory takes 84"), std::string::npos) << message;
  EXPECT_EQ(strings, before);
  options.memory_bytes += 1'000'000;
  sort_strings(strings, options);
  EXPECT_TRUE(std::ranges::is_sorted(strings));
}

TEST(SortStringsInMemory, RefusesAnUnknownSorterAndNamesTheOthers) {
  StringSortOptions options;
  options.sorter = "quick";
  Strings strings{"b", "a"};
  const auto [kind, message] = failure_of([&] { sort_strings(strings, options); });
  EXPECT_EQ(kind, SortFailure::Kind::kUsage);
  EXPECT_NE(message.find("cpu-multikey"), std::string::npos) << message;
  EXPECT_EQ(strings, (Strings{"b", "a"}));
}

TEST(SortStringsInMemory, RefusesAStringOf4GiB) {
  const std::string_view huge("", std::size_t{1} << 32);  // is not read
  std::vector<std::string_view> strings{"a", huge};
  EXPECT_EQ(failure_of([&] { sort_strings(strings); }).first, SortFailure::Kind::kUsage);
}

}  // namespace
}  // namespace spillway
