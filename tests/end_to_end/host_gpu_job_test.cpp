// Tests whole jobs whose lanes run on the host instead of a GPU, in both forms of chunks: the index is that of the CPU,
// even if passes fail and the CPU sorts their blocks.
#include <csignal>

#include "tests/end_to_end/host_gpu_job.hpp"

namespace spillway {
namespace {

using testing::HostGpuJob;
using testing::HostGpuSetting;
using testing::Upload;

INSTANTIATE_TEST_SUITE_P(, HostGpuJob, ::testing::ValuesIn(testing::host_gpu_cases()), testing::host_gpu_case_name);

// Damage to tables shows in the content checksum; uploads of tokens have checksums of their own.
class HostGpuTokens : public HostGpuJob {};
INSTANTIATE_TEST_SUITE_P(, HostGpuTokens, ::testing::ValuesIn(testing::host_gpu_token_cases()),
                         testing::host_gpu_case_name);

class HostGpuSlots : public HostGpuJob {};
INSTANTIATE_TEST_SUITE_P(, HostGpuSlots, ::testing::ValuesIn(testing::host_gpu_slot_cases()),
                         testing::host_gpu_case_name);

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuForAnyBlocksLanesAndThreads) {
  set_random_corpus(41, 300);
  for (const std::uint64_t block_bytes : {0, 3000, 30000}) {
    for (const auto& [lanes, arenas] : {std::pair(1U, 1U), {2U, 1U}, {2U, 2U}, {4U, 1U}, {4U, 4U}}) {
      HostGpuSetting setting;
      setting.block_bytes = block_bytes;
      setting.lanes = lanes;
      setting.arenas = arenas;
      setting.threads = 1 + lanes % 3;
      SCOPED_TRACE(::testing::Message() << "blocks " << block_bytes << ", lanes " << lanes << " of " << arenas);
      const BlockStats stats = expect_same_with(setting);
      EXPECT_EQ(stats.cpu_blocks, 0U) << stats.gpu_failure;
      EXPECT_GT(stats.gpu_blocks, block_bytes == 0 ? 0U : 4U);
      EXPECT_GT(stats.kept_blocks, stats.gpu_blocks / 4);
    }
  }
}

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuForEveryContent) {
  HostGpuSetting setting;
  setting.block_bytes = 20000;
  content_options_.stemmer = "english";
  content_options_.stop_words = "the\nword\n";
  set_random_corpus(42, 200);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
  content_options_.tokenizer = Tokenizer::kAscii;
  content_options_.max_term_bytes = 12;
  set_random_corpus(43, 200);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
  content_options_ = {};
  content_options_.positions = GetParam().positions;
  set_corpus_with_texts(44);
  EXPECT_EQ(expect_same_with(setting).cpu_blocks, 0U);
}

TEST_P(HostGpuJob, LeavesOutTheRepeatsThatTheCpuLeavesOut) {
  set_random_corpus(47, 80, false);
  testing::Documents twice = documents_;
  for (testing::OracleDocument again : documents_) {
    again.id += "again";
    twice.push_back(again);
  }
  HostGpuSetting setting;
  setting.block_bytes = 3000;
  for (const Dedup dedup : {Dedup::kExact, Dedup::kUrl}) {
    dedup_ = dedup;
    set_corpus(testing::jsonl_of(twice), CorpusFormat::kJsonl);
    EXPECT_LT(report_.documents, twice.size());
    expect_same_with(setting);
  }
}

// Lists stay in memory until half of that of runs is full; those of other blocks become runs, in memory or spilled.
TEST_P(HostGpuJob, GivesTheIndexOfTheCpuWhereSomeListsAreKept) {
  set_random_corpus(48, 300);
  HostGpuSetting setting;
  setting.block_bytes = 30000;
  setting.run_memory_bytes = std::size_t{3} << 20;
  const BlockStats stats = expect_same_with(setting);
  EXPECT_EQ(stats.cpu_blocks, 0U) << stats.gpu_failure;
  EXPECT_GT(stats.kept_blocks, 0U);
  EXPECT_LT(stats.kept_blocks, stats.gpu_blocks);
}

// The blocks do not fit the arena, and the budget is so small that the CPU sorts each of them as several runs.
TEST_P(HostGpuJob, SortsOnTheCpuWhatDoesNotFitTheArena) {
  set_random_corpus(45, 300);
  HostGpuSetting setting;
  setting.memory_bytes = std::size_t{96} << 20;
  setting.arena_bytes = 1000;
  const BlockStats stats = expect_same_with(setting);
  EXPECT_EQ(stats.gpu_blocks, 0U);
  EXPECT_GT(stats.cpu_blocks, 0U);
  EXPECT_FALSE(stats.gpu_failure.empty());
}

