// The cost model of `--mode auto` against measured times.
#include "indexer/plan/mode_cost.hpp"

#include <gtest/gtest.h>

#include "io/file/posix_file_system.hpp"

namespace spillway {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

ModeCostInput job(std::uint64_t megabytes, unsigned threads) {
  ModeCostInput input;
  input.text_bytes = megabytes * kMegabyte;
  input.threads = threads;
  input.memory_bytes = std::size_t{16} << 30;
  return input;
}

// Sizes at which one mode was clearly faster on an H200 with 16 processors.
TEST(ModeCosts, PreferTheModeThatWasFasterWhenMeasured) {
  const struct {
    unsigned threads;
    std::uint64_t cpu_megabytes, gpu_megabytes;
  } measured[] = {{1, 90, 200}, {2, 100, 400}, {4, 400, 800}, {8, 800, 1600}, {16, 1600, 3200}};
  for (const auto& line : measured) {
    EXPECT_FALSE(mode_costs(job(line.cpu_megabytes, line.threads)).prefers_gpu()) << line.threads;
    EXPECT_TRUE(mode_costs(job(line.gpu_megabytes, line.threads)).prefers_gpu()) << line.threads;
  }
  EXPECT_FALSE(mode_costs(job(1, 1)).prefers_gpu());
  EXPECT_FALSE(mode_costs(job(270, 16)).prefers_gpu());
  EXPECT_TRUE(mode_costs(job(10'000, 16)).prefers_gpu());
}

// These are medians of the same machine.
TEST(ModeCosts, AreNearWhatWasMeasured) {
  const struct {
    std::uint64_t megabytes;
    unsigned threads;
    double cpu_seconds, gpu_seconds;
  } measured[] = {{6480, 16, 1.44, 0.87}, {400, 4, 0.33, 0.42}, {400, 2, 0.58, 0.43}, {100, 1, 0.32, 0.39}};
  for (const auto& line : measured) {
    const ModeCosts costs = mode_costs(job(line.megabytes, line.threads));
    EXPECT_NEAR(costs.cpu_seconds, line.cpu_seconds, line.cpu_seconds / 4) << line.megabytes;
    EXPECT_NEAR(costs.gpu_seconds, line.gpu_seconds, line.gpu_seconds / 4) << line.megabytes;
  }
}

TEST(ModeCosts, PreferTheGpuSoonerForPositionsAndForManyWords) {
  ModeCostInput input = job(400, 4);
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
  input.positions = true;
  EXPECT_TRUE(mode_costs(input).prefers_gpu());
  input = job(400, 16);
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
  input.sample = TextSample{0.18, 0.06};
  EXPECT_TRUE(mode_costs(input).prefers_gpu());
}

// Generated text of a million words on an H200 at commit 7f54296, medians of 5 rounds: 0.58 s with cpu+ and 0.52 s with
// gpu+ for 100 MB, 3.60 s and 0.92 s for 1 GB, 10.3 s and 1.56 s for 3 GB.
TEST(ModeCosts, AreThoseOfManyRareWords) {
  ModeCostInput input = job(100, 16);
  input.sample = TextSample{0.186, 0.061};
  EXPECT_TRUE(mode_costs(input).prefers_gpu());
  input = job(1000, 16);
  input.sample = TextSample{0.186, 0.061};
  EXPECT_NEAR(mode_costs(input).cpu_seconds, 3.6, 0.9);
  EXPECT_NEAR(mode_costs(input).gpu_seconds, 0.92, 0.23);
  input.text_bytes *= 3;
  EXPECT_NEAR(mode_costs(input).cpu_seconds, 10.3, 2.6);
  EXPECT_NEAR(mode_costs(input).gpu_seconds, 1.56, 0.4);
}

TEST(ModeCosts, PreferTheCpuForPositionsOfHalfAGigabyte) {
  ModeCostInput input = job(500, 16);
  input.sample = TextSample{0.15, 0.0106};
  input.positions = true;
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
}

// One thread reads, and neither mode is faster than it.
TEST(ModeCosts, PreferTheCpuWhereOneThreadReads) {
  ModeCostInput input = job(10'000, 16);
  input.reader_seconds = 40;
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
  input = job(0, 16);  // a stream
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
  input.threads = 1;
  EXPECT_TRUE(mode_costs(input).prefers_gpu());
}

TEST(ModeCosts, CountTheReadersOfCompressedFiles) {
  CorpusPlan corpus;
  corpus.add({.compression = Compression::kGzip, .end = 2000 * kMegabyte});
  EXPECT_TRUE(mode_costs(job(8000, 16)).prefers_gpu());
  EXPECT_FALSE(mode_costs(posix_file_system(), corpus, job(8000, 16)).prefers_gpu());
}

TEST(ModeCosts, TellAnEmptyInputFromAStream) {
  CorpusPlan empty, stream;
  empty.add({});
  EXPECT_FALSE(mode_costs(posix_file_system(), empty, job(0, 1)).prefers_gpu());
  stream.add({.is_stream = true});
  EXPECT_TRUE(mode_costs(posix_file_system(), stream, job(0, 1)).prefers_gpu());
}

TEST(ModeCosts, PreferTheCpuWhereMemoryIsShort) {
  ModeCostInput input = job(3000, 16);
  EXPECT_TRUE(mode_costs(input).prefers_gpu());
  input.memory_bytes = std::size_t{512} << 20;
  EXPECT_FALSE(mode_costs(input).prefers_gpu());
}

}  // namespace
}  // namespace spillway
