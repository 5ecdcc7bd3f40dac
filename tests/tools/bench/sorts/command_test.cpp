// `bench sort records`, `bench sort strings` and their parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "corpora/synthetic/generate_keys.hpp"
#include "corpora/synthetic/generate_strings.hpp"
#include "corpora/synthetic/string_sets.hpp"
#include "io/base/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/sorters.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/bench/sorts/records.hpp"
#include "tools/bench/sorts/strings.hpp"
#include "tools/bench/sorts/timed_sort.hpp"

namespace spillway {
namespace {

using nlohmann::json;
using testing::ProgramResult;
using testing::run_spillway;
using testing::ScratchDirectory;

ProgramResult bench_sort(const std::string& kind, const std::vector<std::string>& words) {
  std::vector<std::string> all{"bench", "sort", kind};
  all.insert(all.end(), words.begin(), words.end());
  return run_spillway(all);
}

bool has_gpu() { return find_gpus().state == GpuState::kUsable; }

TEST(Series, TellsMedianAndSpread) {
  Series series;
  for (const double seconds : {4.0, 1.0, 2.0, 3.0, 10.0}) series.add(seconds);
  EXPECT_DOUBLE_EQ(series.median(), 3);
  EXPECT_DOUBLE_EQ(series.least(), 1);
  EXPECT_DOUBLE_EQ(series.most(), 10);
  EXPECT_DOUBLE_EQ(series.spread(), 3);
  series.add(0);
  EXPECT_DOUBLE_EQ(series.median(), 2.5);
  EXPECT_EQ(series_json(series).at("rounds").size(), 6u);
  EXPECT_TRUE(series_json(Series()).is_null());
}

// A sorter whose result is right in the first rounds and wrong later.
class FakeSort final : public TimedSort {
 public:
  explicit FakeSort(unsigned wrong_round) : wrong_round_(wrong_round) {}
  std::string_view name() const override { return "fake"; }
  bool on_gpu() const override { return false; }
  std::uint64_t scratch_bytes() const override { return 7; }
  SortTimes run() override {
    ++rounds;
    SortTimes times;
    times.sort = rounds;
    return times;
  }
  bool is_right() const override { return rounds != wrong_round_; }
  unsigned rounds = 0;

