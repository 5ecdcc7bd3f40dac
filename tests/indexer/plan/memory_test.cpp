#include "indexer/plan/memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "indexer/parse/chunk_sizes.hpp"
#include "indexer/run/compactor.hpp"
#include "io/base/error.hpp"

namespace spillway {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

IndexPlanInput input_of(std::size_t memory_bytes, unsigned threads) {
  IndexPlanInput input;
  input.memory_bytes = memory_bytes;
  input.program_bytes = 16 * kMebibyte;
  input.threads = threads;
  input.input_bytes = std::uint64_t{1} << 30;
  return input;
}

std::size_t parts_of(const IndexPlan& plan, const IndexPlanInput& input) {
  return plan.reserve_bytes + CorpusReader::memory_bytes({}, plan.reader) + input.threads * plan.parser_bytes +
         plan.run_memory_bytes + plan.compaction_bytes + 2 * plan.assembler.block_bytes + plan.assembler.hold_bytes +
         plan.encode_bytes;
}

TEST(IndexPlan, FitsTheBudgetAndUsesMostOfIt) {
  for (const std::size_t memory : {64, 96, 128, 200, 256, 512, 1024, 4096}) {
    for (const unsigned threads : {1U, 2U, 4U, 8U}) {
      for (const ChunkForm form : {ChunkForm::kPostings, ChunkForm::kTables}) {
        IndexPlanInput input = input_of(memory * kMebibyte, threads);
        input.form = form;
        const IndexPlan plan = plan_index(input, ContentOptions{}, {});
        SCOPED_TRACE(std::to_string(memory) + " MiB, " + std::to_string(threads) + " threads\n" + plan.describe());
        EXPECT_LE(parts_of(plan, input), input.memory_bytes);
        if (memory <= 1024) {
          EXPECT_GT(parts_of(plan, input), input.memory_bytes / 2);
        }
        const std::size_t chunk = max_chunk_bytes(ContentOptions{}, plan.chunk, form);
        EXPECT_GE(plan.assembler.block_bytes, 2 * chunk);
        EXPECT_GE(plan.run_block_bytes, kMinRunBlockBytes);
        EXPECT_LE(plan.run_block_bytes, kMaxRunBlockBytes);
      }
    }
  }
}

CorpusPlan crawl() {
  CorpusFile file;
  file.path = "crawl.warc";
  file.format = CorpusFormat::kWarc;
  file.size = file.end = std::uint64_t{1} << 30;
  CorpusPlan corpus;
  corpus.add(file);
  return corpus;
}

// A budget takes with web archives all that it takes without them: fewer threads parse instead.
TEST(IndexPlan, HasRoomForDecodersOfPages) {
  const CorpusPlan corpus = crawl();
  for (const std::size_t memory : {64, 96, 128, 256, 1024}) {
    for (const unsigned threads : {1U, 2U, 4U, 8U}) {
      for (const bool positions : {false, true}) {
        const IndexPlanInput input = input_of(memory * kMebibyte, threads);
        ContentOptions options;
        options.positions = positions;
        options.store = positions ? StorePolicy::kText : StorePolicy::kMeta;
        const IndexPlan plan = plan_index(input, options, corpus);
        SCOPED_TRACE(std::to_string(memory) + " MiB, " + std::to_string(threads) + " threads\n" + plan.describe());
        EXPECT_EQ(plan.decoder_bytes, kBodyDecoderBytes + plan.parsers * plan.reader.decoder_bytes);
        EXPECT_EQ(plan.reader.threads, plan.parsers);
        EXPECT_LE(plan.parsers, threads);
        if (memory >= 256) {
          EXPECT_EQ(plan.parsers, threads);
        }
        IndexPlanInput parsing = input;
        parsing.threads = plan.parsers;
        EXPECT_LE(parts_of(plan, parsing) - CorpusReader::memory_bytes({}, plan.reader) +
                      CorpusReader::memory_bytes(corpus, plan.reader),
                  input.memory_bytes);
        EXPECT_GE(plan.assembler.block_bytes + plan.run_memory_bytes, input.memory_bytes / 24);
      }
    }
  }
  EXPECT_LT(plan_index(input_of(64 * kMebibyte, 8), {}, corpus).parsers, 8U);
  EXPECT_EQ(plan_index(input_of(64 * kMebibyte, 8), {}, {}).decoder_bytes, 0U);
  EXPECT_THROW(plan_index(input_of(kMinMemoryBytes, 32), {}, corpus), BudgetError);
}

// Adds all shares that a job with GPUs may fill at the same time.
TEST(IndexPlan, HasRoomForListsFromTheGpuAndForSortingOnTheCpuAtOnce) {
  for (const std::size_t memory : {64, 96, 128, 200, 256, 512, 1024, 4096, 16384}) {
    for (const unsigned lanes : {1U, 2U, 8U}) {
      IndexPlanInput input = input_of(memory * kMebibyte, 2);
      input.mode = lanes == 1 ? IndexMode::kGpu : IndexMode::kGpuPlus;
      input.form = ChunkForm::kTables;
      input.lanes = lanes;
      input.staging_bytes = 4 * kMebibyte;
      input.block_limit = [](std::size_t bytes) { return bytes; };
      const IndexPlan plan = plan_index(input, ContentOptions{}, {});
      SCOPED_TRACE(std::to_string(memory) + " MiB\n" + plan.describe());
      EXPECT_EQ(plan.blocks_in_flight, lanes + 1);
      EXPECT_LE(parts_of(plan, input) + (lanes - 1) * plan.assembler.block_bytes + plan.staging_bytes +
                    plan.list_bytes + plan.fallback_bytes,
                input.memory_bytes);
      const std::size_t chunk = max_chunk_bytes(ContentOptions{}, plan.chunk, input.form);
      EXPECT_GE(plan.assembler.block_bytes, chunk);
      EXPECT_GE(plan.fallback_bytes, 5 * chunk);
      EXPECT_GT(plan.list_bytes, 0U);
    }
  }
}

// Runs get the memory that blocks cannot use on a small device, and a part of it is for compactions; half is left to
// the merge.
TEST(IndexPlan, GivesRunsWhatSmallBlocksLeave) {
  IndexPlanInput input = input_of(4096 * kMebibyte, 16);
  input.mode = IndexMode::kGpuPlus;
  input.form = ChunkForm::kTokens;
  input.lanes = 2;
  input.staging_bytes = 256 * kMebibyte;
  input.input_bytes = std::uint64_t{8} << 30;
  input.block_limit = [](std::size_t bytes) { return bytes; };
  const IndexPlan large = plan_index(input, ContentOptions{}, {});
  input.block_limit = [](std::size_t bytes) { return std::min(bytes, 60 * kMebibyte); };
  const IndexPlan small = plan_index(input, ContentOptions{}, {});
  SCOPED_TRACE(large.describe() + small.describe());
  EXPECT_GT(small.run_memory_bytes, large.run_memory_bytes * 5 / 4);
  EXPECT_EQ(large.compaction_bytes, 0U);
  EXPECT_GT(small.compaction_bytes, 0U);
  EXPECT_LE(small.compaction_bytes, small.run_memory_bytes / 3 + 1);
  EXPECT_LE(parts_of(small, input) + small.assembler.block_bytes + small.staging_bytes + small.list_bytes +
                small.fallback_bytes,
            input.memory_bytes);
  EXPECT_LT(small.run_memory_bytes + small.compaction_bytes, input.memory_bytes / 2);
}

// With a GPU's context of 105 MiB, parsers and their chunks took 258 of 512 MiB. Only two runs fitted the rest, so none
// was compacted, and the merge read 228 files.
TEST(IndexPlan, LeavesLittleMemoryToRunsNotToParsersWhereAGpuSorts) {
  IndexPlanInput input = input_of(512 * kMebibyte, 16);
  input.program_bytes = 113 * kMebibyte;
  input.mode = IndexMode::kGpuPlus;
  input.form = ChunkForm::kTokens;
  input.lanes = 1;
  input.staging_bytes = 13 * kMebibyte;
  const std::size_t block = 16 * kMebibyte;
  input.block_limit = [&](std::size_t bytes) { return std::min(bytes, block); };
  input.cpu_sort_bytes = [](const ChunkLimits& limits) { return 76 * limits.token_bytes; };
  ContentOptions options;
  options.positions = true;
  const IndexPlan plan = plan_index(input, options, {});
  SCOPED_TRACE(plan.describe());
  const std::size_t chunk = max_chunk_bytes(options, plan.chunk, input.form);
  EXPECT_LT(input.threads * (plan.parser_bytes + 2 * chunk), (input.memory_bytes - plan.reserve_bytes) / 3);
  EXPECT_EQ(plan.assembler.block_bytes, block);
  EXPECT_GT(plan.compaction_bytes, 0U);
  EXPECT_GT(plan.run_memory_bytes, kLeastCompactedRuns * block / 2);
}

// Pinned slots take memory that no other consumer has, if it suffices for at least half of the chunks of tokens.
TEST(IndexPlan, HasPinnedSlotsForTokensWhereMemoryIsLeft) {
  IndexPlanInput input = input_of(65536 * kMebibyte, 16);
  input.mode = IndexMode::kGpuPlus;
  input.form = ChunkForm::kTokens;
  input.lanes = 2;
  input.staging_bytes = 256 * kMebibyte;
  input.block_limit = [](std::size_t bytes) { return std::min(bytes, 512 * kMebibyte); };
  const IndexPlan plan = plan_index(input, ContentOptions{}, {});
  SCOPED_TRACE(plan.describe());
  EXPECT_GT(plan.pinned_bytes, plan.blocks_in_flight * plan.assembler.block_bytes);
  EXPECT_NE(plan.describe().find("pinned slots for chunks"), std::string::npos);
  EXPECT_GE(plan.slot_bytes, std::size_t{1} << 20);
  EXPECT_LE(plan.slot_bytes, std::size_t{1} << 21);
  input.memory_bytes = 2048 * kMebibyte;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).pinned_bytes, 0U);
  input.memory_bytes = 65536 * kMebibyte;
  ContentOptions with_texts;
  with_texts.store = StorePolicy::kText;
  EXPECT_EQ(plan_index(input, with_texts, {}).pinned_bytes, 0U);
  input.form = ChunkForm::kTables;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).pinned_bytes, 0U);
  input.form = ChunkForm::kTokens;
  input.lanes = 0;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).pinned_bytes, 0U);
}

