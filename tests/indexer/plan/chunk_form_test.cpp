// The form in which chunks go to a GPU: as options ask, as sorters allow, and as it costs least.
#include "indexer/plan/chunk_form.hpp"

#include <gtest/gtest.h>

#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

ChunkFormInput with_memory(std::size_t pass_bytes) {
  ChunkFormInput input;
  input.pass_bytes = pass_bytes;
  input.table_device_bytes = 4;
  input.token_device_bytes = 10;
  return input;
}

TEST(ChunkFormPlan, TakesTokensWhereAPassHasMemoryForABlockOfThem) {
  const ChunkFormChoice choice = choose_chunk_form(with_memory(40'000 * kMebibyte), {});
  EXPECT_EQ(choice.form, ChunkForm::kTokens);
  EXPECT_TRUE(choice.describe().starts_with("tokens (")) << choice.describe();
  EXPECT_NE(choice.reason.find("GB/s"), std::string::npos) << choice.reason;
}

TEST(ChunkFormPlan, TakesTablesWhereBlocksOfTokensWouldBeTooSmall) {
  const ChunkFormChoice choice = choose_chunk_form(with_memory(16 * kMebibyte), {});
  EXPECT_EQ(choice.form, ChunkForm::kTables);
  EXPECT_TRUE(choice.describe().starts_with("tables (")) << choice.describe();
}

TEST(ChunkFormPlan, ChangesItsMindOnceAsMemoryGrows) {
  int changes = 0;
  ChunkForm form = ChunkForm::kTables;
  for (std::size_t bytes = kMebibyte; bytes < 65'536 * kMebibyte; bytes += bytes / 4) {
    const ChunkForm next = choose_chunk_form(with_memory(bytes), {}).form;
    changes += next != form ? 1 : 0;
    form = next;
  }
  EXPECT_EQ(changes, 1);
  EXPECT_EQ(form, ChunkForm::kTokens);
}

TEST(ChunkFormPlan, TakesTablesWhereParsingThemIsAsFast) {
  ChunkFormCosts costs;
  costs.table_second_per_byte = costs.token_second_per_byte;
  EXPECT_EQ(choose_chunk_form(with_memory(1000 * kMebibyte), costs).form, ChunkForm::kTables);
}

TEST(ChunkFormPlan, KeepsWhatWasAskedFor) {
  for (const std::size_t bytes : {kMebibyte, 40'000 * kMebibyte}) {
    ChunkFormInput input = with_memory(bytes);
    input.asked = GpuChunks::kTokens;
    EXPECT_EQ(choose_chunk_form(input, {}).form, ChunkForm::kTokens);
    input.asked = GpuChunks::kTables;
    EXPECT_EQ(choose_chunk_form(input, {}).form, ChunkForm::kTables);
  }
}

TEST(ChunkFormPlan, LeavesTheOccurrencesToASorterThatWasNamed) {
  ChunkFormInput input = with_memory(40'000 * kMebibyte);
  input.record_sorter = "gpu-merge";
  const ChunkFormChoice choice = choose_chunk_form(input, {});
  EXPECT_EQ(choice.form, ChunkForm::kTables);
  EXPECT_NE(choice.reason.find("gpu-merge"), std::string::npos);
}

TEST(ChunkFormPlan, RefusesTokensForASorterThatCannotTakeThem) {
  ChunkFormInput input = with_memory(40'000 * kMebibyte);
  input.asked = GpuChunks::kTokens;
  input.record_sorter = "gpu-radix";
  try {
    choose_chunk_form(input, {});
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--record-sorter gpu-radix"), std::string::npos) << error.what();
  }
}

TEST(ChunkFormPlan, MakesLargerBlocksOfLargerJobs) {
  const std::size_t most = 4096 * kMebibyte;
  std::size_t before = 0;
  for (std::uint64_t total = 10'000'000; total < 1'000'000'000'000; total *= 2) {
    const std::size_t bytes = token_block_bytes(most, total, 16, {});
    EXPECT_GE(bytes, before);
    if (total > 3'000'000'000) {
      EXPECT_LE(bytes, total / 4);  // the last block is a small part of the job
    }
    before = bytes;
  }
  EXPECT_GE(before, 256 * kMebibyte);
  EXPECT_EQ(token_block_bytes(most, 0, 16, {}), token_block_bytes(most, std::uint64_t{16} << 30, 16, {}));
  EXPECT_EQ(token_block_bytes(1000, std::uint64_t{16} << 30, 16, {}), 1000U);
}

// Fewer threads merge more slowly, and fill fewer blocks while one is sorted.
TEST(ChunkFormPlan, MakesLargerBlocksForFewerThreads) {
  constexpr std::size_t kMost = 4096 * kMebibyte;
  EXPECT_EQ(token_block_bytes(kMost, 6'480'000'000, 16, {}), 256 * kMebibyte);
  EXPECT_EQ(token_block_bytes(kMost, 6'480'000'000, 4, {}), 512 * kMebibyte);
  for (unsigned threads = 1; threads < 128; threads *= 2) {
    EXPECT_GE(token_block_bytes(kMost, 6'480'000'000, threads, {}),
              token_block_bytes(kMost, 6'480'000'000, 2 * threads, {}));
  }
}

}  // namespace
}  // namespace spillway
