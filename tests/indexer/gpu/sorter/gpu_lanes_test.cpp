// Block passes on a GPU, with every sorter. The blocks need no parser, so that the test runs without its libraries.
#include "indexer/gpu/sorter/gpu_lanes.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <functional>
#include <optional>
#include <thread>

#include "indexer/block/key_sorter.hpp"
#include "io/file/memory_file.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"
#include "sort/gpu/registry.hpp"
#include "sort/sorters.hpp"
#include "tests/indexer/gpu/pipeline/synthetic_block.hpp"
#include "tests/indexer/gpu/pipeline/token_block.hpp"

namespace spillway {
namespace {

using testing::SyntheticBlock;
using testing::SyntheticShape;
using testing::TokenBlock;

constexpr std::size_t kBudget = std::size_t{1} << 30;

struct PassCase {
  ChunkForm form;
  Positions positions;
};

// A block as lanes take it, and as the sorter of the CPU does.
class BlockOf {
 public:
  BlockOf(const SyntheticShape& shape, ChunkForm form) : occurrences_(shape) {
    if (form == ChunkForm::kTokens) tokens_.emplace(occurrences_.block(), shape.seed);
  }
  const Block& occurrences() const { return occurrences_.block(); }
  const Block& block() const { return tokens_ ? tokens_->block() : occurrences_.block(); }