// Blocks that wait for a GPU take memory that no other consumer has, in pinned slots where there are any.
TEST(IndexPlan, LetsBlocksWaitForAGpuWhereMemoryIsLeft) {
  IndexPlanInput input = input_of(65536 * kMebibyte, 16);
  input.mode = IndexMode::kGpuPlus;
  input.form = ChunkForm::kTokens;
  input.lanes = 2;
  input.staging_bytes = 256 * kMebibyte;
  input.block_limit = [](std::size_t bytes) { return std::min(bytes, 256 * kMebibyte); };
  const IndexPlan ready = plan_index(input, ContentOptions{}, {});
  EXPECT_EQ(ready.waiting_blocks, 0U);
  input.waits_for_gpu = true;
  const IndexPlan plan = plan_index(input, ContentOptions{}, {});
  SCOPED_TRACE(plan.describe());
  EXPECT_EQ(plan.assembler.block_bytes, ready.assembler.block_bytes);
  EXPECT_EQ(plan.waiting_blocks, 8U);
  EXPECT_EQ(plan.pinned_bytes, ready.pinned_bytes + plan.waiting_blocks * plan.assembler.block_bytes);
  for (const unsigned threads : {32U, 128U}) {
    IndexPlanInput many = input;
    many.memory_bytes = 262144 * kMebibyte;
    many.threads = threads;
    EXPECT_EQ(plan_index(many, ContentOptions{}, {}).waiting_blocks, 16U);
  }
  EXPECT_NE(plan.describe().find("and 8 more that may wait, as the GPU is being started"), std::string::npos);
  for (const std::size_t memory : {1024, 2048, 4096, 8192, 16384}) {
    for (const StorePolicy store : {StorePolicy::kMeta, StorePolicy::kText}) {
      ContentOptions options;
      options.store = store;
      input.memory_bytes = memory * kMebibyte;
      const IndexPlan some = plan_index(input, options, {});
      std::size_t rows = 0;
      for (const MemoryConsumer& consumer : some.consumers) rows += consumer.bytes;
      EXPECT_LE(rows + std::max(some.pinned_bytes, some.waiting_blocks * some.assembler.block_bytes),
                input.memory_bytes)
          << memory;
    }
  }
}

