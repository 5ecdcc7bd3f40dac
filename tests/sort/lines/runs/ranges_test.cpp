#include "sort/lines/runs/ranges.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "tests/support/scratch_directory.hpp"

namespace spillway {
namespace {

constexpr std::size_t kRuns = 3, kBlocks = 100, kRecords = 10, kLineBytes = 50;

// Runs whose records all have the key "k", and lines in no order, as a stable sort leaves them.
class RangesOfEqualKeys : public ::testing::Test {
 protected:
  RangesOfEqualKeys() {
    order_.keys.resize(1);
    order_.is_stable = true;
    const RecordOrder record_order(order_);
    runs_.resize(kRuns);
    for (spillway::Run& run : runs_) {
      run.file = &space_.next_file();
      BlockEncoder encoder(record_order);
      for (std::size_t block = 0; block < kBlocks; ++block) {
        for (std::size_t i = 0; i < kRecords; ++i) encoder.add({record(block * kRecords + i), 1}, 0);
        append_block(run, encoder.finish());
      }
    }
  }
  static std::string record(std::size_t number) {
    std::string line = "k" + std::to_string(number * 2654435761U);
    line.resize(kLineBytes, '.');
    return line;
  }

  testing::ScratchDirectory scratch_;
  RunSpace space_{{scratch_.path()}, 0};
  LineOrder order_;
  std::vector<spillway::Run> runs_;
};

TEST_F(RangesOfEqualKeys, AreAsLongAsWanted) {
  constexpr std::uint64_t kWanted = 20 * kRecords;
  const auto ranges = split_by_rank(runs_, order_, kWanted * kLineBytes);
  EXPECT_EQ(ranges.size(), kRuns * kBlocks / 20);
  std::vector<std::uint64_t> next(kRuns);
  for (const MergeRange& range : ranges) {
    EXPECT_EQ(range.begin, next);
    next = range.end;
    std::uint64_t records = 0;
    for (std::size_t run = 0; run < kRuns; ++run) records += range.end[run] - range.begin[run];
    EXPECT_EQ(records, kWanted);
  }
  EXPECT_EQ(next, std::vector<std::uint64_t>(kRuns, kBlocks * kRecords));
}

TEST_F(RangesOfEqualKeys, AreOneIfOnlyTheFirstIsKept) {
  order_.is_unique = true;
  const auto ranges = split_by_rank(runs_, order_, 1000);
  const auto holds_some = [](const MergeRange& range) { return range.begin != range.end; };
  EXPECT_EQ(std::ranges::count_if(ranges, holds_some), 1);
}

// Runs of records with numbers in order, each after the same prefix: run 0 holds 0, 3, 6, ...
class RangesOfAPrefix : public ::testing::TestWithParam<std::size_t> {
 protected:
  static constexpr std::size_t kDigits = 8;
  RangesOfAPrefix() {
    runs_.resize(kRuns);
    for (std::size_t run = 0; run < kRuns; ++run) {
      runs_[run].file = &space_.next_file();
      BlockEncoder encoder{RecordOrder(order_)};
      for (std::size_t i = 0; i < kBlocks * kRecords; ++i) {
        encoder.add({record(i * kRuns + run), 0}, 0);
        if (i % kRecords + 1 == kRecords) append_block(runs_[run], encoder.finish());
      }
    }
  }
  static std::string record(std::size_t number) {
    std::string digits = std::to_string(number);
    return std::string(GetParam(), 'p') + digits.insert(0, kDigits - digits.size(), '0');
  }

  testing::ScratchDirectory scratch_;
  RunSpace space_{{scratch_.path()}, 0};
  LineOrder order_;
  std::vector<spillway::Run> runs_;
};

// Nothing but the numbers of the first records tells the order of blocks.
TEST_P(RangesOfAPrefix, AreAboutAsLongAsWanted) {
  constexpr std::uint64_t kWanted = 30 * kRecords;
  const auto ranges = split_by_rank(runs_, order_, kWanted * (GetParam() + kDigits + 1));
  std::vector<std::uint64_t> next(kRuns);
  for (const MergeRange& range : ranges) {
    EXPECT_EQ(range.begin, next);
    next = range.end;
    std::uint64_t records = 0;
    for (std::size_t run = 0; run < kRuns; ++run) {
      records += range.end[run] - range.begin[run];
      EXPECT_LE(range.end[run], range.end.front() + 1);
      EXPECT_GE(range.end[run] + 1, range.end.front());
    }
    EXPECT_LE(records, kWanted * 2);
  }
  EXPECT_EQ(next, std::vector<std::uint64_t>(kRuns, kBlocks * kRecords));
  EXPECT_GE(ranges.size(), kRuns * kBlocks / 60);
}

INSTANTIATE_TEST_SUITE_P(Prefixes, RangesOfAPrefix, ::testing::Values(0, 10, 40, 300, 5000));

TEST(RangesOfEmptyLines, AreManyToo) {
  const testing::ScratchDirectory scratch;
  RunSpace space({scratch.path()}, 0);
  const LineOrder order;
  std::vector<spillway::Run> runs(1);
  runs.front().file = &space.next_file();
  BlockEncoder encoder{RecordOrder(order)};
  for (std::size_t i = 0; i < 1000; ++i) {
    encoder.add({"", 0}, 0);
    if (encoder.record_bytes() == 10) append_block(runs.front(), encoder.finish());
  }
  EXPECT_EQ(split_by_rank(runs, order, 50).size(), 20u);
}

TEST(BlockWalkTest, TellsBlocksApartByLittle) {
  const testing::ScratchDirectory scratch;
  RunSpace space({scratch.path()}, 0);
  spillway::Run run;
  run.file = &space.next_file();
  BlockEncoder encoder{RecordOrder(LineOrder{})};
  const auto record = [](std::size_t number) { return std::string(200, 'p') + std::to_string(number); };
  std::size_t bytes = 0;
  for (std::size_t i = 1000; i < 1100; ++i) {
    encoder.add({record(i), 0}, 0);
    append_block(run, encoder.finish());
    bytes += run.blocks.back().first_further.size();
  }
  EXPECT_LT(bytes, 200 + 100 * 15u);
  std::size_t number = 1000;
  for (BlockWalk walk(run); !walk.is_at_end(); walk.next(), ++number) {
    if (number == 1000) continue;  // nothing stands before it
    EXPECT_EQ(walk.first(), record(number));
    EXPECT_TRUE(walk.has_whole_first());
  }
  EXPECT_EQ(number, 1100u);
}

}  // namespace
}  // namespace spillway
