#include "indexer/block/assembler.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <stdexcept>
#include <thread>

namespace spillway {
namespace {

using std::chrono::milliseconds;
constexpr std::size_t kPage = 4096;

struct Sealed {
  std::uint64_t number = 0;
  std::size_t cost_bytes = 0;
  std::vector<std::uint64_t> chunks;
};

class BlockAssemblerTest : public ::testing::Test {
 protected:
  // A chunk that its occurrence count identifies.
  ParsedChunk chunk(std::uint64_t mark, std::size_t bytes = kPage) {
    ParsedChunk made;
    made.memory = Buffer(budget_, bytes, "test");
    made.occurrence_count = mark;
    return made;
  }
  static std::size_t cost(const ParsedChunk& made) { return made.memory.size() + 100; }

  void keep(Block&& block) {
    EXPECT_FALSE(sealing_.exchange(true)) << "two blocks are sealed at once";
    Sealed sealed{block.number, block.cost_bytes, {}};
    for (const ParsedChunk& made : block.chunks) sealed.chunks.push_back(made.occurrence_count);
    sealed_.push_back(std::move(sealed));
    sealing_ = false;
  }
  BlockAssembler::Seal keeper() {
    return [this](Block&& block) { keep(std::move(block)); };
  }

  // Blocks hold 0, 1, 2, ... in order, and are as full as they can be.
  void expect_whole(std::uint64_t chunks, std::size_t block_bytes) const {
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < sealed_.size(); ++i) {
      EXPECT_EQ(sealed_[i].number, i);
      EXPECT_FALSE(sealed_[i].chunks.empty());
      for (const std::uint64_t mark : sealed_[i].chunks) ASSERT_EQ(mark, next++);
      if (sealed_[i].chunks.size() > 1) {
        EXPECT_LE(sealed_[i].cost_bytes, block_bytes);
      }
    }
    EXPECT_EQ(next, chunks);
  }