TEST(IndexPlan, JoinsRunsOnlyWhereThereWillBeManySmallOnes) {
  IndexPlanInput input = input_of(512 * kMebibyte, 2);
  input.forced_block_bytes = 8 * kMebibyte;
  input.input_bytes = std::uint64_t{1} << 26;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).compaction_bytes, 0U);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{1} << 40}) {  // unknown, large
    input.input_bytes = bytes;
    EXPECT_GT(plan_index(input, ContentOptions{}, {}).compaction_bytes, 0U);
  }
  input.forced_block_bytes = 0;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).compaction_bytes, 0U) << "the memory for runs holds two or three";
  input = input_of(2048 * kMebibyte, 2);
  input.input_bytes = std::uint64_t{1} << 40;
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).compaction_bytes, 0U) << "of blocks of hundreds of megabytes";
}

// Adds all consumers of a job with GPUs, also during the sort of the last block: no other block is filled then, and the
// last run gets its share.
TEST(IndexPlan, FitsTheBudgetWithAnyNumberOfGpus) {
  int planned = 0;
  for (const std::size_t memory : {96, 256, 512, 1024, 4096, 16384, 131072}) {
    for (const unsigned gpus : {1U, 2U, 4U, 8U}) {
      for (const ChunkForm form : {ChunkForm::kTables, ChunkForm::kTokens}) {
        IndexPlanInput input = input_of(memory * kMebibyte, 16);
        input.mode = IndexMode::kGpuPlus;
        input.form = form;
        input.lanes = 2 * gpus;
        input.staging_bytes = std::clamp(input.memory_bytes / 16, 4 * kMebibyte, 256 * kMebibyte);
        input.block_limit = [](std::size_t bytes) { return bytes; };
        if (form == ChunkForm::kTokens) {
          input.cpu_sort_bytes = [](const ChunkLimits& limits) { return 40 * limits.token_bytes; };
        }
        SCOPED_TRACE(std::to_string(memory) + " MiB, " + std::to_string(gpus) + " GPUs, " +
                     (form == ChunkForm::kTokens ? "tokens" : "tables"));
        IndexPlan plan;
        try {
          plan = plan_index(input, ContentOptions{}, {});
        } catch (const BudgetError&) {
          EXPECT_LT(memory, 1024U);  // refused, with the number that would do
          continue;
        }
        ++planned;
        const std::size_t chunk = max_chunk_bytes(ContentOptions{}, plan.chunk, form);
        const std::size_t parts = plan.reserve_bytes + CorpusReader::memory_bytes({}, plan.reader) +
                                  input.threads * (plan.parser_bytes + chunk) + plan.assembler.hold_bytes +
                                  plan.staging_bytes + plan.list_bytes + plan.fallback_bytes + plan.run_memory_bytes +
                                  plan.compaction_bytes + plan.encode_bytes + plan.pinned_bytes;
        EXPECT_EQ(plan.blocks_in_flight, 2 * gpus + 1);
        EXPECT_LE(parts + plan.blocks_in_flight * plan.assembler.block_bytes, input.memory_bytes);
        EXPECT_LE(parts + (plan.blocks_in_flight - 1) * plan.assembler.block_bytes + plan.last_run_memory_bytes,
                  input.memory_bytes);
        EXPECT_GE(plan.assembler.block_bytes, chunk);
        EXPECT_GT(plan.list_bytes, 0U);
        EXPECT_GT(plan.encode_bytes, 0U);
        if (memory != 512) {
          EXPECT_EQ(plan.last_run_memory_bytes > 0, memory > 512) << plan.last_run_memory_bytes;
        }
      }
    }
  }
  EXPECT_GT(planned, 40);
}

