// A queue of blocks whose lanes do what a test has written for them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "indexer/block/key_sorter.hpp"
#include "indexer/ingest/block_queue.hpp"
#include "io/scratch/temp_space.hpp"
#include "sort/sort_plan.hpp"
#include "sort/sorters.hpp"
#include "tests/support/faulty_file_system.hpp"

namespace spillway::testing {

inline constexpr std::size_t kQueueBudget = std::size_t{64} << 20;

enum class LaneFailure { kNone, kMemory, kCall, kLost };

// Says what the lanes of a queue do, and counts what they did.
struct LaneScript {
  LaneFailure failure = LaneFailure::kNone;
  std::size_t from = 0, to = ~std::size_t{0};  // blocks that fail
  std::atomic<int> begun{0}, alive{0}, most_alive{0}, checked{0};
  int together = 0;                  // lanes that must have a block before the run of an even block is written
  std::function<void()> before_run;  // called before the run of a block is written
  // Waits for a minute at most; the test then fails because of the number of lanes.
  void wait_for_lanes() const {
    for (int i = 0; i < 60'000 && most_alive < together; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool fails(std::size_t block) const { return failure != LaneFailure::kNone && block >= from && block < to; }
  void fail() const {
    if (failure == LaneFailure::kMemory) throw GpuMemoryError("no room for this block");
    throw GpuError("the device is gone", failure == LaneFailure::kLost);
  }
};

// Sorts by the CPU's sorter, as a GPU would.
class ScriptedLane final : public GpuLane {
 public:
  ScriptedLane(LaneScript& script, const BlockSorter& sorter, MemoryBudget& budget)
      : script_(script), sorter_(sorter), budget_(budget) {}
  std::size_t sort(const Block& block, const BlockSortOptions& options, BlockSortStats&) override {
    if (script_.fails(static_cast<std::size_t>(script_.begun++))) script_.fail();
    const int alive = ++script_.alive;
    int most = script_.most_alive.load();
    while (most < alive && !script_.most_alive.compare_exchange_weak(most, alive)) {
    }
    return run_bytes_bound(block, most_lists(block), options.run_block_bytes);
  }
  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                       BlockSortStats& stats) override {
    if (options.check_sum) ++script_.checked;
    if (block.number % 2 == 0) script_.wait_for_lanes();
    if (script_.before_run) script_.before_run();
    const RunSummary summary = sorter_.write_run(block, file, options, budget_, stats);
    --script_.alive;
    return summary;
  }
  PassSeconds seconds() const override { return {}; }

 private:
  LaneScript& script_;
  const BlockSorter& sorter_;
  MemoryBudget& budget_;
};

// Returns a chunk in the form of a table, with `documents` documents that hold `word` once each.
inline ParsedChunk chunk_of(MemoryBudget& budget, const std::string& word, std::uint32_t documents) {
  ParsedChunk chunk;
  const std::size_t text = (word.size() + 7) / 8 * 8;
  chunk.memory = Buffer(budget, sizeof(ChunkTerm) + text + documents * 12, "a chunk");
  std::uint8_t* at = chunk.memory.data();
  auto* term = reinterpret_cast<ChunkTerm*>(at);
  *term = {0, static_cast<std::uint32_t>(word.size())};
  auto& content = chunk.content.emplace<ChunkTable>();
  content.terms = {term, 1};
  at += sizeof(ChunkTerm);
  std::copy(word.begin(), word.end(), at);
  content.text = {at, word.size()};
  at += text;
  auto* numbers = reinterpret_cast<std::uint32_t*>(at);
  std::fill(numbers, numbers + documents, 0U);
  content.occurrences = {numbers, documents};
  std::fill(numbers + documents, numbers + 2 * documents, 1U);
  content.lengths = {numbers + documents, documents};
  at = reinterpret_cast<std::uint8_t*>(numbers + 2 * documents);
  for (std::uint32_t i = 0; i < documents; ++i) {
    at[2 * i] = 0;      // no fields
    at[2 * i + 1] = 1;  // one token
  }
  chunk.documents = {at, 2 * documents};
  chunk.document_count = documents;
  chunk.occurrence_count = documents;
  DocumentWeight weight;
  for (std::uint32_t i = 0; i < documents; ++i) weight.add(i, 1);
  chunk.sum.add(hash_term(word), weight.take());
  return chunk;
}

// Puts blocks through a queue of scripted lanes.
class QueueOfScriptedLanes : public ::testing::Test {
 protected:
  QueueOfScriptedLanes() : temp_(files_, {"/job"}, "t", 0) {}

  // Puts `count` blocks of three chunks through a queue and returns the number of documents of each run, in order.
  std::vector<std::uint64_t> run(IndexMode mode, std::size_t count, bool required = false) {
    RunStore runs(budget_, temp_, run_memory_bytes_);
    const unsigned lane_count = overlaps(mode) ? lanes_ : 1;
    plan_.blocks_in_flight = 1 + lane_count;
    plan_.fallback_bytes = 1;  // a chunk at a time
    BlockSortOptions options;
    options.run_block_bytes = kMinRunBlockBytes;
    GpuLanes lanes;
    for (unsigned i = 0; i < lane_count; ++i) {
      lanes.push_back(std::make_unique<ScriptedLane>(script_, *sorter_, budget_));
    }
    BlockSorters sorters{*sorter_, lanes};
    if (start_ != nullptr) {
      sorters.lanes = {};
      sorters.starting = std::async(std::launch::async, start_).share();
      sorters.starting_count = lanes_;
    }
    {
      BlockQueue queue({sorters, mode, required, options, plan_, slots_, context_, budget_, runs});
      for (std::size_t i = 0; i < count; ++i) {
        Block block;
        block.number = i;
        for (std::uint32_t c = 0; c < 3; ++c) {
          block.chunks.push_back(
              chunk_of(budget_, "word" + std::to_string(i), 100 * static_cast<std::uint32_t>(i) + c + 1));
        }
        queue.put(std::move(block));
        ++put_;
        if (after_put_) after_put_(queue);
      }
      queue.finish();
      stats_ = queue.stats();
    }
    std::vector<std::uint64_t> documents;
    spilled_ = 0;
    spilled_alone_ = 0;
    for (const auto& run : runs.runs) {
      documents.push_back(run->summary.document_count);
      if (!run->is_spilled()) continue;
      ++spilled_;
      spilled_alone_ += documents.back() % 300 == 6 ? 1 : 0;
    }
    return documents;
  }

  static std::uint64_t documents_of(std::size_t count) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += 300 * i + 6;
    return sum;
  }

  FaultyFileSystem files_;
  MemoryBudget budget_{kQueueBudget};
  TempSpace temp_;
  std::atomic<int> signal_{0};
  IndexProgress progress_;
  std::vector<std::string> warnings_;
  IndexContext context_{files_, signal_, progress_, [this](const std::string& words) { warnings_.push_back(words); },
                        [](const std::string&) {}};
  IndexPlan plan_;
  std::unique_ptr<BlockSorter> sorter_ = make_key_block_sorter(*find_record_sorter("cpu-radix"), auto_string_sorter());
  LaneScript script_;
  ConcurrencyLimiter slots_{1};
  unsigned lanes_ = 2;
  std::function<GpuLanes()> start_;  // makes the lanes while blocks are put
  std::atomic<std::size_t> put_{0};
  std::function<void(BlockQueue&)> after_put_;
  std::size_t run_memory_bytes_ = kQueueBudget / 4;
  int spilled_ = 0;
  int spilled_alone_ = 0;  // of one block
  BlockStats stats_;
};

}  // namespace spillway::testing
