#include "sort/lines/sorter.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <sstream>

#include "io/base/error.hpp"
#include "io/file/posix_file_system.hpp"
#include "sort/sorters.hpp"
#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

using testing::ScratchDirectory;
using Lines = std::vector<std::string>;

// Takes chunks in order, or at their places.
class TextOutput final : public LineOutput {
 public:
  TextOutput(bool has_places, std::function<void()> at_first)
      : has_places_(has_places), at_first_(std::move(at_first)), text_(has_places ? std::size_t{1} << 26 : 0, '?') {}
  bool has_places() const override { return has_places_; }
  void expect_all(std::uint64_t bytes) override { expected_ = bytes; }
  // Whether there are as many bytes as were expected, if any were.
  bool has_expected() const { return !expected_ || *expected_ == text().size(); }
  void write(std::span<const std::uint8_t> bytes) override {
    begin();
    text_.append(bytes.begin(), bytes.end());
  }
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override {
    begin();
    std::copy(bytes.begin(), bytes.end(), text_.begin() + static_cast<std::ptrdiff_t>(offset));
    written_ += bytes.size();
  }
  std::string text() const { return has_places_ ? text_.substr(0, written_) : text_; }

 private:
  void begin() {
    if (at_first_) std::call_once(has_begun_, at_first_);
  }
  bool has_places_;
  std::function<void()> at_first_;  // called once, before the first bytes are taken
  std::once_flag has_begun_;
  std::string text_;
  std::atomic<std::size_t> written_{0};
  std::optional<std::uint64_t> expected_;
};

struct Sorted {
  std::string text;
  LineSortSummary summary;
};

// Whether files that fit are mapped.
class LineSorter : public ::testing::TestWithParam<bool> {
 protected:
  Sorted sort(const Lines& lines, const LineOrder& order, std::size_t block_bytes, std::size_t most_runs = 0,
              const std::function<void()>& check = {}) {
    std::ofstream file(scratch_ / "in", std::ios::binary);
    for (const std::string& line : lines) file << line << '\n';
    file.close();
    return sort_files({scratch_ / "in"}, order, block_bytes, most_runs, check);
  }
  Sorted sort_files(const std::vector<std::string>& paths, const LineOrder& order, std::size_t block_bytes,
                    std::size_t most_runs = 0, const std::function<void()>& check = {}) {
    LineSortOptions options;
    options.memory_bytes = std::size_t{64} << 20;
    options.temp_directories = {scratch_.path()};
    options.block_bytes = block_bytes;
    options.most_runs = most_runs;
    options.sorter = sorter_;
    options.check = check;
    options.maps_inputs = GetParam() && !reads_ahead_;
    options.reads_ahead = reads_ahead_;
    TextOutput output(block_bytes % 2 == 0, during_output_);
    LineInput input(posix_file_system(), paths, order.format, check_of_input_);
    if (reads_ahead_) input.read_directly(3);
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 3);
    tbb::task_arena arena(3);
    Sorted sorted;
    arena.execute([&] { sorted.summary = sort_lines(input, order, options, output); });
    sorted.text = output.text();
    EXPECT_TRUE(output.has_expected());
    return sorted;
  }
  ScratchDirectory scratch_;
  const StringSorter* sorter_ = nullptr;
  std::function<void()> during_output_, check_of_input_;
  bool reads_ahead_ = false;
};