  MemoryBudget budget_{std::size_t{1} << 30};
  std::atomic<bool> sealing_{false};
  std::vector<Sealed> sealed_;
};

TEST_F(BlockAssemblerTest, SealsNothingWithoutChunks) {
  BlockAssembler assembler({10 * kPage, kPage, true}, cost, keeper());
  assembler.finish_task(0);
  assembler.finish_task(1);
  assembler.finish();
  EXPECT_TRUE(sealed_.empty());
}

TEST_F(BlockAssemblerTest, FillsBlocksUpToTheirCost) {
  BlockAssembler assembler({3 * (kPage + 100), kPage, true}, cost, keeper());
  for (std::uint64_t i = 0; i < 7; ++i) assembler.deliver(0, chunk(i));
  assembler.finish_task(0);
  assembler.finish();
  ASSERT_EQ(sealed_.size(), 3U);
  EXPECT_EQ(sealed_[0].chunks, (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_EQ(sealed_[1].chunks, (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(sealed_[2].chunks, (std::vector<std::uint64_t>{6}));
  EXPECT_EQ(sealed_[0].cost_bytes, 3 * (kPage + 100));
}

TEST_F(BlockAssemblerTest, PutsAChunkAboveTheBlockSizeIntoABlockOfItsOwn) {
  BlockAssembler assembler({2 * kPage, 100 * kPage, true}, cost, keeper());
  assembler.deliver(0, chunk(0));
  assembler.deliver(0, chunk(1, 10 * kPage));
  assembler.deliver(0, chunk(2));
  assembler.finish_task(0);
  assembler.finish();
  ASSERT_EQ(sealed_.size(), 3U);
  expect_whole(3, 2 * kPage);
}

TEST_F(BlockAssemblerTest, WaitsForTasksThatComeLater) {
  BlockAssembler assembler({kPage, 100 * kPage, true}, cost, keeper());
  assembler.deliver(2, chunk(2));
  assembler.finish_task(2);
  assembler.deliver(1, chunk(1));
  EXPECT_TRUE(sealed_.empty());
  assembler.finish_task(1);
  assembler.deliver(0, chunk(0));
  assembler.finish_task(0);
  assembler.finish();
  expect_whole(3, kPage);
}

struct Setting {
  unsigned threads;
  std::size_t block_chunks, hold_chunks;
  bool overlap;
};

class BlockAssemblerThreads : public BlockAssemblerTest, public ::testing::WithParamInterface<Setting> {};

TEST_P(BlockAssemblerThreads, KeepsInputOrderAndTheHoldLimit) {
  const Setting setting = GetParam();
  const std::size_t block_bytes = setting.block_chunks * (kPage + 100);
  const std::size_t hold_bytes = setting.hold_chunks * kPage;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    sealed_.clear();
    std::mt19937_64 random(seed);
    // first[t]: mark of the first chunk of task t; some tasks have none.
    std::vector<std::uint64_t> first{0};
    for (int t = 0; t < 60; ++t) first.push_back(first.back() + random() % 5);
    // Chunks that were taken from their threads and are not in a block yet. The one that is being handed over may pass
    // the limit.
    std::atomic<std::int64_t> held{0}, most_held{0};
    std::atomic<std::uint64_t> next_task{0};
    BlockAssembler assembler(
        {block_bytes, hold_bytes, setting.overlap},
        [&](const ParsedChunk& made) {
          held -= static_cast<std::int64_t>(made.memory.size());
          return cost(made);
        },
        [&](Block&& block) {
          if (block.number % 5 == 0) std::this_thread::sleep_for(milliseconds(2));
          keep(std::move(block));
        });
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < setting.threads; ++i) {
      threads.emplace_back([&, i] {
        std::mt19937_64 delays(seed * 100 + i);
        for (std::uint64_t task = next_task++; task + 1 < first.size(); task = next_task++) {
          for (std::uint64_t mark = first[task]; mark < first[task + 1]; ++mark) {
            if (delays() % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(delays() % 1000));
            assembler.deliver(task, chunk(mark));
            const std::int64_t now = held += static_cast<std::int64_t>(kPage);
            std::int64_t most = most_held;
            while (now > most && !most_held.compare_exchange_weak(most, now)) {
            }
          }
          assembler.finish_task(task);
        }
      });
    }
    threads.clear();
    assembler.finish();
    expect_whole(first.back(), block_bytes);
    EXPECT_LE(most_held, static_cast<std::int64_t>(hold_bytes + 2 * kPage));
    EXPECT_EQ(held, 0);
    EXPECT_EQ(budget_.used_bytes(), 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, BlockAssemblerThreads,
                         ::testing::Values(Setting{1, 3, 0, true}, Setting{2, 4, 1, true}, Setting{4, 2, 4, true},
                                           Setting{8, 7, 3, true}, Setting{8, 1000, 100, true}, Setting{1, 3, 0, false},
                                           Setting{4, 3, 2, false}, Setting{8, 5, 8, false}),
                         [](const auto& param_info) {
                           const Setting& s = param_info.param;
                           return std::to_string(s.threads) + "Threads" + std::to_string(s.block_chunks) + "InBlock" +
                                  std::to_string(s.hold_chunks) + "Held" + (s.overlap ? "Overlapping" : "InTurn");
                         });

TEST_F(BlockAssemblerTest, HoldsBackThreadsThatAreFarAheadUntilTheirTurn) {
  BlockAssembler assembler({kPage, 2 * kPage, true}, cost, keeper());
  std::atomic<int> delivered{0};
  std::jthread ahead([&] {
    for (std::uint64_t i = 0; i < 6; ++i) {
      assembler.deliver(1, chunk(1 + i));
      ++delivered;
    }
    assembler.finish_task(1);
  });
  std::this_thread::sleep_for(milliseconds(100));
  EXPECT_EQ(delivered, 2);
  assembler.deliver(0, chunk(0));
  assembler.finish_task(0);
  ahead.join();
  EXPECT_EQ(delivered, 6);
  assembler.finish();
  expect_whole(7, kPage);
}

// While a block is sorted, mode cpu takes no chunks, and mode cpu+ does.
TEST_F(BlockAssemblerTest, LetsParsingGoOnWhileABlockIsSealedOnlyIfAllowed) {
  for (const bool overlap : {false, true}) {
    sealed_.clear();
    std::atomic<int> taken{0};
    int taken_while_sealing = 0;
    BlockAssembler assembler({kPage + 100, 100 * kPage, overlap}, cost, [&](Block&& block) {
      if (block.number == 0) {
        std::this_thread::sleep_for(milliseconds(50));  // calls that were already let in return
        const int before = taken;
        std::this_thread::sleep_for(milliseconds(100));
        taken_while_sealing = taken - before;
      }
      keep(std::move(block));
    });
    std::jthread other([&] {
      for (std::uint64_t i = 0; i < 40; ++i) {
        std::this_thread::sleep_for(milliseconds(5));
        assembler.deliver(1, chunk(2 + i));
        ++taken;
      }
      assembler.finish_task(1);
    });
    assembler.deliver(0, chunk(0));
    assembler.deliver(0, chunk(1));  // seals
    assembler.finish_task(0);
    other.join();
    assembler.finish();
    expect_whole(42, kPage + 100);
    if (overlap) {
      EXPECT_GT(taken_while_sealing, 0);
    } else {
      EXPECT_EQ(taken_while_sealing, 0);
    }
  }
}

TEST_F(BlockAssemblerTest, AbandonWakesEverybodyAndDropsTheirChunks) {
  BlockAssembler assembler({kPage, kPage, true}, cost, keeper());
  std::atomic<int> returned{0};
  std::vector<std::jthread> threads;
  for (std::uint64_t task = 1; task <= 8; ++task) {
    threads.emplace_back([&, task] {
      for (int i = 0; i < 3; ++i) assembler.deliver(task, chunk(task));
      assembler.finish_task(task);
      ++returned;
    });
  }
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_EQ(returned, 0);
  assembler.abandon();
  threads.clear();
  EXPECT_EQ(returned, 8);
  assembler.deliver(0, chunk(0));
  assembler.finish();
  EXPECT_TRUE(sealed_.empty());
}

// A failed sort ends the thread that sealed; abandon() releases the others.
TEST_F(BlockAssemblerTest, LetsAnErrorOfSealingThrough) {
  BlockAssembler assembler({kPage, kPage, true}, cost, [](Block&&) { throw std::runtime_error("sort failed"); });
  std::atomic<int> returned{0};
  std::vector<std::jthread> threads;
  for (std::uint64_t task = 1; task <= 3; ++task) {
    threads.emplace_back([&, task] {
      for (int i = 0; i < 3; ++i) assembler.deliver(task, chunk(task));
      ++returned;
    });
  }
  assembler.deliver(0, chunk(0));
  EXPECT_THROW(
      {
        assembler.deliver(0, chunk(0));
        assembler.finish();
      },
      std::runtime_error);
  assembler.abandon();
  threads.clear();
  EXPECT_EQ(returned, 3);
}

Ledger counts_of(std::uint64_t task) {
  Ledger counts;
  counts.position = {0, 100 * (task + 1), 0, task + 1};
  counts.documents = 10;
  return counts;
}

// Every task has three chunks; four chunks fill a block.
TEST_F(BlockAssemblerTest, EndsBlocksWithTasksIfItIsToldTo) {
  std::vector<std::optional<Ledger>> done;
  std::vector<std::uint64_t> sizes;
  AssemblerLimits limits{4 * (kPage + 100), kPage, true};
  limits.at_tasks = true;
  BlockAssembler assembler(limits, cost, [&](Block&& block) {
    done.push_back(block.done);
    sizes.push_back(block.chunks.size());
    keep(std::move(block));
  });
  for (std::uint64_t task = 0; task < 4; ++task) {
    for (std::uint64_t i = 0; i < 3; ++i) assembler.deliver(task, chunk(3 * task + i));
    assembler.finish_task(task, counts_of(task));
  }
  assembler.finish();
  EXPECT_EQ(sizes, (std::vector<std::uint64_t>{3, 3, 3, 3}));
  expect_whole(12, limits.block_bytes);
  for (std::uint64_t task = 0; task < 4; ++task) {
    ASSERT_TRUE(done[task]);
    EXPECT_EQ(done[task]->position, counts_of(task).position);
    EXPECT_EQ(done[task]->documents, 10 * (task + 1));
  }
  EXPECT_EQ(assembler.done().documents, 40U);
}

// A task that fills blocks alone: they stand for nothing until it ends.
TEST_F(BlockAssemblerTest, CutsATaskThatIsLongerThanABlock) {
  std::vector<std::optional<Ledger>> done;
  AssemblerLimits limits{4 * (kPage + 100), kPage, true};
  limits.at_tasks = true;
  Ledger start;
  start.position.task = 7;
  start.documents = 5;
  const auto seal = [&](Block&& block) {
    done.push_back(block.done);
    keep(std::move(block));
  };
  BlockAssembler assembler(limits, cost, seal, start);
  for (std::uint64_t i = 0; i < 9; ++i) assembler.deliver(7, chunk(i));
  assembler.finish_task(7, counts_of(7));
  assembler.deliver(8, chunk(9));
  assembler.finish_task(8, counts_of(8));
  assembler.finish();
  expect_whole(10, limits.block_bytes);
  ASSERT_EQ(done.size(), 3U);
  EXPECT_FALSE(done[0] || done[1]);
  ASSERT_TRUE(done[2]);
  EXPECT_EQ(done[2]->documents, 25U);
}

}  // namespace
}  // namespace spillway