TEST(IndexPlan, MakesChunksThatFitTheDevice) {
  IndexPlanInput input = input_of(4096 * kMebibyte, 2);
  input.lanes = 2;
  input.block_limit = [](std::size_t bytes) { return bytes; };
  const std::size_t most = std::size_t{1} << 18;
  EXPECT_GT(plan_index(input, ContentOptions{}, {}).chunk.stream_words, most);
  input.chunk_fits_device = [](const ChunkLimits& chunk) { return chunk.stream_words <= most; };
  EXPECT_EQ(plan_index(input, ContentOptions{}, {}).chunk.stream_words, most);
}

TEST(IndexPlan, MakesNoSmallerChunksThanTheLeast) {
  const ChunkLimits least = least_chunk();
  IndexPlanInput input = input_of(kMinMemoryBytes, 1);
  input.chunk_fits_device = [](const ChunkLimits&) { return false; };
  const ChunkLimits chunk = plan_index(input, ContentOptions{}, {}).chunk;
  EXPECT_EQ(chunk.stream_words, least.stream_words);
  EXPECT_EQ(chunk.token_bytes, least.token_bytes);
  EXPECT_EQ(chunk.text_bytes, least.text_bytes);
  EXPECT_LE(least.token_bytes, std::size_t{1} << 16);
}