TEST_P(HostGpuJob, GivesTheIndexOfTheCpuWhateverCallFails) {
  set_random_corpus(46, 150);
  for (const GpuFault fault : {GpuFault::kMemory, GpuFault::kLost}) {
    HostGpuSetting setting;
    setting.block_bytes = 30000;
    setting.fault = fault;
    int failures = 0;
    for (std::uint64_t nth = 1;; nth += 1 + nth / 4) {
      setting.failing_call = nth;
      setting.arenas = 1 + static_cast<unsigned>(nth % 2);
      const BlockStats stats = expect_same_with(setting);
      if (stats.cpu_blocks == 0) break;
      EXPECT_FALSE(stats.gpu_failure.empty());
      ++failures;
    }
    EXPECT_GT(failures, 8);
  }
}

// The CPU sorts the block that was damaged on its way to the GPU, and all later ones, from the parsers' chunks.
TEST_P(HostGpuTokens, GiveTheIndexOfTheCpuWhereUploadsAreDamaged) {
  set_random_corpus(47, 200);
  for (const Upload upload : {Upload::kPlaces, Upload::kLengths, Upload::kTokens, Upload::kPositions}) {
    if (upload == Upload::kPositions && !GetParam().positions) continue;
    SCOPED_TRACE(testing::upload_name(upload));
    int blocks = 0, damaged_block = 0;
    HostGpuSetting setting;
    setting.block_bytes = 20000;
    setting.lanes = 1;
    setting.damage = [&](Upload at, std::span<std::uint32_t> words) {
      blocks += at == Upload::kPlaces ? 1 : 0;
      if (blocks < 3 || at != upload || damaged_block != 0) return;
      const auto other = std::find_if(words.begin(), words.end(), [&](auto word) { return word != words[0]; });
      if (other == words.end()) return;
      std::swap(words[0], *other);
      damaged_block = blocks;
    };
    const BlockStats stats = expect_same_with(setting);
    EXPECT_EQ(stats.gpu_blocks + 1, static_cast<std::uint64_t>(damaged_block));
    EXPECT_GT(stats.cpu_blocks, 1U);
    EXPECT_NE(stats.gpu_failure.find("not the same on the GPU"), std::string::npos) << stats.gpu_failure;
  }
}

// Once all slots are taken, in the middle of a block, parsers take other memory until a block is sorted, by a lane or
// on the CPU. With one parser, later chunks use slots again.
TEST_P(HostGpuSlots, GiveTheIndexOfTheCpuWhereTheyAreFew) {
  set_random_corpus(52, 300);
  for (const std::size_t slots : {1, 2, 7}) {
    for (const unsigned threads : {1U, 3U}) {
      for (const std::uint64_t lost_call : {0, 30, 150}) {
        SCOPED_TRACE(::testing::Message() << slots << " slots, " << threads << " threads, lost at " << lost_call);
        HostGpuSetting setting;
        setting.block_bytes = 20000;
        setting.slots = slots;
        setting.threads = threads;
        setting.fault = GpuFault::kLost;
        setting.failing_call = lost_call;
        EXPECT_EQ(expect_same_with(setting).cpu_blocks > 0, lost_call != 0);
        if (slots == 1) {
          EXPECT_LT(pinned_chunks_, chunks_);
        }
        if (threads == 1) {
          EXPECT_GT(pinned_chunks_, slots) << "none was used again";
        }
      }
    }
  }
}

// Waiting blocks and the one in a lane hold slots when the job stops.
TEST_P(HostGpuSlots, AreAllGivenBackWhenAJobIsStopped) {
  set_random_corpus(53, 300);
  for (const unsigned lanes : {1U, 3U}) {
    for (const int last_block : {1, 2, 5}) {
      SCOPED_TRACE(::testing::Message() << lanes << " lanes, stopped at block " << last_block);
      std::atomic<int> blocks = 0;
      HostGpuSetting setting;
      setting.block_bytes = 20000;
      setting.lanes = lanes;
      setting.threads = 3;
      setting.damage = [&](Upload at, std::span<std::uint32_t>) {
        if (at == Upload::kPlaces && ++blocks == last_block) signal_number_ = SIGINT;
      };
      EXPECT_THROW(run(setting), InterruptedError);
      signal_number_ = 0;
    }
  }
  EXPECT_EQ(expect_same_with({}).cpu_blocks, 0U);
}

}  // namespace
}  // namespace spillway