INSTANTIATE_TEST_SUITE_P(, LineSorter, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Maps" : "Reads"; });

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines random_lines(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Lines lines;
  for (std::size_t i = 0; i < count; ++i) {
    std::string line = random() % 3 == 0 ? "common/prefix/of/many/" : "";
    for (std::size_t bytes = random() % 12; bytes != 0; --bytes)
      line += static_cast<char>(random() % 3 == 0 ? random() % 256 : 'a' + random() % 2);
    std::ranges::replace(line, '\n', ' ');
    lines.push_back(line);
  }
  return lines;
}

constexpr std::size_t kBlocks[] = {0, 16384, 20001, 70000};  // 0: all in memory; odd: an output without places

TEST_P(LineSorter, ReadsAheadOfBlocks) {
  reads_ahead_ = true;
  Lines lines = random_lines(400000, 5);
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].append(100 + i % 7, static_cast<char>('a' + i % 26));
  const Sorted sorted = sort(lines, {}, std::size_t{30} << 20);
  EXPECT_GT(sorted.summary.runs, 2u);
  EXPECT_EQ(sorted.summary.lines, lines.size());
  EXPECT_EQ(sorted.summary.bytes, std::filesystem::file_size(scratch_ / "in"));
  std::ranges::sort(lines);
  EXPECT_TRUE(sorted.text == joined(lines));
}

TEST_P(LineSorter, EndsWhenReadingAheadFails) {
  reads_ahead_ = true;
  int calls = 0, fatal = 0;
  check_of_input_ = [&] {
    if (++calls == fatal) throw std::runtime_error("stopped");
  };
  const Lines lines(500000, std::string(100, 'x'));
  EXPECT_GT(sort(lines, {}, std::size_t{30} << 20).summary.runs, 1u);
  fatal = std::exchange(calls, 0) - 2;
  EXPECT_THROW(static_cast<void>(sort(lines, {}, std::size_t{30} << 20)), std::runtime_error);
}

TEST_P(LineSorter, OrdersByBytesInMemoryAndOutOfCore) {
  for (const std::size_t block : kBlocks) {
    Lines lines = random_lines(6000, 1);
    const Sorted sorted = sort(lines, {}, block);
    EXPECT_EQ(sorted.summary.runs != 0, block != 0);
    std::ranges::sort(lines);
    EXPECT_EQ(sorted.text, joined(lines)) << block;
  }
}

// Many of the lines are equal, and some differ from those only by zeros at their ends.
Lines frequent_lines(std::size_t count) {
  std::mt19937 random(9);
  const Lines frequent{"", "x", std::string("y"), std::string("y\0", 2), "x of a set", "long enough for two words"};
  Lines lines = random_lines(count, 8);
  for (std::size_t i = 0; i < count; ++i) {
    if (random() % 4 != 0) lines[i] = frequent[random() % frequent.size()];
  }
  lines[count / 3] += std::string(3, '\0');
  return lines;
}

