#include <gtest/gtest.h>

#include "io/file/memory_file.hpp"
#include "io/run/reader.hpp"
#include "io/run/term_block_builder.hpp"
#include "tests/support/sample_run.hpp"

namespace spillway {
namespace {

using namespace testing;

struct RoundTripCase {
  const char* name;
  SampleRunOptions options;
  std::size_t block_bytes;
  bool has_positions;
};

class RunRoundTrip : public ::testing::TestWithParam<RoundTripCase> {};

TEST_P(RunRoundTrip, GivesBackWhatWasWritten) {
  const RoundTripCase& param = GetParam();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    SampleRun run = make_sample_run(seed, param.options);
    if (param.has_positions) add_positions(run, seed);
    MemoryBudget budget(std::size_t{1} << 30);
    MemoryFile file(budget, "run", 10'000);
    SampleWriting writing{{}, param.block_bytes};
    writing.identity.number = seed;
    writing.identity.has_positions = param.has_positions;
    const RunSummary written = write_sample_run(run, writing, file);
    EXPECT_TRUE(run == read_sample_run(file));
    const RunReader reader(file);
    EXPECT_EQ(reader.identity().number, seed);
    EXPECT_EQ(reader.summary().entry_count, written.entry_count);
    EXPECT_LE(reader.block_bytes(), TermBlockBuilder::max_block_bytes(param.block_bytes, reader.longest_term_bytes()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    , RunRoundTrip,
    ::testing::Values(RoundTripCase{"Small", {}, 4096, false}, RoundTripCase{"WithPositions", {}, 4096, true},
                      RoundTripCase{"LongLists", {5000, 50, 8, 10, 300}, 4096, true},
                      RoundTripCase{"LongTerms", {20, 30, 65535, 10, 3}, 4096, false},
                      RoundTripCase{"LongTexts", {20, 30, 10, 300'000, 3}, 8192, false},
                      RoundTripCase{"LargeFrequencies", {300, 30, 10, 30, 0xFFFFFFFF}, 65536, false},
                      RoundTripCase{"LargeBlocks", {500, 2000, 30, 300, 9}, 1 << 20, true},
                      RoundTripCase{"NoTerms", {10, 0, 10, 10, 1}, 4096, false},
                      RoundTripCase{"Empty", {0, 0, 10, 10, 1}, 4096, false}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace spillway
