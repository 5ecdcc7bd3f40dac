#include "indexer/gpu/pipeline/executor_lane.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "indexer/block/run_output.hpp"
#include "io/base/error.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/sorters.hpp"
#include "tests/indexer/gpu/pipeline/pass_blocks.hpp"
#include "tests/support/host_gpu/host_executor.hpp"
#include "tests/support/host_gpu/host_lanes.hpp"

namespace spillway {
namespace {

using testing::cpu_run;
using testing::FormedBlock;
using testing::GpuLanes;
using testing::host_pass_bytes;
using testing::HostLaneOptions;
using testing::kTestBudget;
using testing::lane_run;
using testing::make_host_lanes;
using testing::NamedBlock;
using testing::size_of;

struct PassCase {
  ChunkForm form;
  Positions positions;
};

// Returns two lanes: the record sorter of the first is stable and needs scratch, that of the second is not stable and
// needs none.
std::vector<HostLaneOptions> lane_options(ChunkForm form) {
  return {{form, 0, 1, 1, find_record_sorter("cpu-radix"), find_string_sorter("cpu-multikey")},
          {form, 0, 1, 1, find_record_sorter("cpu-quick"), find_string_sorter("cpu-msd")}};
}

std::unique_ptr<GpuLane> make_lane(std::size_t arena_bytes, ChunkForm form, MemoryBudget& budget,
                                   bool lists_stay = false) {
  HostLaneOptions options = lane_options(form)[0];
  options.arena_bytes = arena_bytes;
  options.lists_stay = lists_stay;
  return std::move(make_host_lanes(options, budget).front());
}

std::size_t bytes_for(const Block& block, const PassCase& of) {
  return host_pass_bytes(size_of(block, of.positions), lane_options(of.form)[0]);
}

void expect_same_runs(const NamedBlock& named, ChunkForm form) {
  SCOPED_TRACE(named.name);
  const std::string expected = cpu_run(named);
  const FormedBlock block(named.block, form);
  for (HostLaneOptions& options : lane_options(form)) {
    // An arena of exactly the bytes that the plan counts.
    MemoryBudget budget(kTestBudget);
    options.arena_bytes = host_pass_bytes(size_of(block, named.options.positions), options);
    for (const bool stay : {false, true}) {
      options.lists_stay = stay;
      EXPECT_TRUE(lane_run(*make_host_lanes(options, budget).front(), block, named.options) == expected)
          << options.strings->name() << (stay ? ", whose lists stay" : "");
    }
  }
}

class HostLane : public ::testing::TestWithParam<PassCase> {
 protected:
  Positions positions() const { return GetParam().positions; }
  ChunkForm form() const { return GetParam().form; }
  testing::TakeBlock expect_same() const {
    return [form = form()](const NamedBlock& named) { expect_same_runs(named, form); };
  }
};

TEST_P(HostLane, GivesTheRunOfTheCpu) { testing::take_pass_test_blocks(positions(), 40, expect_same()); }

TEST_P(HostLane, GivesTheRunOfTheCpuForLongLists) { testing::take_long_lists(positions(), expect_same()); }

// The content checksum, which write_run() checks, shows that no list is lost between ranges.
TEST_P(HostLane, GivesTheRunOfTheCpuForManyRanges) {
  std::size_t most = 0;
  testing::take_many_ranges(positions(), [&](const NamedBlock& named) {
    most = std::max<std::size_t>(most, size_of(named.block, positions()).occurrences);
    expect_same_runs(named, form());
  });
  EXPECT_GT(most, 2 * kMostRangeOccurrences);
}

TEST_P(HostLane, TakesBlockAfterBlock) {
  MemoryBudget budget(kTestBudget);
  const auto lane = make_lane(std::size_t{64} << 20, form(), budget);
  const std::size_t used = budget.used_bytes();
  for (const std::uint64_t seed : {3, 4, 5}) {
    testing::take_random_blocks(seed, positions(), [&](const NamedBlock& named) {
      const FormedBlock block(named.block, form());
      EXPECT_TRUE(lane_run(*lane, block, named.options) == cpu_run(named)) << named.name;
    });
  }
  EXPECT_EQ(budget.used_bytes(), used);
}

TEST_P(HostLane, RefusesABlockThatDoesNotFitItsArenaAndGoesOnWithOthers) {
  testing::take_random_blocks(1, positions(), [&](const NamedBlock& named) {
    MemoryBudget budget(kTestBudget);
    const FormedBlock block(named.block, form());
    const auto lane = make_lane(bytes_for(block, GetParam()) - 1, form(), budget);
    BlockSortStats stats;
    EXPECT_THROW(lane->sort(block, named.options, stats), GpuMemoryError);
    NamedBlock empty{"empty", {}, named.options};
    EXPECT_TRUE(lane_run(*lane, empty.block, empty.options) == cpu_run(empty));
  });
}

TEST_P(HostLane, RefusesABlockWhoseListsDoNotFitTheBudget) {
  testing::take_random_blocks(1, positions(), [&](const NamedBlock& named) {
    const FormedBlock block(named.block, form());
    const std::size_t bytes = bytes_for(block, GetParam());
    MemoryBudget budget(bytes);
    const auto lane = make_lane(bytes, form(), budget);
    BlockSortStats stats;
    EXPECT_THROW(lane->sort(block, named.options, stats), GpuMemoryError);
    EXPECT_EQ(budget.used_bytes(), bytes);
  });
}

// After a failure of any call, nothing is written, no memory stays reserved, and the next block's run is right.
TEST_P(HostLane, EndsCleanlyWhateverCallFails) {
  bool lists_stay = false;
  testing::take_random_blocks(2, positions(), [&](const NamedBlock& named) {
    const FormedBlock block(named.block, form());
    std::uint64_t failed = 0;
    for (bool fired = true; fired; failed += fired ? 1 : 0) {
      MemoryBudget budget(kTestBudget), file_budget(kTestBudget);
      MemoryFile file(file_budget, "run");
      fail_gpu_call(failed + 1);
      std::unique_ptr<GpuLane> lane;
      try {
        lane = make_lane(std::size_t{1} << 20, form(), budget, lists_stay);
        BlockSortStats stats;
        lane->sort(block, named.options, stats);
        lane->write_run(block, file, named.options, stats);
      } catch (const GpuMemoryError&) {
        EXPECT_EQ(file.size(), 0U);
      }
      fired = gpu_faults_fired() != 0;
      EXPECT_EQ(fired, file.size() == 0);
      fail_gpu_call(0);
      if (lane != nullptr) {
        EXPECT_EQ(budget.used_bytes(), std::size_t{1} << 20);
        EXPECT_TRUE(lane_run(*lane, block, named.options) == cpu_run(named)) << failed;
        lane.reset();
      }
      EXPECT_EQ(budget.used_bytes(), 0U);
    }
    EXPECT_GT(failed, 15U);
    lists_stay = true;
  });
}

TEST_P(HostLane, SaysThatTheGpuIsLostEachTime) {
  testing::take_random_blocks(1, positions(), [&](const NamedBlock& named) {
    const FormedBlock block(named.block, form());
    MemoryBudget budget(kTestBudget);
    const auto lane = make_lane(std::size_t{1} << 20, form(), budget);
    fail_gpu_call(5, GpuFault::kLost);
    for (int i = 0; i < 2; ++i) {
      try {
        BlockSortStats stats;
        lane->sort(block, named.options, stats);
        ADD_FAILURE() << "no error";
      } catch (const GpuError& error) {
        EXPECT_TRUE(error.is_lost);
      }
    }
    EXPECT_EQ(gpu_faults_fired(), 2U);
    fail_gpu_call(0);
  });
}

// An executor on the host that refuses some copies from pinned slots, and counts the bytes of the others.
class SlotExecutor : public testing::HostExecutor {
 public:
  SlotExecutor(std::size_t arena_bytes, unsigned refused, std::size_t& sent_bytes, MemoryBudget& budget)
      : HostExecutor(testing::make_host_arenas(1, arena_bytes, budget), nullptr, *find_string_sorter("cpu-msd"),
                     budget),
        refused_(refused),
        sent_bytes_(sent_bytes) {}
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t> region) {
    EXPECT_GE(from.data(), region.data());
    EXPECT_LE(from.data() + from.size(), region.data() + region.size());
    if (refused_ != 0 && ++asked_ % refused_ == 0) return false;
    sent_bytes_ += from.size();
    return HostExecutor::send(to, from, region);
  }