 private:
  SyntheticBlock occurrences_;
  std::optional<TokenBlock> tokens_;
};

struct NamedShape {
  std::string name;
  SyntheticShape shape;
};

std::vector<NamedShape> shapes() {
  std::vector<NamedShape> all{
      {"small", {}},
      {"one chunk", {.chunks = 1, .documents = 40}},
      {"no chunks", {.chunks = 0}},
      {"no tokens", {.tokens = 0}},
      {"one term", {.chunks = 5, .documents = 100, .vocabulary = 1.5}},
      {"many small chunks", {.chunks = 300, .documents = 2}},
      {"cut documents", {.chunks = 20, .documents = 3, .cut_documents = true}},
      {"a document through all chunks", {.chunks = 20, .documents = 1, .tokens = 5000, .cut_documents = true}},
      {"frequencies above 2^16",
       {.chunks = 3, .documents = 2, .tokens = 400000, .vocabulary = 3, .cut_documents = true}},
      {"long terms", {.chunks = 2, .vocabulary = 50, .longest_term_bytes = 65536}},
      {"a table of more than 2^16 terms", {.chunks = 2, .documents = 1000, .tokens = 400, .vocabulary = 1e9}},
      {"positions of 4 bytes, more than a tile of keys gathers", {.chunks = 1000, .documents = 1, .tokens = 8}},
      {"larger", {.chunks = 12, .documents = 2000, .tokens = 300, .vocabulary = 1e6}}};
  for (std::uint64_t seed = 2; seed < 6; ++seed) {
    all.push_back({"seed " + std::to_string(seed),
                   {.seed = seed, .chunks = seed, .documents = 7 * seed, .cut_documents = seed % 2 == 0}});
  }
  return all;
}

std::string bytes_of_run(const std::function<RunSummary(WritableFile&)>& write) {
  MemoryBudget budget(4 * kBudget);
  MemoryFile file(budget, "run");
  tbb::task_arena(4).execute([&] { write(file); });
  std::string bytes(file.size(), '\0');
  file.read_exactly(0, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

BlockSortOptions options_of(Positions positions) {
  BlockSortOptions options;
  options.positions = positions;
  options.run_block_bytes = kMinRunBlockBytes;
  options.threads = 4;
  return options;
}

std::string cpu_run(const Block& block, const BlockSortOptions& options) {
  static const auto sorter = make_key_block_sorter(*find_record_sorter("cpu-radix"), *find_string_sorter("cpu-msd"));
  return bytes_of_run([&](WritableFile& file) {
    MemoryBudget budget(4 * kBudget);
    BlockSortStats stats;
    return sorter->write_run(block, file, options, budget, stats);
  });
}

std::string gpu_run(GpuLane& lane, const Block& block, const BlockSortOptions& options) {
  return bytes_of_run([&](WritableFile& file) {
    BlockSortStats stats;
    lane.sort(block, options, stats);
    return lane.write_run(block, file, options, stats);
  });
}

std::unique_ptr<GpuLane> make_lane(const GpuSorterOptions& options, MemoryBudget& budget) {
  return std::move(make_gpu_lanes(options, budget).front());
}

GpuSorterOptions sorter_options(ChunkForm form, std::size_t arena_bytes, std::size_t staging_bytes) {
  GpuSorterOptions options;
  options.form = form;
  for (const GpuInfo& gpu : find_gpus().gpus) {
    if (gpu.is_usable() && options.gpus.empty()) options.gpus.push_back(gpu.id);
  }
  options.arena_bytes = arena_bytes;
  options.lanes = options.arenas = 1;
  options.staging_bytes = staging_bytes;
  if (form == ChunkForm::kTables) options.record_sorter = "gpu-radix";
  options.string_sorter = "gpu-string-thrust";
  return options;
}

BlockPassSize size_of(const Block& block, Positions positions) {
  BlockPassSize size;
  size.positions = positions == Positions::kStored;
  for (const ParsedChunk& chunk : block.chunks) size += block_pass_size(chunk, positions);
  return size;
}

class GpuLaneTest : public ::testing::TestWithParam<PassCase> {
 protected:
  ChunkForm form() const { return GetParam().form; }
  Positions positions() const { return GetParam().positions; }
  SyntheticShape some_shape(std::uint64_t seed) const {
    return {
        .seed = seed, .chunks = 5, .documents = 200 * seed, .tokens = 100, .vocabulary = 1e5, .positions = positions()};
  }
  void SetUp() override {
    if (find_gpus().state != GpuState::kUsable) GTEST_SKIP() << find_gpus().detail;
  }
};

constexpr PassCase kTokens{ChunkForm::kTokens, Positions::kNone};
constexpr PassCase kTokensWithPositions{ChunkForm::kTokens, Positions::kStored};
std::string case_name(const ::testing::TestParamInfo<PassCase>& tested) {
  return std::string(tested.param.positions == Positions::kNone ? "Plain" : "Positions") +
         (tested.param.form == ChunkForm::kTokens ? "OfTokens" : "");
}
INSTANTIATE_TEST_SUITE_P(, GpuLaneTest,
                         ::testing::Values(PassCase{ChunkForm::kTables, Positions::kNone},
                                           PassCase{ChunkForm::kTables, Positions::kStored}, kTokens,
                                           kTokensWithPositions),
                         case_name);

// Only tokens are in pinned slots.
class GpuPassFromPinnedSlots : public GpuLaneTest {};
INSTANTIATE_TEST_SUITE_P(, GpuPassFromPinnedSlots, ::testing::Values(kTokens, kTokensWithPositions), case_name);

// Small enough for the tools that watch every access of a kernel.
TEST_P(GpuLaneTest, GivesTheRunOfTheCpuForASmallBlock) {
  const BlockOf synthetic({.chunks = 3, .longest_term_bytes = 40, .cut_documents = true, .positions = positions()},
                          form());
  const BlockSortOptions options = options_of(positions());
  GpuSorterOptions of = sorter_options(form(), 0, std::size_t{1} << 20);
  of.string_sorter = "gpu-string-radix";
  of.arena_bytes = block_pass_device_bytes(size_of(synthetic.block(), positions()), of);
  MemoryBudget budget(kBudget);
  EXPECT_TRUE(gpu_run(*make_lane(of, budget), synthetic.block(), options) == cpu_run(synthetic.occurrences(), options));
}

// The staging buffer is so small that the lists of large blocks come down through it in several copies.
TEST_P(GpuLaneTest, GivesTheRunOfTheCpuWithEverySorter) {
  for (NamedShape& named : shapes()) {
    SCOPED_TRACE(named.name);
    named.shape.positions = positions();
    const BlockOf synthetic(named.shape, form());
    const BlockSortOptions options = options_of(positions());
    const std::string expected = cpu_run(synthetic.occurrences(), options);
    const auto check = [&](std::string_view records, std::string_view strings) {
      GpuSorterOptions of = sorter_options(form(), 0, std::size_t{1} << 20);
      of.record_sorter = records;
      of.string_sorter = strings;
      of.arena_bytes = block_pass_device_bytes(size_of(synthetic.block(), positions()), of);
      MemoryBudget budget(kBudget);
      EXPECT_TRUE(gpu_run(*make_lane(of, budget), synthetic.block(), options) == expected)
          << records << " with " << strings;
    };
    const bool keys = form() == ChunkForm::kTables;
    if (keys) {
      for (const DeviceRecordSorter* sorter : device_record_sorters()) check(sorter->name(), "gpu-string-thrust");
    }
    for (const DeviceStringSorter* sorter : device_string_sorters()) check(keys ? "gpu-radix" : "", sorter->name());
  }
}

// The first block with chunks of a region locks it; chunks without a slot are packed. Many passes use the same slots.
TEST_P(GpuPassFromPinnedSlots, GivesTheRunOfTheCpu) {
  MemoryBudget budget(kBudget);
  constexpr std::size_t kSlotBytes = std::size_t{1} << 20;
  PinnedSlotPool pool(budget, 80 * kSlotBytes, kSlotBytes);
  const auto lane = make_lane(sorter_options(form(), std::size_t{512} << 20, std::size_t{16} << 20), budget);
  std::size_t moved = 0, kept = 0;
  for (NamedShape& named : shapes()) {
    SCOPED_TRACE(named.name);
    named.shape.positions = positions();
    const SyntheticBlock occurrences(named.shape);
    TokenBlock tokens(occurrences.block(), named.shape.seed);
    const std::size_t in_slots = tokens.move_to(pool);
    moved += in_slots;
    kept += tokens.block().chunks.size() - in_slots;
    const BlockSortOptions options = options_of(positions());
    EXPECT_TRUE(gpu_run(*lane, tokens.block(), options) == cpu_run(occurrences.block(), options));
  }
  EXPECT_GT(moved, 100U);
  EXPECT_GT(kept, 100U);
}

// The lists of one block wait on the host while other lanes sort, also in the same arena.
TEST_P(GpuLaneTest, KeepsTheListsOfSeveralBlocksApart) {
  for (const unsigned arenas : {1U, 3U}) {
    MemoryBudget budget(kBudget);
    GpuSorterOptions of = sorter_options(form(), (std::size_t{1} << 30) / arenas, std::size_t{64} << 20);
    of.lanes = 3;
    of.arenas = arenas;
    const auto lanes = make_gpu_lanes(of, budget);
    const BlockSortOptions options = options_of(positions());
    for (std::uint64_t seed = 1; seed <= 12; seed += 3) {
      std::vector<std::unique_ptr<BlockOf>> blocks;
      for (std::size_t i = 0; i < 3; ++i) {
        blocks.push_back(std::make_unique<BlockOf>(some_shape(seed + i), form()));
        BlockSortStats stats;
        lanes[i]->sort(blocks[i]->block(), options, stats);
      }
      for (std::size_t i = 3; i-- > 0;) {
        const std::string run = bytes_of_run([&](WritableFile& file) {
          BlockSortStats stats;
          return lanes[i]->write_run(blocks[i]->block(), file, options, stats);
        });
        EXPECT_TRUE(run == cpu_run(blocks[i]->occurrences(), options)) << "block " << seed + i;
      }
    }
  }
}

// The buffer is 32 MiB at first. The budget has no memory left for lists that do not fit it.
TEST_P(GpuLaneTest, GrowsItsStagingBufferForTheLists) {
  const SyntheticShape large{
      .chunks = 12, .documents = 2000, .tokens = 300, .vocabulary = 1e9, .positions = positions()};
  const BlockOf block(large, form());
  const BlockSortOptions options = options_of(positions());
  const std::string expected = cpu_run(block.occurrences(), options);
  const auto gpu_runs = [&](std::size_t staging_bytes) {
    MemoryBudget budget(kBudget);
    const auto lane = make_lane(sorter_options(form(), std::size_t{4} << 30, staging_bytes), budget);
    const Reservation others = budget.reserve(budget.free_bytes(), "other work");
    EXPECT_TRUE(gpu_run(*lane, BlockOf(some_shape(1), form()).block(), options) ==
                cpu_run(BlockOf(some_shape(1), form()).occurrences(), options));
    for (int round = 0; round < 2; ++round) {
      EXPECT_TRUE(gpu_run(*lane, block.block(), options) == expected) << "round " << round;
    }
  };
  gpu_runs(std::size_t{512} << 20);
  EXPECT_THROW(gpu_runs(std::size_t{16} << 20), GpuMemoryError);
}

// Each lane runs on its own thread; lanes may share an arena.
TEST_P(GpuLaneTest, SortsBlocksBesideOtherLanes) {
  for (const unsigned arenas : {1U, 2U, 4U}) {
    MemoryBudget budget(kBudget);
    GpuSorterOptions of = sorter_options(form(), (std::size_t{512} << 20) / arenas, std::size_t{64} << 20);
    of.lanes = 4;
    of.arenas = arenas;
    const auto lanes = make_gpu_lanes(of, budget);
    const BlockSortOptions options = options_of(positions());
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      threads.emplace_back([&, i] {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          const BlockOf block(some_shape(4 * seed + i), form());
          EXPECT_TRUE(gpu_run(*lanes[i], block.block(), options) == cpu_run(block.occurrences(), options));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

// After a failure of any call, the pass ends with a GpuError and nothing is written, or the run is right. The next run
// is right.
TEST_P(GpuLaneTest, EndsCleanlyWhateverCallFails) {
  const BlockOf synthetic({.chunks = 4, .documents = 30, .positions = positions()}, form());
  const BlockSortOptions options = options_of(positions());
  const std::string expected = cpu_run(synthetic.occurrences(), options);
  std::uint64_t failed = 0;
  for (std::uint64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 10000U);
    MemoryBudget budget(kBudget), file_budget(kBudget);
    MemoryFile file(file_budget, "run");
    fail_gpu_call(nth);
    std::unique_ptr<GpuLane> lane;
    bool threw = false;
    try {
      lane = make_lane(sorter_options(form(), std::size_t{64} << 20, std::size_t{4} << 20), budget);
      BlockSortStats stats;
      lane->sort(synthetic.block(), options, stats);
      lane->write_run(synthetic.block(), file, options, stats);
    } catch (const GpuError&) {
      threw = true;
      EXPECT_EQ(file.size(), 0U);
    }
    const std::uint64_t fired = gpu_faults_fired();
    fail_gpu_call(0);
    EXPECT_EQ(threw, fired != 0);
    if (lane != nullptr) {
      EXPECT_TRUE(gpu_run(*lane, synthetic.block(), options) == expected) << nth;
      lane.reset();
    }
    EXPECT_EQ(budget.used_bytes(), 0U);
    if (fired == 0) break;
    ++failed;
  }
  EXPECT_GT(failed, 20U);
}

TEST_P(GpuLaneTest, RefusesABlockThatDoesNotFitItsArena) {
  const BlockOf synthetic({.positions = positions()}, form());
  const BlockSortOptions options = options_of(positions());
  GpuSorterOptions of = sorter_options(form(), 0, std::size_t{1} << 20);
  of.arena_bytes = block_pass_device_bytes(size_of(synthetic.block(), positions()), of) - 256;
  MemoryBudget budget(kBudget);
  const auto lane = make_lane(of, budget);
  BlockSortStats stats;
  EXPECT_THROW(lane->sort(synthetic.block(), options, stats), GpuMemoryError);
  const Block empty;
  EXPECT_TRUE(gpu_run(*lane, empty, options) == cpu_run(empty, options));
}

// More text in one visit than 32 bits number.
TEST(GpuPassAtSize, TakesMoreThan4GibibytesOfText) {
  constexpr std::size_t kText = std::size_t{1} << 32, kHostBytes = std::size_t{9} << 30;
  if (find_gpus().state != GpuState::kUsable) GTEST_SKIP() << find_gpus().detail;
  if (available_memory_bytes() < kHostBytes) {
    GTEST_SKIP() << "needs " << kHostBytes << " bytes of host memory, and there are " << available_memory_bytes();
  }
  const BlockOf synthetic(
      {.chunks = 320, .documents = 100, .tokens = 300, .vocabulary = 3000, .longest_term_bytes = 2500},
      ChunkForm::kTokens);
  const BlockPassSize size = size_of(synthetic.block(), Positions::kNone);
  ASSERT_GT(size.string_bytes - size.occurrences * 10, kText) << "without the zeros after tokens";
  GpuSorterOptions of = sorter_options(ChunkForm::kTokens, 0, std::size_t{256} << 20);
  of.string_sorter = "gpu-string-radix";
  of.arena_bytes = block_pass_device_bytes(size, of);
  if (const std::size_t free = free_device_bytes(of.gpus.front()); free < of.arena_bytes) {
    GTEST_SKIP() << "needs " << of.arena_bytes << " bytes of device memory, and there are " << free;
  }
  MemoryBudget budget(kBudget);
  const auto lane = make_lane(of, budget);
  BlockSortOptions options = options_of(Positions::kNone);
  options.run_block_bytes = std::size_t{256} << 10;
  EXPECT_TRUE(gpu_run(*lane, synthetic.block(), options) == cpu_run(synthetic.occurrences(), options));
}

TEST(GpuLanes, AreRefusedWithAReason) {
  MemoryBudget budget(kBudget);
  GpuSorterOptions options = sorter_options(ChunkForm::kTables, std::size_t{1} << 20, std::size_t{4} << 20);
  if (find_gpus().state != GpuState::kUsable) {
    EXPECT_THROW(make_gpu_lanes(options, budget), GpuError);
    return;
  }
  options.record_sorter = "none";
  EXPECT_THROW(make_gpu_lanes(options, budget), UsageError);
  options = sorter_options(ChunkForm::kTables, std::size_t{1} << 20, std::size_t{1} << 10);
  EXPECT_THROW(make_gpu_lanes(options, budget), GpuMemoryError);
  options = sorter_options(ChunkForm::kTables, std::size_t{1} << 20, 2 * kBudget);
  EXPECT_THROW(make_gpu_lanes(options, budget), BudgetError);
  EXPECT_EQ(budget.used_bytes(), 0U);
}

}  // namespace
}  // namespace spillway