 private:
  unsigned wrong_round_;
};

TEST(MeasureSorts, LeavesTheWarmUpOut) {
  std::vector<std::unique_ptr<TimedSort>> sorts;
  sorts.push_back(std::make_unique<FakeSort>(0));
  int between = 0;
  const auto stats = measure_sorts(sorts, 5, [&] { ++between; });
  ASSERT_EQ(stats.size(), 1u);
  EXPECT_EQ(stats[0].sort.rounds(), (std::vector<double>{2, 3, 4, 5, 6}));
  EXPECT_TRUE(stats[0].pinned.empty());
  EXPECT_EQ(stats[0].scratch_bytes, 7u);
  EXPECT_EQ(between, 6);
}

TEST(MeasureSorts, GivesNoTimesOfASorterThatDoesNotSort) {
  for (const unsigned wrong : {1u, 4u}) {
    std::vector<std::unique_ptr<TimedSort>> sorts;
    sorts.push_back(std::make_unique<FakeSort>(wrong));
    EXPECT_THROW(measure_sorts(sorts, 5, [] {}), std::logic_error) << wrong;
  }
}

SorterStats figures_of(const std::string& name, const std::vector<double>& seconds) {
  SorterStats stats;
  stats.name = name;
  for (const double of_round : seconds) stats.sort.add(of_round);
  return stats;
}

TEST(SorterTable, ComparesWithABaselineRoundByRound) {
  std::vector<SorterStats> all{figures_of("one", {1, 2, 8}), figures_of("base", {2, 4, 4})};
  EXPECT_EQ(sorter_table(all, 1'000'000, "M keys/s").find("x base"), std::string::npos);
  EXPECT_FALSE(sorters_json(all, 1'000'000)[0].contains("times_baseline"));
  all[1].is_baseline = true;
  const std::string table = sorter_table(all, 1'000'000, "M keys/s");
  EXPECT_NE(table.find("x base"), std::string::npos) << table;
  EXPECT_NE(table.find("2.000"), std::string::npos) << table;
  const auto sorters = sorters_json(all, 1'000'000);
  EXPECT_EQ(sorters[0].at("times_baseline").at("baseline"), "base");
  EXPECT_EQ(sorters[0].at("times_baseline").at("sort").at("rounds"), (std::vector<double>{2, 2, 0.5}));
  EXPECT_EQ(sorters[1].at("times_baseline").at("sort").at("median"), 1);
}

TEST(RecordInput, KnowsItsKeysSorted) {
  MemoryBudget budget(std::size_t{64} << 20);
  constexpr std::size_t kCount = 200'000;
  RecordInput input({{KeyDistribution::kUniform, kCount, 20, 3}, RecordForm::kKeys}, 2, budget);
  const auto is_sorted = [&](std::span<const std::uint64_t> keys) {
    return input.is_sorted_form(keys, EqualKeys::kInputOrder);
  };
  std::vector<std::uint64_t> keys(input.records().begin(), input.records().end());
  EXPECT_FALSE(is_sorted(keys));
  std::sort(keys.begin(), keys.end());
  EXPECT_TRUE(is_sorted(keys));
  keys[kCount / 2] = keys[kCount / 2 + 1];  // still in order, but other keys
  keys[kCount / 2 - 1] = std::min(keys[kCount / 2 - 1], keys[kCount / 2]) - 1;
  EXPECT_FALSE(is_sorted(keys));
  keys.pop_back();
  EXPECT_FALSE(is_sorted(keys));
}

TEST(RecordInput, IsPaidFromTheBudget) {
  MemoryBudget budget(std::size_t{1} << 20);
  EXPECT_THROW(RecordInput({{KeyDistribution::kUniform, 100'000, 64, 1}, RecordForm::kKeys}, 1, budget), BudgetError);
  EXPECT_EQ(budget.used_bytes(), 0u);
}

TEST(StringInput, IsPaidWhileItsStringsAreMade) {
  const auto set = find_string_set("random").make(1);
  const std::size_t strings = string_bytes(*set, 20'000, 1), making = generating_bytes(*set, 20'000, 2);
  MemoryBudget little(strings + making);
  EXPECT_THROW(StringInput(*set, 20'000, 2, little), BudgetError);
  EXPECT_EQ(little.used_bytes(), 0u);
  MemoryBudget enough(std::size_t{64} << 20);
  const StringInput input(*set, 20'000, 2, enough);
  EXPECT_LT(enough.used_bytes(), strings + making) << "what making takes is given back";
  EXPECT_GE(enough.peak_bytes(), strings + making);
}

TEST(StringInput, KnowsTheStableOrder) {
  MemoryBudget budget(std::size_t{64} << 20);
  StringInput input(*find_string_set("words-dup").make(1), 20'000, 2, budget);
  std::vector<std::uint32_t> order(20'000);
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto strings = input.strings();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return strings[a].view() < strings[b].view(); });
  EXPECT_TRUE(input.is_order(order));
  std::size_t equal = 1;
  while (strings[order[equal]].view() != strings[order[equal - 1]].view()) ++equal;
  std::swap(order[equal], order[equal - 1]);
  EXPECT_FALSE(input.is_order(order)) << "equal strings stand in index order";
}

// oneTBB prints a warning if it starts fewer threads than asked for.
TEST(BenchSort, TakesMoreThreadsThanProcessors) {
  const std::string threads = std::to_string(std::thread::hardware_concurrency() + 3);
  for (const char* what : {"records", "strings"}) {
    const ProgramResult result =
        run_spillway({"bench", "sort", what, "--count", "1000", "--threads", threads, "--json", "-"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err.find("TBB Warning"), std::string::npos) << result.err;
  }
}

TEST(BenchSortRecords, RefusesWithTheMemoryThatIsEnough) {
  const std::vector<std::string> command{"bench", "sort", "records", "--sorter", "cpu-radix", "--count", "2^20"};
  const auto with_memory = [&](const std::string& size) {
    std::vector<std::string> words = command;
    words.insert(words.end(), {"--memory", size});
    return run_spillway(words);
  };
  const ProgramResult refused = with_memory("1M");
  EXPECT_EQ(refused.exit_code, 4);
  const std::string before = "give --memory at least ";
  const std::size_t at = refused.err.find(before);
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::size_t begin = at + before.size(), end = refused.err.find_first_of(",;\n", begin);
  const ProgramResult taken = with_memory(refused.err.substr(begin, end - begin));
  EXPECT_EQ(taken.exit_code, 0) << taken.err;
}

TEST(BenchSortRecords, MeasuresEverySorterThatCanRun) {
  const ScratchDirectory scratch;
  const std::string path = scratch / "out.json";
  const ProgramResult result = bench_sort(
      "records", {"--count", "2^10,3000", "--bits", "16,64", "--distribution", "zipfian,sorted", "--json", path});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("zipfian: 1,024 keys of 16 bits"), std::string::npos) << result.out;
  std::ifstream file(path);
  const json report = json::parse(file);
  EXPECT_EQ(report.at("command"), "bench sort records");
  for (const char* member : {"version", "commit", "compiler", "flags", "date"}) {
    EXPECT_FALSE(report.at(member).get<std::string>().empty()) << member;
  }
  EXPECT_FALSE(report.at("machine").at("processor").get<std::string>().empty());
  EXPECT_EQ(report.at("options").at("seed"), 1);
  ASSERT_EQ(report.at("cases").size(), 8u);
  std::vector<std::string> expected;
  for (const RecordSorter* sorter : record_sorters()) expected.emplace_back(sorter->name());
  if (has_gpu()) {
    for (const RecordSorter* sorter : gpu_record_sorters()) expected.emplace_back(sorter->name());
  } else {
    EXPECT_NE(result.err.find("only the CPU's sorters"), std::string::npos) << result.err;
  }
  for (const json& one : report.at("cases")) {
    std::vector<std::string> names;
    for (const json& sorter : one.at("sorters")) {
      names.push_back(sorter.at("sorter"));
      EXPECT_EQ(sorter.at("sort_seconds").at("rounds").size(), 5u);
    }
    EXPECT_EQ(names, expected);
  }
}

TEST(BenchSort, MeasuresBaselinesBesideTheSortersOfAGpu) {
  for (const std::string kind : {"records", "strings"}) {
    const ProgramResult result = bench_sort(
        kind, {"--count", "3000", "--baselines", kind == "strings" ? "--set=url" : "--bits=40", "--json", "-"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json last = json::parse(result.out).at("cases").at(0).at("sorters").back();
    EXPECT_EQ(last.contains("times_baseline"), has_gpu());
    if (has_gpu()) {
      EXPECT_EQ(last.at("sorter"), kind == "strings" ? "prefix-records" : "cub-radix");
    }
  }
}

TEST(BenchSortStrings, TellsWhatTheSetIsLike) {
  const ProgramResult result = bench_sort("strings", {"--set", "artificial-2,dna9", "--count", "5000", "--sorter",
                                                      "cpu-msd", "--seed", "3", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report.at("cases").size(), 2u);
  const json& equal = report.at("cases").at(0);
  EXPECT_EQ(equal.at("set"), "artificial-2");
  EXPECT_EQ(equal.at("strings"), 5000);
  EXPECT_EQ(equal.at("bytes"), 500'000);
  EXPECT_EQ(equal.at("distinguishing_bytes"), 500'000);
  EXPECT_EQ(equal.at("mean_tie_bytes"), 100);
  EXPECT_EQ(equal.at("max_tie_bytes"), 100);
  EXPECT_EQ(equal.at("sorters").size(), 1u);
  EXPECT_EQ(report.at("cases").at(1).at("bytes"), 45'000);
}

TEST(BenchSort, TakesEmptySetsAndSmallOnes) {
  for (const char* count : {"0", "1", "2"}) {
    EXPECT_EQ(bench_sort("records", {"--count", count}).exit_code, 0) << count;
    EXPECT_EQ(bench_sort("strings", {"--count", count, "--set", "url"}).exit_code, 0) << count;
  }
}

TEST(BenchSort, RefusesBeforeAnyWork) {
  EXPECT_NE(bench_sort("records", {"--sorter", "cpu-radx"}).err.find("did you mean cpu-radix?"), std::string::npos);
  EXPECT_NE(bench_sort("records", {"--rounds", "4"}).err.find("--rounds '4'"), std::string::npos);
  EXPECT_NE(bench_sort("records", {"--count", "2^64"}).err.find("--count '64'"), std::string::npos);
  EXPECT_NE(bench_sort("records", {"--distribution", "normal"}).err.find("--distribution 'normal'"), std::string::npos);
  EXPECT_EQ(bench_sort("strings", {"--set", "words,nosuch"}).exit_code, 2);
  EXPECT_EQ(bench_sort("records", {"--count", "2^24", "--memory", "64M"}).exit_code, 4);
  EXPECT_NE(bench_sort("records", {"--sorter", "cpu-radix", "--profile"}).err.find("--profile marks"),
            std::string::npos);
  EXPECT_EQ(bench_sort("strings", {"--profile"}).exit_code, 2) << "only sorters of records are marked";
  EXPECT_NE(bench_sort("records", {"--pairs", "--bits", "33"}).err.find("--bits '33'"), std::string::npos);
  EXPECT_NE(bench_sort("records", {"--pairs", "--count", "2^33"}).err.find("--count"), std::string::npos);
  EXPECT_EQ(bench_sort("strings", {"--pairs"}).exit_code, 2) << "strings have no values";
}

TEST(BenchSortStrings, TakesTheLinesOfAFile) {
  const ScratchDirectory scratch;
  std::ofstream(scratch / "lines.txt") << "pear\napple\nfig\n";
  const ProgramResult result =
      bench_sort("strings", {"--lines", scratch / "lines.txt", "--count", "7", "--sorter", "cpu-msd", "--json", "-"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json cases = json::parse(result.out).at("cases");
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].at("set"), scratch / "lines.txt");
  EXPECT_EQ(cases[0].at("strings"), 7);
  EXPECT_EQ(cases[0].at("bytes"), 3 * 4 + 2 * 5 + 2 * 3);
  EXPECT_EQ(bench_sort("strings", {"--lines", scratch / "missing"}).exit_code, 2);
}

TEST(BenchSort, EndsWithSixWhereAGpuIsAskedForAndThereIsNone) {
  if (has_gpu()) GTEST_SKIP() << "there is a GPU";
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--sorter", "cpu-radix,gpu-radix"}, {"--require-gpu"}, {"--gpu", "0"}, {"--profile"}}) {
    const ProgramResult result = bench_sort("records", words);
    EXPECT_EQ(result.exit_code, 6) << result.err;
    EXPECT_NE(result.err.find("no GPU can be used"), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(bench_sort("strings", {"--sorter", "gpu-string-thrust"}).exit_code, 6);
}

}  // namespace
}  // namespace spillway
