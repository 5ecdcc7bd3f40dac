#include "sort/lines/ranges.hpp"

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
        for (std::size_t i = 0; i < kRecords; ++i) encoder.add({record(block * kRecords + i), 1});
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

}  // namespace
}  // namespace spillway