TEST(IndexPlan, RefusesWhatIsBelowTheFloorNamingWhatIsNeeded) {
  for (const auto& [memory, threads] : {std::pair{std::size_t{63}, 1U}, {std::size_t{16}, 8U}, {std::size_t{0}, 2U}}) {
    try {
      plan_index(input_of(memory * kMebibyte, threads), ContentOptions{}, {});
      FAIL() << memory;
    } catch (const BudgetError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("--memory"), std::string::npos) << message;
      EXPECT_NE(message.find("at least"), std::string::npos) << message;
    }
  }
}

// The number that the message names is enough, and 1 MiB less is not.
TEST(IndexPlan, NamesANumberThatIsEnough) {
  IndexPlanInput input = input_of(64 * kMebibyte, 64);
  std::string message;
  try {
    plan_index(input, ContentOptions{}, {});
    FAIL() << "no exception";
  } catch (const BudgetError& error) {
    message = error.what();
  }
  const auto at = message.find("at least ") + 9;
  const std::size_t named = std::stoul(message.substr(at));
  input.memory_bytes = named * kMebibyte;
  EXPECT_NO_THROW(plan_index(input, ContentOptions{}, {}));
  input.memory_bytes = (named - 1) * kMebibyte;
  EXPECT_THROW(plan_index(input, ContentOptions{}, {}), BudgetError);
}

// Every parser and chunk holds texts, small chunks hold few: the least budget has room for 8 threads, and the message
// for 32 threads names their need.
TEST(IndexPlan, HoldsTextsInTheLeastBudgetOrNamesWhatTheyNeed) {
  ContentOptions options;
  options.store = StorePolicy::kText;
  for (const bool positions : {false, true}) {
    options.positions = positions;
    for (const unsigned threads : {1U, 2U, 8U}) {
      const IndexPlanInput input = input_of(kMinMemoryBytes, threads);
      EXPECT_LE(parts_of(plan_index(input, options, {}), input), input.memory_bytes) << threads;
    }
    EXPECT_THROW(plan_index(input_of(kMinMemoryBytes, 32), options, {}), BudgetError);
    const IndexPlanInput input = input_of(4 * kMinMemoryBytes, 32);
    EXPECT_LE(parts_of(plan_index(input, options, {}), input), input.memory_bytes);
  }
}

