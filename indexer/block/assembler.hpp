// Collects the parsed chunks of many threads into blocks in input order, and seals a block when it is full.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "indexer/block/block.hpp"

namespace spillway {

struct AssemblerLimits {
  std::size_t block_bytes = 0;  // cost at which a block is sealed
  std::size_t hold_bytes = 0;   // parsed chunks that may wait for their turn
  bool overlap = true;          // parsing goes on while a block is sealed (sorted)
  bool at_tasks = false;        // a block ends with a task, unless a single task fills it
};

// Parsing threads call deliver() and finish_task(). `seal` is called by one thread at a time, in block order, and may
// block: so sorting holds back parsing.
class BlockAssembler {
 public:
  using Seal = std::function<void(Block&&)>;
  // cost(chunk): bytes of the chunk and of its share of the sort. Called by several parsing threads at once.
  // `start`: what earlier jobs have done; the first task has the number of its position.
  BlockAssembler(const AssemblerLimits& limits, std::function<std::size_t(const ParsedChunk&)> cost, Seal seal,
                 const Ledger& start = {});

  // Takes the next chunk of a task. Waits while too much is held, unless the task is the first unfinished one.
  void deliver(std::uint64_t task, ParsedChunk&& chunk);
  // `counts` of the task, for the ledgers of blocks; may be empty if limits.at_tasks is false.
  void finish_task(std::uint64_t task, Ledger counts = {});
  // Seals the rest. Requires: all tasks are finished.
  void finish();
  // Wakes all waiting threads; deliver() then drops its chunks.
  void abandon();
  // What all tasks stand for. Requires: finish() has returned.
  const Ledger& done() const { return done_; }

 private:
  struct Chunk {
    ParsedChunk parsed;
    std::size_t cost_bytes = 0;
  };
  struct Task {
    std::deque<Chunk> chunks;
    bool finished = false;
    Ledger counts;
  };
  void drain(std::unique_lock<std::mutex>& lock);
  void end_task(Task& task);
  void seal_block(std::unique_lock<std::mutex>& lock, Block next = {}, std::vector<std::size_t> next_costs = {});
  void seal_full_block(std::unique_lock<std::mutex>& lock);

  const AssemblerLimits limits_;
  const std::function<std::size_t(const ParsedChunk&)> cost_;
  const Seal seal_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::uint64_t, Task> tasks_;
  std::uint64_t head_ = 0;  // the first unfinished task
  std::size_t held_bytes_ = 0;
  bool draining_ = false;
  bool abandoned_ = false;
  Block block_;
  std::vector<std::size_t> costs_;      // of the chunks of block_
  std::size_t whole_tasks_chunks_ = 0;  // of block_, before the chunks of the first unfinished task
  Ledger done_;                         // up to the last finished task
};

}  // namespace spillway
