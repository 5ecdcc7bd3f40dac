#include "indexer/plan/estimate.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

CorpusPlan one_file(std::uint64_t bytes, Compression compression = Compression::kNone) {
  CorpusPlan corpus;
  CorpusFile file;
  file.size = file.end = bytes;
  file.compression = compression;
  corpus.add(file);
  return corpus;
}

JobEstimate estimate_of(const CorpusPlan& corpus, std::size_t memory_bytes, std::size_t block_bytes = 0) {
  IndexPlanInput input;
  input.forced_block_bytes = block_bytes;
  input.memory_bytes = memory_bytes;
  input.program_bytes = 16 * kMebibyte;
  input.threads = 2;
  input.input_bytes = corpus.total_bytes;
  return estimate_job(corpus, plan_index(input, {}, corpus), {}, memory_bytes, 2);
}

TEST(JobEstimate, KeepsASmallInputInMemory) {
  const JobEstimate estimate = estimate_of(one_file(1'000'000), 256 * kMebibyte);
  EXPECT_EQ(estimate.blocks, 1U);
  EXPECT_EQ(estimate.runs_spilled, 0U);
  EXPECT_EQ(estimate.spilled_bytes, 0U);
  EXPECT_TRUE(estimate.merge.passes.empty());
}

TEST(JobEstimate, TakesPackedFilesForWhatTheyUnpackTo) {
  EXPECT_EQ(expected_text_bytes(one_file(1'000'000)), 1'000'000U);
  CorpusPlan corpus = one_file(1'000'000, Compression::kGzip);
  EXPECT_EQ(expected_text_bytes(corpus), kUnpackFactor * 1'000'000);
  EXPECT_EQ(expected_text_bytes(corpus), estimate_of(corpus, 256 * kMebibyte).text_bytes);
  corpus.add({.is_stream = true});
  EXPECT_EQ(expected_text_bytes(corpus), 0U) << "nobody knows";
}

TEST(JobEstimate, SeesMoreRunsWithLessMemory) {
  const CorpusPlan corpus = one_file(15'000'000'000);
  const JobEstimate little = estimate_of(corpus, 64 * kMebibyte), much = estimate_of(corpus, 4096 * kMebibyte);
  EXPECT_GT(little.blocks, 10 * much.blocks);
  EXPECT_GT(little.merge.passes.size(), 0U);
  EXPECT_GT(little.spilled_bytes, much.spilled_bytes);
  EXPECT_EQ(little.index_bytes, much.index_bytes);
}

TEST(JobEstimate, MergesCompactedRunsWhereThereAreMany) {
  const JobEstimate few = estimate_of(one_file(100'000'000), 512 * kMebibyte);
  EXPECT_EQ(few.compactions, 0U);
  EXPECT_EQ(few.describe().find("compacted"), std::string::npos);
  EXPECT_EQ(estimate_of(one_file(60'000'000'000), 512 * kMebibyte).compactions, 0U);  // few are in memory at once
  const JobEstimate many = estimate_of(one_file(3'000'000'000), 512 * kMebibyte, 8 * kMebibyte);
  EXPECT_GT(many.blocks, 100U);
  EXPECT_GT(many.compactions, 3U);
  EXPECT_TRUE(many.merge.passes.empty());
  EXPECT_NE(many.describe().find("of them compacted to " + std::to_string(many.compactions)), std::string::npos);
}

TEST(JobEstimate, SaysThatAMergeMayNotFit) {
  const JobEstimate estimate = estimate_of(one_file(500'000'000'000), 64 * kMebibyte);
  EXPECT_NE(estimate.merge_refusal, "");
  EXPECT_NE(estimate.describe().find("may be refused: "), std::string::npos) << estimate.describe();
}

TEST(JobEstimate, RefusesFewOpenFilesOnlyWhereRunsWillBeSpilled) {
  const auto words = [](const JobEstimate& estimate, std::size_t run_files) {
    std::string said;
    try {
      check_run_files(estimate, run_files, [&](const std::string& text) { said = "warned: " + text; });
    } catch (const BudgetError& error) {
      said = std::string("refused: ") + error.what();
    }
    return said;
  };
  const JobEstimate large = estimate_of(one_file(15'000'000'000), 64 * kMebibyte);
  EXPECT_TRUE(words(large, 0).starts_with("refused: ")) << words(large, 0);
  EXPECT_NE(words(large, 2).find("ulimit -n"), std::string::npos) << words(large, 2);
  EXPECT_EQ(words(large, 3), "");
  EXPECT_EQ(words(estimate_of(one_file(1'000'000), 64 * kMebibyte), 0), "");
  JobEstimate stream;
  stream.is_known = false;
  EXPECT_TRUE(words(stream, 0).starts_with("warned: ")) << words(stream, 0);
}

// Within a factor of 2 of real jobs (RFCs as lines, 494 MB: 36 blocks with 64M, 5 with 256M).
TEST(JobEstimate, IsNearWhatWasMeasured) {
  for (const auto& [memory, blocks] : {std::pair{64, 36}, {256, 5}}) {
    const JobEstimate estimate = estimate_of(one_file(494'494'534), static_cast<std::size_t>(memory) * kMebibyte);
    EXPECT_GE(estimate.blocks * 2, static_cast<std::uint64_t>(blocks));
    EXPECT_LE(estimate.blocks, static_cast<std::uint64_t>(blocks) * 2);
    EXPECT_NEAR(static_cast<double>(estimate.index_bytes), 162.7e6, 80e6);
  }
}

TEST(JobEstimate, SaysWhatItRestsOn) {
  const JobEstimate packed = estimate_of(one_file(1'000'000, Compression::kGzip), 256 * kMebibyte);
  EXPECT_EQ(packed.text_bytes, 4'000'000U);
  EXPECT_NE(packed.describe().find("compressed files count as 4 times"), std::string::npos) << packed.describe();
  CorpusPlan stream;
  stream.add({.is_stream = true});
  EXPECT_NE(estimate_of(stream, 256 * kMebibyte).describe().find("the input is a stream"), std::string::npos);
}

TEST(JobEstimate, IsCertainOnlyOfFarLessThanItExpects) {
  const JobEstimate estimate = estimate_of(one_file(10'000'000'000), 64 * kMebibyte);
  EXPECT_LT(estimate.least_index_bytes * 20, estimate.index_bytes);
  EXPECT_LT(estimate.least_spilled_bytes * 20, estimate.spilled_bytes);
  EXPECT_GT(estimate.least_index_bytes, 0U);
}

}  // namespace
}  // namespace spillway