// The largest chunks are for inverted chunks that take a small part of the memory.
TEST(IndexPlan, MakesTheLargestChunksOnlyWhereThereIsMuchMemory) {
  const auto words = [](std::size_t mebibytes, unsigned threads, ChunkForm form) {
    IndexPlanInput input = input_of(mebibytes * kMebibyte, threads);
    input.form = form;
    return plan_index(input, ContentOptions{}, {}).chunk.stream_words;
  };
  EXPECT_EQ(words(1024, 2, ChunkForm::kPostings), std::size_t{1} << 22);
  EXPECT_EQ(words(1024, 2, ChunkForm::kTables), std::size_t{1} << 21);
  EXPECT_EQ(words(1024, 8, ChunkForm::kPostings), std::size_t{1} << 21);
  EXPECT_EQ(words(256, 2, ChunkForm::kPostings), std::size_t{1} << 21);
}

TEST(IndexPlan, TakesSmallerChunksWhenThereIsLittleMemory) {
  const IndexPlan small = plan_index(input_of(64 * kMebibyte, 8), ContentOptions{}, {});
  const IndexPlan large = plan_index(input_of(2048 * kMebibyte, 8), ContentOptions{}, {});
  EXPECT_LT(small.chunk.table_entries, large.chunk.table_entries);
  EXPECT_LT(small.chunk.stream_words, large.chunk.stream_words);
  EXPECT_LT(small.assembler.block_bytes, large.assembler.block_bytes);
}

TEST(IndexPlan, HoldsLongRecordsOfPlainFilesWhereThereIsMuchMemory) {
  const auto reader = [](std::size_t mebibytes, unsigned threads) {
    return plan_index(input_of(mebibytes * kMebibyte, threads), {}, {}).reader;
  };
  EXPECT_EQ(reader(256 << 10, 16).record_bytes, 64 * kMebibyte);
  EXPECT_EQ(reader(64 << 10, 16).record_bytes, 32 * kMebibyte);
  EXPECT_EQ(reader(2048, 2).record_bytes, 8 * kMebibyte);
  for (const std::size_t mebibytes : {256, 512, 1023}) {
    EXPECT_EQ(reader(mebibytes, 2).record_bytes, reader(mebibytes, 2).buffer_bytes);
  }
  EXPECT_EQ(reader(1024, 64).record_bytes, reader(1024, 64).buffer_bytes);
}

TEST(IndexPlan, OverlapsInModeCpuPlusOnly) {
  IndexPlanInput input = input_of(256 * kMebibyte, 2);
  input.mode = IndexMode::kCpu;
  EXPECT_FALSE(plan_index(input, ContentOptions{}, {}).assembler.overlap);
  input.mode = IndexMode::kCpuPlus;
  EXPECT_TRUE(plan_index(input, ContentOptions{}, {}).assembler.overlap);
}

TEST(IndexPlan, ForcesSmallBlocks) {
  IndexPlanInput input = input_of(256 * kMebibyte, 2);
  for (const std::uint64_t forced : {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 20}) {
    input.forced_block_bytes = forced;
    const IndexPlan plan = plan_index(input, ContentOptions{}, {});
    EXPECT_EQ(plan.assembler.block_bytes, forced);
    EXPECT_GE(plan.chunk.stream_words, 16U);
    EXPECT_LE(plan.chunk.stream_words, std::max<std::uint64_t>(16, forced / 16));
    EXPECT_GT(plan.reader.task_bytes, 0U);
  }
  input.forced_block_bytes = std::uint64_t{1} << 40;  // not above what the budget allows
  EXPECT_LT(plan_index(input, ContentOptions{}, {}).assembler.block_bytes, 256 * kMebibyte);
}

TEST(IndexPlan, GivesThreadsEnoughTasks) {
  IndexPlanInput input = input_of(256 * kMebibyte, 8);
  input.input_bytes = 32 * kMebibyte;
  const IndexPlan plan = plan_index(input, ContentOptions{}, {});
  EXPECT_GE(input.input_bytes / plan.reader.task_bytes, 16U);
}

TEST(IndexPlan, TellsWhatItDecided) {
  const std::string text = plan_index(input_of(256 * kMebibyte, 2), ContentOptions{}, {}).describe();
  for (const char* part : {"block", "runs kept in memory", "tasks", "MiB"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part;
  }
}

}  // namespace
}  // namespace spillway
