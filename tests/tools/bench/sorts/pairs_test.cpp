// `bench sort records --pairs`: each value stays with its key, and nothing else is taken for a sorted form.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <set>

#include "sort/gpu/device/status.hpp"
#include "sort/sorters.hpp"
#include "tests/support/run_program.hpp"
#include "tools/bench/sorts/records.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_spillway;

constexpr std::size_t kPairs = 200'000;  // several ranges of the parallel check

RecordSet pairs_of(unsigned bits, std::size_t count = kPairs) {
  return {{KeyDistribution::kUniform, count, bits, 3}, RecordForm::kPairs};
}

std::uint32_t key_of(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }
std::uint64_t value_of(std::uint64_t pair) { return pair >> 32; }

// Pairs with about a hundred different keys, and their one stable order.
class PairsOfFewKeys : public ::testing::Test {
 protected:
  PairsOfFewKeys() : input_(pairs_of(7), 2, budget_), sorted_(input_.records().begin(), input_.records().end()) {
    std::stable_sort(sorted_.begin(), sorted_.end(), [](auto a, auto b) { return key_of(a) < key_of(b); });
  }
  bool is_right(EqualKeys equal) const { return input_.is_sorted_form(sorted_, equal); }

  MemoryBudget budget_{std::size_t{64} << 20};
  RecordInput input_;
  std::vector<std::uint64_t> sorted_;
};

TEST_F(PairsOfFewKeys, HaveTheirPlacesAsValues) {
  for (std::size_t i = 0; i < kPairs; ++i) {
    ASSERT_EQ(value_of(input_.records()[i]), i);
    ASSERT_LT(key_of(input_.records()[i]), 128u);
  }
  EXPECT_TRUE(is_right(EqualKeys::kInputOrder));
  EXPECT_TRUE(is_right(EqualKeys::kAnyOrder));
}