 private:
  const unsigned refused_;
  unsigned asked_ = 0;
  std::size_t& sent_bytes_;
};

// The run does not depend on which chunks are in pinned slots, nor on which of them the executor copies from there.
TEST(PassFromPinnedSlots, GivesTheRunOfTheCpu) {
  for (const Positions positions : {Positions::kNone, Positions::kStored}) {
    for (const std::size_t slots : {1, 3, 1000}) {
      for (const unsigned refused : {0U, 1U, 3U}) {
        std::size_t sent_bytes = 0, moved = 0;
        testing::take_pass_test_blocks(positions, 10, [&](const NamedBlock& named) {
          MemoryBudget budget(kTestBudget);
          constexpr std::size_t kSlotBytes = 8 << 10;
          PinnedSlotPool pool(budget, (std::size_t{2} << 20) + slots * kSlotBytes, kSlotBytes);
          std::vector<PinnedSlotPool::Slot> taken;
          while (pool.slot_count() - taken.size() > slots) taken.push_back(pool.take());
          testing::TokenBlock tokens(named.block, 1);
          moved += tokens.move_to(pool);
          ExecutorLane<SlotExecutor> lane(ChunkForm::kTokens,
                                          bytes_for(tokens.block(), {ChunkForm::kTokens, positions}), refused,
                                          sent_bytes, budget);
          EXPECT_TRUE(lane_run(lane, tokens.block(), named.options) == cpu_run(named)) << named.name;
        });
        EXPECT_GT(moved, 0U);
        EXPECT_EQ(sent_bytes > 0, refused != 1) << "of " << moved << " chunks";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, HostLane,
                         ::testing::Values(PassCase{ChunkForm::kTables, Positions::kNone},
                                           PassCase{ChunkForm::kTables, Positions::kStored},
                                           PassCase{ChunkForm::kTokens, Positions::kNone},
                                           PassCase{ChunkForm::kTokens, Positions::kStored}),
                         [](const auto& test) {
                           return std::string(test.param.positions == Positions::kNone ? "Plain" : "Positions") +
                                  (test.param.form == ChunkForm::kTokens ? "OfTokens" : "");
                         });

// Bytes that differ from those of the parser give no run, even where the checksums were made to agree.
class TokenPass : public ::testing::Test {
 protected:
  template <typename Damage>
  void expect_error(const std::string& words, const Damage& damage) {
    testing::take_random_blocks(3, Positions::kNone, [&](const NamedBlock& named) {
      testing::TokenBlock tokens(named.block, 1);
      damage(tokens);
      MemoryBudget budget(kTestBudget);
      const auto lane = make_lane(std::size_t{16} << 20, ChunkForm::kTokens, budget);
      try {
        BlockSortStats stats;
        lane->sort(tokens.block(), named.options, stats);
        ADD_FAILURE() << "no error";
      } catch (const GpuError& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      }
      const FormedBlock block(named.block, ChunkForm::kTokens);
      EXPECT_TRUE(lane_run(*lane, block, named.options) == cpu_run(named));
    });
  }
};

TEST_F(TokenPass, RefusesBytesThatAreNotThoseOfTheParser) {
  expect_error("not the same on the GPU", [](testing::TokenBlock& block) { block.tokens(0)[0] ^= 2; });
}
TEST_F(TokenPass, RefusesATokenTooMany) {
  expect_error("tokens in a block that has", [](testing::TokenBlock& block) {
    std::vector<std::uint8_t>& tokens = block.tokens(0);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = i % 2 == 0 ? 'x' : 0;
    block.sum_tokens(0);
  });
}
TEST_F(TokenPass, RefusesATokenTooFew) {
  expect_error("tokens in a block that has", [](testing::TokenBlock& block) {
    for (std::uint8_t& byte : block.tokens(0)) byte = 'x';
    block.sum_tokens(0);
  });
}

TEST(TokenPassLengths, MustAddUpToTheTokens) {
  testing::take_random_blocks(3, Positions::kNone, [&](const NamedBlock& named) {
    testing::TokenBlock tokens(named.block, 1);
    ++tokens.block().chunks[0].occurrence_count;
    MemoryBudget budget(kTestBudget);
    const auto lane = make_lane(std::size_t{16} << 20, ChunkForm::kTokens, budget);
    BlockSortStats stats;
    EXPECT_THROW(lane->sort(tokens.block(), named.options, stats), FormatError);
  });
}

TEST(TokenPassPositions, MustBeginWithTheFirstToken) {
  testing::take_random_blocks(5, Positions::kStored, [](const NamedBlock& named) {
    testing::TokenBlock tokens(named.block, 1);
    std::vector<PositionRun>& runs = tokens.runs(0);
    if (runs.empty()) return;
    MemoryBudget budget(kTestBudget);
    const auto lane = make_lane(std::size_t{16} << 20, ChunkForm::kTokens, budget);
    BlockSortStats stats;
    runs[0].first_token = 1;
    EXPECT_THROW(lane->sort(tokens.block(), named.options, stats), FormatError);
  });
}

// Each lane runs on its own thread; lanes may share arenas.
class HostLanes : public ::testing::TestWithParam<unsigned> {};

TEST_P(HostLanes, SortBlocksSideBySide) {
  MemoryBudget budget(kTestBudget);
  HostLaneOptions options = lane_options(ChunkForm::kTokens)[0];
  options.arena_bytes = std::size_t{16} << 20;
  options.lanes = 4;
  options.arenas = GetParam();
  const GpuLanes lanes = make_host_lanes(options, budget);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    threads.emplace_back([&, i] {
      testing::take_random_blocks(20 + i, Positions::kStored, [&](const NamedBlock& named) {
        const FormedBlock block(named.block, ChunkForm::kTokens);
        EXPECT_TRUE(lane_run(*lanes[i], block, named.options) == cpu_run(named)) << named.name;
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Arenas, HostLanes, ::testing::Values(1U, 2U, 4U));

TEST(BlockPassSize, OfASumNeedsNoMoreThanItsParts) {
  const auto check = [](const BlockPassSize& a, const BlockPassSize& b, ChunkForm form) {
    BlockPassSize sum = a;
    sum += b;
    const auto bytes = [&](const BlockPassSize& size) { return host_pass_bytes(size, lane_options(form)[0]); };
    EXPECT_LE(bytes(sum), bytes(a) + bytes(b));
    EXPECT_GT(bytes(sum), bytes(a));
  };
  for (const bool positions : {false, true}) {
    check({3, 1000, 7003, 12345, 77, 0, positions}, {1, 9, 40, 80001, 2, 0, positions}, ChunkForm::kTables);
    check({3, 12345, 70000, 12345, 77, 86400, positions}, {1, 9, 40, 9, 2000, 123456, positions}, ChunkForm::kTokens);
  }
}

}  // namespace
}  // namespace spillway
