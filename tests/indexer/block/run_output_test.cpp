#include "indexer/block/run_output.hpp"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <thread>

#include "io/file/memory_file.hpp"

namespace spillway {
namespace {

constexpr unsigned kThreads = 8;
constexpr std::size_t kRangeBytes = 1000;

// Counts the ranges that have begun before the first of them ends.
std::size_t ranges_before_the_first(std::size_t encode_bytes) {
  constexpr std::size_t kRanges = 40;
  MemoryBudget budget(std::size_t{1} << 24);
  MemoryFile file(budget, "run");
  const Block block;
  BlockSortOptions options;
  options.threads = kThreads;
  options.check_sum = false;
  options.encode_bytes = encode_bytes;
  std::atomic<std::size_t> begun{0}, before_the_first{0}, done{0};
  const auto encode = [&](std::size_t range, PostingsConcatenator&) {
    ++begun;
    if (range == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      before_the_first = begun.load();
    }
    ++done;
  };
  BlockSortStats stats;
  const tbb::global_control control(tbb::global_control::max_allowed_parallelism, kThreads);
  tbb::task_arena arena(static_cast<int>(kThreads));
  arena.execute([&] { write_run_output({block, options, kRanges * kRangeBytes, kRanges, encode}, file, stats); });
  EXPECT_EQ(done, kRanges);
  return before_the_first;
}

TEST(RunOutput, EncodesNoMoreAtOnceThanItsMemoryHolds) {
  EXPECT_LE(ranges_before_the_first(3 * kRangeBytes + 3), 3U);
  EXPECT_LE(ranges_before_the_first(1), 2U) << "the least";
  EXPECT_LE(ranges_before_the_first(0), 2 * kThreads);
}

TEST(RunOutput, HasRangesForAllThreadsOfSmallBlocksToo) {
  EXPECT_EQ(range_count_of(1, range_occurrences(1)), 1U);
  EXPECT_GE(range_count_of(1800000, range_occurrences(1800000)), 50U);
  EXPECT_EQ(range_occurrences(std::size_t{1} << 30), kMostRangeOccurrences);
}

}  // namespace
}  // namespace spillway
