// Blocks on their way to runs, in order: sorted on the CPU, or begun on a GPU and then written. In the overlapping
// modes threads of its own do it while the next block is parsed. What a GPU does not do is done on the CPU, and
// counted.
#pragma once

#include <tbb/task_arena.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "indexer/block_sorter.hpp"
#include "indexer/gpu/gpu_block_sorter.hpp"
#include "indexer/index_job.hpp"
#include "indexer/index_plan.hpp"
#include "indexer/run_store.hpp"
#include "sort/gpu/gpu_error.hpp"

namespace spillway {

// How blocks are sorted. `cpu` always can; the others are asked first, where they are there.
struct BlockSorters {
  const BlockSorter& cpu;
  GpuBlockSorter* gpu = nullptr;              // a visit for each block
  const BlockSorter* through_host = nullptr;  // host sorters that use the GPU themselves
};

struct BlockQueueSetup {
  BlockSorters sorters;
  IndexMode mode = IndexMode::kCpu;
  bool gpu_required = false;  // GpuErrors end the job
  BlockSortOptions options;   // check_sum is decided by block
  const IndexPlan& plan;
  const IndexContext& context;
  MemoryBudget& budget;
  RunStore& runs;
};

struct BlockFigures {
  BlockSortFigures sort;
  std::uint64_t blocks = 0, gpu_blocks = 0, cpu_blocks = 0;  // cpu_blocks: in place of the GPU
  std::string gpu_failure;                                   // the first
};

// put() by one thread at a time. Everything throws what sorting met, by whatever thread.
class BlockQueue {
 public:
  explicit BlockQueue(const BlockQueueSetup& setup);
  ~BlockQueue();  // drops what was not begun
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // Waits until there is room for one more block.
  void put(Block&& block);
  // Waits for the last block. A source without documents has one run without documents.
  void finish();
  // After finish().
  const BlockFigures& figures() const { return figures_; }

 private:
  struct Item {
    Block block;
    std::unique_ptr<GpuVisit> visit;  // refers to the block; goes first
  };
  using Items = std::deque<std::unique_ptr<Item>>;
  void work(Items& from, bool writes);
  void begin(Item& item);
  void write(Item& item);
  bool try_on_gpu(Item& item);
  void sort_on_cpu(Block block);
  void store(Block block);
  void count_run();
  void write_run(const Block& block, const std::function<RunSummary(WritableFile&)>& write);
  BlockSortOptions options_for(const Block& block) const;  // by the thread that writes
  void note_failure(const GpuError& error);
  void stop();
  void keep_error();

  const BlockQueueSetup setup_;
  BlockFigures figures_;
  tbb::task_arena begin_arena_, write_arena_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Items to_begin_, to_write_;
  std::size_t in_flight_ = 0;  // put, and not yet a run
  bool stopping_ = false, begun_all_ = false, gpu_is_lost_ = false;
  std::exception_ptr error_;
  std::thread beginner_, writer_;
};

}  // namespace spillway
