// Blocks on their way to runs: sorted on the CPU, or begun on a GPU and then written. In the overlapping modes threads
// of its own do it while the next block is parsed, one for each visit that may be in flight, so that one block goes up
// while another is sorted and a third is written; their runs keep the order of the blocks. What a GPU does not do is
// done on the CPU, and counted. Many small runs are joined to larger ones on the way (indexer/run/compactor.hpp).
#pragma once

#include <tbb/task_arena.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/sorter/block_sorter.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/run/compactor.hpp"
#include "indexer/run/store.hpp"
#include "io/base/concurrency_limiter.hpp"
#include "sort/gpu/device/error.hpp"

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
  BlockSortOptions options;   // check_sum is decided by run
  const IndexPlan& plan;
  ConcurrencyLimiter& slots;  // that joins share with who puts blocks
  const IndexContext& context;
  MemoryBudget& budget;
  RunStore& runs;
};

struct BlockStats {
  BlockSortStats sort;
  std::uint64_t blocks = 0, gpu_blocks = 0, cpu_blocks = 0;  // cpu_blocks: in place of the GPU
  std::string gpu_failure;                                   // the first
  CompactionStats joins;                                     // of runs, beside the sort of blocks

  // All but the failure and the joins.
  BlockStats& operator+=(const BlockStats& other);
};

// put() by one thread at a time. Everything throws what sorting met, by whatever thread.
class BlockQueue {
 public:
  explicit BlockQueue(const BlockQueueSetup& setup);
  ~BlockQueue();  // drops what nobody works on
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // Waits until there is room for one more block. Requires: the caller holds no slot.
  void put(Block&& block);
  // Waits for the last block. A source without documents has one run without documents.
  void finish();
  // After finish().
  const BlockStats& stats() const { return stats_; }

 private:
  using Sources = std::vector<std::unique_ptr<MergeSource>>;
  // A block and what becomes of it, by one thread.
  struct Item {
    std::uint64_t place = 0;  // in the order of blocks
    Block block;
    Sources runs;
    BlockStats stats;
  };
  struct Worker {
    explicit Worker(unsigned threads) : arena(static_cast<int>(threads)) {}
    tbb::task_arena arena;  // its own: nobody waits for another block's work
    std::thread thread;
  };
  unsigned worker_count() const;
  void work(Worker& worker);
  void sort(Item& item, Worker& worker);
  bool sort_on_gpu(Item& item, Worker& worker);
  bool write_visit(Item& item, Worker& worker);
  void sort_on_cpu(Item& item, Worker& worker);
  void store(Block block, Item& item, Worker& worker);
  using Write = std::function<RunSummary(WritableFile&, const BlockSortOptions&, BlockSortStats&)>;
  void write_run(Block& block, std::size_t bound_bytes, Item& item, Worker& worker, const Write& write);
  std::size_t most_run_bytes(const Block& block) const;
  void hand_in(Item& item);
  bool may_use_gpu();
  void note_failure(const GpuError& error);
  void stop();
  void keep_error();

  const BlockQueueSetup setup_;
  BlockStats stats_;
  std::mutex mutex_, cpu_mutex_;  // one block at a time has the memory for sorting on the CPU
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Item>> waiting_;
  std::map<std::uint64_t, Sources> done_;  // whose turn in the order of blocks has not come
  std::uint64_t next_place_ = 0, next_done_ = 0;
  std::atomic<std::uint64_t> next_number_{0};  // of runs
  std::size_t in_flight_ = 0;                  // put, and not yet runs
  bool stopping_ = false, gpu_is_lost_ = false;
  std::exception_ptr error_;
  RunCompactor joiner_;
  std::deque<Worker> workers_;
};

}  // namespace spillway