TEST_F(PairsOfFewKeys, MayChangeTheOrderOfEqualKeysOnlyWhereItIsNotOwed) {
  for (const std::size_t at : {std::size_t{0}, std::size_t{65'535}, kPairs / 2}) {  // 65,536: a range begins
    ASSERT_EQ(key_of(sorted_[at]), key_of(sorted_[at + 1]));
    std::swap(sorted_[at], sorted_[at + 1]);
    EXPECT_FALSE(is_right(EqualKeys::kInputOrder)) << at;
    EXPECT_TRUE(is_right(EqualKeys::kAnyOrder)) << at;
    std::swap(sorted_[at], sorted_[at + 1]);
  }
}

TEST_F(PairsOfFewKeys, AreOutOfOrderByOneKey) {
  std::size_t border = 1;
  while (key_of(sorted_[border]) == key_of(sorted_[border - 1])) ++border;
  std::swap(sorted_[border], sorted_[border - 1]);
  EXPECT_FALSE(is_right(EqualKeys::kInputOrder));
  EXPECT_FALSE(is_right(EqualKeys::kAnyOrder));
}

// Keys and values are all there and the keys are in order, but two values stand with each other's key.
TEST_F(PairsOfFewKeys, AreWrongIfTwoValuesChangePlaces) {
  std::uint64_t &first = sorted_.front(), &last = sorted_.back();
  ASSERT_NE(key_of(first), key_of(last));
  const std::uint64_t value = value_of(first);
  first = value_of(last) << 32 | key_of(first);
  last = value << 32 | key_of(last);
  EXPECT_FALSE(is_right(EqualKeys::kAnyOrder));
  EXPECT_FALSE(is_right(EqualKeys::kInputOrder));
}

TEST_F(PairsOfFewKeys, AreWrongIfOneIsThereTwiceOrMissing) {
  const std::uint64_t lost = std::exchange(sorted_[kPairs / 2], sorted_[kPairs / 2 + 1]);
  EXPECT_FALSE(is_right(EqualKeys::kAnyOrder));
  EXPECT_FALSE(is_right(EqualKeys::kInputOrder));
  sorted_[kPairs / 2] = lost;
  sorted_.pop_back();
  EXPECT_FALSE(is_right(EqualKeys::kAnyOrder));
}

TEST(RecordInput, RefusesPairsThatAreTooWideOrTooMany) {
  MemoryBudget budget(std::size_t{1} << 20);
  EXPECT_THROW(RecordInput(pairs_of(33, 10), 1, budget), std::invalid_argument);
  EXPECT_THROW(RecordInput(pairs_of(32, kMostPairs + 1), 1, budget), std::invalid_argument);
  EXPECT_EQ(budget.used_bytes(), 0u);
}

// Sorts with the program's sorter, then does harm that leaves the keys in order.
class HarmfulSorter final : public RecordSorter {
 public:
  using Harm = void (*)(std::span<std::uint64_t>);
  HarmfulSorter(bool is_stable, Harm harm) : is_stable_(is_stable), harm_(harm) {}
  std::string_view name() const override { return "harmful"; }
  bool stable() const override { return is_stable_; }
  std::size_t scratch_bytes(std::size_t, BitRange) const override { return 0; }
  void sort(std::span<std::uint64_t> records, BitRange bits, std::span<std::uint8_t> scratch) const override {
    find_record_sorter("cpu-quick")->sort(records, bits, scratch);
    harm_(records);
  }

 private:
  const bool is_stable_;
  const Harm harm_;
};

std::vector<SorterStats> measured(const RecordSorter& sorter) {
  MemoryBudget budget(std::size_t{64} << 20);
  RecordInput input(pairs_of(4, 5000), 2, budget);
  SortPlace place;
  place.threads = 2;
  return measure_sorts(timed_record_sorts({&sorter}, input, place, budget), 1, [] {});
}

void turn_equal_keys(std::span<std::uint64_t> pairs) {
  std::sort(pairs.begin(), pairs.end(), [](std::uint64_t a, std::uint64_t b) {
    return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : value_of(a) > value_of(b);
  });
}
void drop_values(std::span<std::uint64_t> pairs) {
  for (std::uint64_t& pair : pairs) pair = key_of(pair);
}
void leave(std::span<std::uint64_t>) {}

TEST(TimedPairs, GiveNoTimesOfASorterThatBreaksThem) {
  EXPECT_EQ(measured(HarmfulSorter(true, leave)).front().sort.rounds().size(), 1u);
  EXPECT_EQ(measured(HarmfulSorter(false, turn_equal_keys)).front().sort.rounds().size(), 1u);
  EXPECT_THROW(measured(HarmfulSorter(true, turn_equal_keys)), std::logic_error) << "it says that it is stable";
  EXPECT_THROW(measured(HarmfulSorter(false, drop_values)), std::logic_error) << "the keys alone are in order";
}

TEST(BenchSortRecords, SortsPairsByEverySorterThatCanRun) {
  const ProgramResult result = run_spillway({"bench", "sort", "records", "--pairs", "--count", "0,1,3000,2^17",
                                             "--bits", "8,32", "--distribution", "uniform,all-zero", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const bool has_gpu = find_gpus().state == GpuState::kUsable;
  std::set<std::string> expected;
  for (const RecordSorter* sorter : record_sorters()) expected.emplace(sorter->name());
  for (const RecordSorter* sorter : gpu_record_sorters()) {
    if (has_gpu) expected.emplace(sorter->name());
  }
  const json cases = json::parse(result.out).at("cases");
  ASSERT_EQ(cases.size(), 16u);
  for (const json& one : cases) {
    EXPECT_EQ(one.at("pairs"), true);
    EXPECT_EQ(one.at("bytes").get<std::uint64_t>(), 8 * one.at("count").get<std::uint64_t>());
    std::set<std::string> names;
    for (const json& sorter : one.at("sorters")) {
      names.insert(sorter.at("sorter"));
      EXPECT_EQ(sorter.at("sort_seconds").at("rounds").size(), 5u);
      EXPECT_EQ(sorter.at("stable"), find_record_sorter(sorter.at("sorter").get<std::string>())->stable());
    }
    EXPECT_EQ(names, expected);
  }
}

TEST(BenchSortRecords, SaysWhatPairsAre) {
  const ProgramResult result =
      run_spillway({"bench", "sort", "records", "--pairs", "--count", "2000", "--sorter", "cpu-radix"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("uniform: 2,000 pairs of a key of 32 bits and a value of 32 bits"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("M pairs/s"), std::string::npos) << result.out;
}

TEST(BenchSortRecords, RefusesPairsWithTheMemoryThatIsEnough) {
  const auto with_memory = [&](const std::string& size) {
    return run_spillway(
        {"bench", "sort", "records", "--pairs", "--sorter", "cpu-radix", "--count", "2^20", "--memory", size});
  };
  const ProgramResult refused = with_memory("1M");
  EXPECT_EQ(refused.exit_code, 4);
  const std::string before = "give --memory at least ";
  const std::size_t at = refused.err.find(before);
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::size_t begin = at + before.size(), end = refused.err.find_first_of(",;\n", begin);
  EXPECT_EQ(with_memory(refused.err.substr(begin, end - begin)).exit_code, 0);
}

}  // namespace
}  // namespace spillway