TEST_P(LineSorter, RepeatsFrequentLines) {
  for (const std::size_t block : {0, 1'000'000, 1'000'001}) {
    for (const bool is_unique : {false, true}) {
      Lines lines = frequent_lines(60'000);
      LineOrder order;
      order.is_unique = is_unique;
      order.is_reversed = is_unique != (block == 0);
      const Sorted sorted = sort(lines, order, block);
      EXPECT_EQ(sorted.summary.lines, lines.size());
      std::ranges::sort(lines);
      if (is_unique) lines.erase(std::ranges::unique(lines).begin(), lines.end());
      if (order.is_reversed) std::ranges::reverse(lines);
      EXPECT_TRUE(sorted.text == joined(lines)) << block << " " << is_unique;
    }
  }
}

TEST_P(LineSorter, RepeatsFrequentRecords) {
  constexpr std::size_t kBytes = 6;
  std::mt19937 random(2);
  Lines records(60'000);
  for (std::string& record : records) {
    record = random() % 3 == 0 ? std::string(kBytes, '\0') : std::to_string(100'000 + random() % 10'000);
  }
  std::string text;
  for (const std::string& record : records) text += record;
  std::ofstream(scratch_ / "records", std::ios::binary) << text;
  for (const std::size_t block : {0, 200'000}) {
    LineOrder order;
    order.format = LineFormat('\n', kBytes);
    const Sorted sorted = sort_files({scratch_ / "records"}, order, block);
    std::ranges::sort(records);
    std::string expected;
    for (const std::string& record : records) expected += record;
    EXPECT_TRUE(sorted.text == expected) << block;
  }
}

TEST_P(LineSorter, RepeatsFrequentLinesOfEqualKeys) {
  for (const std::size_t block : {0, 1'000'000}) {
    for (const bool keeps_order : {false, true}) {
      Lines lines = frequent_lines(60'000);
      LineOrder order;
      order.keys.push_back({{.begin_field = 1}, {}});
      order.is_stable = keeps_order;
      const Sorted sorted = sort(lines, order, block);
      const auto key = [](const std::string& line) { return find_key(line, {.begin_field = 1}, std::nullopt); };
      std::ranges::stable_sort(lines, [&](const std::string& a, const std::string& b) {
        return keeps_order || key(a) != key(b) ? key(a) < key(b) : a < b;
      });
      EXPECT_TRUE(sorted.text == joined(lines)) << block << " " << keeps_order;
    }
  }
}

// In passes it is written as the others are.
TEST_P(LineSorter, KeepsTheLastBlockInMemory) {
  constexpr std::size_t kBlock = 300'000;
  Lines lines = random_lines(60'000, 3);
  const Sorted at_once = sort(lines, {}, kBlock), in_passes = sort(lines, {}, kBlock, 2);
  ASSERT_GT(at_once.summary.runs, 2u);
  EXPECT_EQ(at_once.summary.runs + 1, in_passes.summary.runs);
  EXPECT_LT(at_once.summary.spilled_bytes, in_passes.summary.spilled_bytes / 2);
  std::ranges::sort(lines);
  EXPECT_TRUE(at_once.text == joined(lines));
  EXPECT_TRUE(in_passes.text == joined(lines));
}

Lines lines_of_numbers(std::size_t count) {
  std::mt19937_64 random(4);
  Lines lines(count);
  for (std::string& line : lines) {
    for (int i = 0; i != 4; ++i) line += std::to_string(random() % 1'000'000'000'000);
  }
  return lines;
}

// Input that is a little larger than a block: only what the memory does not hold is written.
TEST_P(LineSorter, LeavesWhatStaysInMemoryForTheLastBlock) {
  Lines lines = lines_of_numbers(800'000);
  const Sorted sorted = sort(lines, {}, 0);
  EXPECT_EQ(sorted.summary.runs, 1u);
  EXPECT_LT(sorted.summary.spilled_bytes, sorted.summary.bytes / 5);
  std::ranges::sort(lines);
  EXPECT_TRUE(sorted.text == joined(lines));
}

// Such numbers become 0.41 of their bytes by zstd, and more than 0.8 if they are only written as runs have them.
constexpr double kPacked = 0.45;
double spilled_share(const Sorted& sorted) {
  return static_cast<double>(sorted.summary.spilled_bytes) / static_cast<double>(sorted.summary.bytes);
}

TEST_P(LineSorter, PacksRunsWhereTheRestDoesNotStayInMemory) {
  const Lines numbers = lines_of_numbers(700'000);
  Lines with_long_line = numbers, with_short_lines = numbers, ordered = numbers;
  with_long_line.emplace_back(300'000, 'x');
  constexpr std::size_t kEmpty = 3'000'000;  // fewer of them fit
  with_short_lines.resize(numbers.size() + kEmpty);
  std::ranges::sort(ordered);
  const Sorted of_long_line = sort(with_long_line, {}, 0), of_short_lines = sort(with_short_lines, {}, 0);
  EXPECT_TRUE(of_long_line.text == joined(ordered) + with_long_line.back() + "\n");
  EXPECT_TRUE(of_short_lines.text == std::string(kEmpty, '\n') + joined(ordered));
  for (const Sorted* sorted : {&of_long_line, &of_short_lines}) {
    EXPECT_NE(sorted->summary.runs, 0u);
    EXPECT_LT(spilled_share(*sorted), kPacked);
  }
}

// A block that has nearly all lines is spilled if the others came unexpectedly.
TEST_P(LineSorter, PacksRunsOfWhatABlockNearlyHolds) {
  const Lines lines = lines_of_numbers(900'000);
  const auto sort_first = [&](std::size_t count) { return sort({lines.begin(), lines.begin() + count}, {}, 0); };
  std::size_t whole = 400'000, spilled = lines.size();
  while (spilled - whole > 2000) {
    const std::size_t count = (whole + spilled) / 2;
    (sort_first(count).summary.runs == 0 ? whole : spilled) = count;
  }
  for (const std::size_t count : {spilled, spilled + spilled / 200}) {
    const Sorted sorted = sort_first(count);
    EXPECT_EQ(sorted.summary.runs, 1u) << count;
    EXPECT_LT(spilled_share(sorted), kPacked) << count;
    Lines ordered(lines.begin(), lines.begin() + count);
    std::ranges::sort(ordered);
    EXPECT_TRUE(sorted.text == joined(ordered)) << count;
  }
}

TEST_P(LineSorter, MergesInPassesOfFewRuns) {
  Lines lines = random_lines(9000, 2);
  const Sorted sorted = sort(lines, {}, 16384, 3);
  EXPECT_GT(sorted.summary.runs, 9u);
  std::ranges::sort(lines);
  EXPECT_EQ(sorted.text, joined(lines));
}

TEST_P(LineSorter, OrdersDownwards) {
  LineOrder order;
  order.is_reversed = true;
  for (const std::size_t block : kBlocks) {
    Lines lines = random_lines(6000, 3);
    const std::string text = sort(lines, order, block).text;
    std::ranges::sort(lines, std::greater<>());
    EXPECT_EQ(text, joined(lines)) << block;
  }
}

TEST_P(LineSorter, KeepsOneOfEqualLines) {
  LineOrder order;
  order.is_unique = true;
  for (const std::size_t block : kBlocks) {
    const Lines lines = random_lines(6000, 4);
    const std::set<std::string> distinct(lines.begin(), lines.end());
    EXPECT_EQ(sort(lines, order, block, 3).text, joined({distinct.begin(), distinct.end()})) << block;
  }
}

// Ties are then broken by all threads, and the lines are written in parts.
TEST_P(LineSorter, OrdersManyLinesWithOneKey) {
  LineOrder order;
  KeyRule rule;
  rule.kind = KeyKind::kNumber;
  order.keys = {{KeyPlace{}, rule}};
  Lines lines = random_lines(150'000, 9);
  for (std::string& line : lines) line.insert(0, 1, 'x');
  lines.emplace_back("-1");
  lines.emplace_back("7");
  for (const bool is_reversed : {false, true}) {
    order.is_reversed = order.keys.front().rule.is_reversed = is_reversed;
    Lines expected(lines.begin(), lines.end() - 2);
    std::ranges::sort(expected);
    expected.insert(expected.begin(), "-1");
    expected.emplace_back("7");
    if (is_reversed) std::ranges::reverse(expected);
    EXPECT_TRUE(sort(lines, order, 0).text == joined(expected)) << is_reversed;
  }
  order.is_reversed = order.keys.front().rule.is_reversed = false;
  order.is_stable = true;
  Lines expected(lines.begin(), lines.end() - 2);
  expected.insert(expected.begin(), "-1");
  expected.emplace_back("7");
  EXPECT_TRUE(sort(lines, order, 0).text == joined(expected));
}

std::string first_byte(const std::string& line) { return line.substr(0, 1); }

LineOrder by_first_byte() {
  LineOrder order;
  KeyPlace place;
  place.begin_field = place.end_field = 0;
  place.end_byte = 1;
  order.field_separator = '\0';
  order.keys = {{place, KeyRule{}}};
  return order;
}

Lines lines_of_few_keys(std::size_t count) {
  Lines lines = random_lines(count, 5);
  for (std::string& line : lines) line.insert(0, 1, line.size() % 2 == 0 ? 'x' : 'y');
  return lines;
}

TEST_P(LineSorter, KeepsTheInputOrderOfEqualKeysIfStable) {
  LineOrder order = by_first_byte();
  order.is_stable = true;
  for (const bool is_reversed : {false, true}) {
    order.keys.front().rule.is_reversed = is_reversed;
    for (const std::size_t block : kBlocks) {
      Lines lines = lines_of_few_keys(30000);
      const std::string text = sort(lines, order, block, 4).text;
      std::ranges::stable_sort(lines, [&](const std::string& a, const std::string& b) {
        return is_reversed ? first_byte(b) < first_byte(a) : first_byte(a) < first_byte(b);
      });
      EXPECT_EQ(text, joined(lines)) << block;
    }
  }
}

TEST_P(LineSorter, BreaksLargeTiesByTheLines) {
  for (const std::size_t block : kBlocks) {
    Lines lines = lines_of_few_keys(30000);
    const std::string text = sort(lines, by_first_byte(), block, 4).text;
    std::ranges::sort(lines);
    EXPECT_EQ(text, joined(lines)) << block;
  }
}

TEST_P(LineSorter, KeepsTheFirstOfEqualKeys) {
  LineOrder order = by_first_byte();
  order.is_unique = true;
  for (const std::size_t block : kBlocks) {
    const Lines lines = lines_of_few_keys(20000);
    const auto first_of = [&](char key) {
      return *std::ranges::find_if(lines, [&](const std::string& line) { return line[0] == key; });
    };
    EXPECT_EQ(sort(lines, order, block, 4).text, first_of('x') + "\n" + first_of('y') + "\n") << block;
  }
}

TEST_P(LineSorter, TakesSortedReversedAndEqualLines) {
  Lines sorted_lines = random_lines(5000, 6);
  std::ranges::sort(sorted_lines);
  const Lines reversed(sorted_lines.rbegin(), sorted_lines.rend()), equal(5000, "the same line");
  for (const std::size_t block : kBlocks) {
    EXPECT_EQ(sort(sorted_lines, {}, block).text, joined(sorted_lines)) << block;
    EXPECT_EQ(sort(reversed, {}, block).text, joined(sorted_lines)) << block;
    EXPECT_EQ(sort(equal, {}, block).text, joined(equal)) << block;
  }
}

TEST_P(LineSorter, TakesNoLinesEmptyLinesAndLongLines) {
  EXPECT_EQ(sort({}, {}, 0).text, "");
  EXPECT_EQ(sort({"", "b", ""}, {}, 0).text, "\n\nb\n");
  const Lines lines{std::string(9000, 'b'), "c", std::string(8999, 'b') + "a", "a", std::string(9000, 'a')};
  EXPECT_EQ(sort(lines, {}, 32768).text, joined({lines[3], lines[4], lines[2], lines[0], lines[1]}));
}

TEST_P(LineSorter, StopsBetweenBlocksOfRunsAndRangesOfMerges) {
  const Lines lines = random_lines(9000, 7);
  std::size_t calls = 0;
  sort(lines, {}, 16384, 3, [&] { ++calls; });
  ASSERT_GT(calls, 30u);
  for (std::size_t last = 0; last < calls; last += 7) {
    std::size_t left = last;
    const auto stop = [&] {
      if (left-- == 0) throw std::runtime_error("stop");
    };
    EXPECT_THROW(sort(lines, {}, 16384, 3, stop), std::runtime_error) << last;
  }
}

TEST_P(LineSorter, RefusesALineThatDoesNotFitAndNamesARemedy) {
  try {
    sort({std::string(40000, 'x')}, {}, 16384);
    FAIL();
  } catch (const BudgetError& error) {
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos);
  }
}

// Many lines are split by a tree; few of them share a prefix that is longer than it looks at.
Lines many_lines() {
  Lines lines = random_lines(60'000, 21);
  for (std::size_t i = 0; i < 40'000; ++i) {
    lines.push_back(std::string(700, 'p') + std::to_string(i * 7919 % 40'000));
    lines.push_back("twice");
    lines.emplace_back();
  }
  std::ranges::shuffle(lines, std::mt19937(22));
  return lines;
}

TEST_P(LineSorter, SplitsManyLines) {
  Lines lines = many_lines();
  for (const bool is_reversed : {false, true}) {
    LineOrder order;
    order.is_reversed = is_reversed;
    Lines expected = lines;
    std::ranges::sort(expected);
    if (is_reversed) std::ranges::reverse(expected);
    for (const std::size_t block_bytes : {std::size_t{0}, std::size_t{60'000'001}}) {
      EXPECT_EQ(sort(lines, order, block_bytes).text, joined(expected));
    }
    order.is_unique = true;
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    for (const std::size_t block_bytes : {std::size_t{0}, std::size_t{60'000'001}}) {
      EXPECT_EQ(sort(lines, order, block_bytes).text, joined(expected));
    }
  }
}

// Keys are a part of the line as it stands, or encoded.
TEST_P(LineSorter, SplitsManyLinesByTheirKeys) {
  Lines lines;
  for (std::size_t i = 0; i < 60'000; ++i) {
    lines.push_back(std::to_string(i * 7919 % 60'000) + "," + (i % 3 == 0 ? "key" : std::to_string(i % 777)));
  }
  for (const bool folds_case : {false, true}) {
    for (const bool is_stable : {false, true}) {
      LineOrder order;
      order.field_separator = ',';
      order.keys.resize(1);
      order.keys.front().place.begin_field = 1;
      order.keys.front().rule.folds_case = folds_case;
      order.is_stable = is_stable;
      Lines expected = lines;
      if (!is_stable) std::ranges::sort(expected);
      std::ranges::stable_sort(expected, {}, [](const std::string& line) { return line.substr(line.find(',')); });
      EXPECT_EQ(sort(lines, order, 0).text, joined(expected));
      EXPECT_EQ(sort(lines, order, 1'000'001).text, joined(expected));
    }
  }
}

// A few keys that each many lines have, in lines that come before and after those with a key like it.
TEST_P(LineSorter, OrdersTheLinesOfFrequentKeys) {
  const std::string zero(1, '\0');
  std::mt19937 random(31);
  struct Case {
    Lines keys;
    KeyKind kind;
    bool folds_case;
  };
  for (const Case& each : {Case{{"", "key", "key" + zero}, KeyKind::kText, false},
                           Case{{"key longer than a cache", "KEY LONGER than a cache", "k"}, KeyKind::kText, true},
                           Case{{"", "0", "12", "-7"}, KeyKind::kNumber, false}}) {
    LineOrder order;
    order.field_separator = ',';
    order.keys.resize(1);
    order.keys.front().place.begin_field = order.keys.front().place.end_field = 1;
    order.keys.front().rule.kind = each.kind;
    order.keys.front().rule.folds_case = each.folds_case;
    const auto value_of = [&](std::string key) {
      if (each.kind == KeyKind::kNumber) return std::pair(std::atol(key.c_str()), std::string());
      for (char& byte : key) byte = each.folds_case && byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 32) : byte;
      return std::pair(0L, key);
    };
    using Keyed = std::pair<std::pair<long, std::string>, std::string>;  // with the line
    Lines lines;
    std::vector<Keyed> keyed;
    for (std::size_t i = 0; i < 120'000; ++i) {
      const std::string key =
          random() % 9 == 0 ? std::to_string(random() % 99) : each.keys[random() % each.keys.size()];
      lines.push_back(std::to_string(random() % 50'000) + "," + key);
      keyed.emplace_back(value_of(key), lines.back());
    }
    const auto expected = [&] {
      Lines sorted;
      for (const Keyed& line : keyed) sorted.push_back(line.second);
      return joined(sorted);
    };
    std::ranges::stable_sort(keyed, {}, &Keyed::first);
    order.is_stable = true;
    EXPECT_EQ(sort(lines, order, 0).text, expected());
    std::ranges::sort(keyed);
    order.is_stable = false;
    constexpr std::size_t kBlockBytes[] = {0, 2'500'001};  // runs of lines enough for a sample that tells
    for (const std::size_t block_bytes : kBlockBytes) EXPECT_EQ(sort(lines, order, block_bytes).text, expected());
    std::ranges::reverse(keyed);
    order.is_reversed = order.keys.front().rule.is_reversed = true;
    for (const std::size_t block_bytes : kBlockBytes) EXPECT_EQ(sort(lines, order, block_bytes).text, expected());
  }
}

// A place in a long line is not followed to its end.
TEST_P(LineSorter, TakesLongLinesAmongManyShortOnes) {
  Lines lines;
  for (std::size_t i = 0; i < 200'000; ++i) lines.push_back(std::to_string(i * 7919 % 200'000));
  lines.insert(lines.begin() + 1000, std::string(std::size_t{17} << 20, '5'));
  lines.insert(lines.begin() + 5000, std::string((std::size_t{17} << 20) + 1, '5'));
  Lines expected = lines;
  std::ranges::sort(expected);
  EXPECT_EQ(sort(lines, {}, std::size_t{80} << 20).text, joined(expected));
}

TEST_P(LineSorter, SortsByASorterThatIsNamed) {
  sorter_ = find_string_sorter("cpu-multikey");
  Lines lines = random_lines(50'000, 23), expected = lines;
  std::ranges::sort(expected);
  EXPECT_EQ(sort(lines, {}, 0).text, joined(expected));
  EXPECT_EQ(sort(lines, {}, 200'000).text, joined(expected));
  LineOrder order;
  order.is_unique = true;
  expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
  EXPECT_EQ(sort(lines, order, 0).text, joined(expected));
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST_P(LineSorter, TakesFilesThatEndAnywhereInAPage) {
  for (const std::size_t bytes : {1u, 4095u, 4096u, 4097u, 8191u, 8192u, 20'480u, 99'999u}) {
    for (const bool ends_line : {true, false}) {
      std::string text = joined(random_lines(bytes, 8)).substr(0, bytes);
      text.back() = ends_line ? '\n' : 'z';
      write_file(scratch_ / "in", text);
      write_file(scratch_ / "more", "second file\nwithout an end");
      std::multiset<std::string> lines;
      std::istringstream all(text + (ends_line ? "" : "\n") + "second file\nwithout an end\n");
      for (std::string line; std::getline(all, line);) lines.insert(line);
      const Sorted sorted = sort_files({scratch_ / "in", scratch_ / "more"}, {}, 0);
      EXPECT_EQ(sorted.text, joined({lines.begin(), lines.end()})) << bytes << ends_line;
    }
  }
}

// What a sort read before its output begins does not change. A file that is mapped may change.
TEST_P(LineSorter, RefusesAFileThatIsTruncatedMeanwhile) {
  Lines lines = random_lines(60'000, 9);
  during_output_ = [&] { std::filesystem::resize_file(scratch_ / "in", 5000); };
  if (GetParam()) {
    EXPECT_THROW(sort(lines, {}, 0), FormatError);
    EXPECT_THROW(sort(lines, {}, 4'000'000), FormatError);
    return;
  }
  const std::string text = sort(lines, {}, 0).text;
  std::ranges::sort(lines);
  EXPECT_EQ(text, joined(lines));
}

TEST_P(LineSorter, RefusesAFileThatIsWrittenToMeanwhile) {
  Lines lines = random_lines(60'000, 10);
  during_output_ = [&] { std::fstream(scratch_ / "in", std::ios::in | std::ios::out | std::ios::binary) << "changed"; };
  if (GetParam()) {
    EXPECT_THROW(sort(lines, {}, 0), IoError);
    return;
  }
  const std::string text = sort(lines, {}, 0).text;
  std::ranges::sort(lines);
  EXPECT_EQ(text, joined(lines));
}

TEST_P(LineSorter, TakesAFileThatGrowsMeanwhileAsItWas) {
  Lines lines = random_lines(60'000, 11);
  during_output_ = [&] { std::ofstream(scratch_ / "in", std::ios::app | std::ios::binary) << "more\n"; };
  const std::string text = sort(lines, {}, 0).text;
  std::ranges::sort(lines);
  EXPECT_EQ(text, joined(lines));
}

}  // namespace
}  // namespace spillway
