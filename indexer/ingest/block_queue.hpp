// Sorts blocks into runs, on the CPU or on GPUs. In the overlapping modes it has threads of its own, one for each lane
// of a GPU, which sort and write blocks while the next one is parsed; the runs keep the order of the blocks. The CPU
// sorts the blocks that a GPU does not, and they are counted. Small runs are compacted to larger ones on the way
// (indexer/run/compactor.hpp).
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
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/options/index_options.hpp"
#include "indexer/options/job_context.hpp"
#include "indexer/plan/memory.hpp"
#include "indexer/resume/checkpoints.hpp"
#include "indexer/run/compactor.hpp"
#include "indexer/run/store.hpp"
#include "io/base/concurrency_limiter.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

// The sorters of a queue: lanes, if there are any, take blocks first; `cpu` sorts the blocks that they do not. Blocks
// wait for lanes that are still being made, which must be `starting_count`.
struct BlockSorters {
  const BlockSorter& cpu;
  std::span<const std::unique_ptr<GpuLane>> lanes{};
  StartingLanes starting = {};
  std::size_t starting_count = 0;
};

struct BlockQueueSetup {
  BlockSorters sorters;
  IndexMode mode = IndexMode::kCpu;
  bool gpu_required = false;  // a GpuError ends the job
  BlockSortOptions options;   // `check_sum` is set for each run
  const IndexPlan& plan;
  ConcurrencyLimiter& slots;  // compactions and the callers of put() share them
  const IndexContext& context;
  MemoryBudget& budget;
  RunStore& runs;
  Checkpoints* checkpoints = nullptr;     // of a resumable job
  std::uint64_t first_run = 0;            // number of the next run
  std::size_t last_run_memory_bytes = 0;  // more memory for runs, once the last block is sorted
};

struct BlockStats {
  BlockSortStats sort;
  std::uint64_t blocks = 0;       // runs of blocks, in memory or written
  std::uint64_t gpu_blocks = 0;   // blocks that GPUs sorted
  std::uint64_t kept_blocks = 0;  // those of them whose lists stayed as the GPU made them, in memory or on the GPU
  std::uint64_t cpu_blocks = 0;   // blocks that the CPU sorted in a GPU mode
  std::string gpu_failure;        // the first
  CompactionStats compaction;

  // Adds all but the failure and the compaction.
  BlockStats& operator+=(const BlockStats& other);
};

// put() by one thread at a time. put() and finish() rethrow the first error of any sorting thread. If lanes that were
// being made do not come, that is a GpuStartError, and no block has become a run.
class BlockQueue {
 public:
  explicit BlockQueue(const BlockQueueSetup& setup);
  ~BlockQueue();  // drops the blocks that no thread has begun
  BlockQueue(const BlockQueue&) = delete;
  BlockQueue& operator=(const BlockQueue&) = delete;

  // Waits until there is room for one more block. Requires: the caller holds no slot.
  void put(Block&& block);
  // Waits while several blocks wait for lanes. Thread-safe; throws nothing. Requires: the caller holds neither a slot
  // nor a task.
  void make_room_for_lanes();
  // Ends that wait for all threads: the job ends early.
  void make_no_more_room();
  // Waits for the last run. If there were no blocks, makes one run without documents.
  void finish();
  // Requires: finish() was called.
  const BlockStats& stats() const { return stats_; }

 private:
  using Sources = std::vector<std::unique_ptr<MergeSource>>;
  // A block and its runs, used by one thread at a time.
  struct Item {
    std::uint64_t place = 0;  // in the order of blocks
    Block block;
    std::optional<Ledger> done;  // Block::done
    Sources runs;
    BlockStats stats;
  };
  struct Worker {
    explicit Worker(unsigned threads) : arena(static_cast<int>(threads)) {}
    tbb::task_arena arena;  // its own, so that no thread takes tasks of another block while it waits
    std::thread thread;
  };
  std::size_t worker_count() const;
  std::size_t most_in_flight() const;
  void await_lanes();
  bool lanes_are_behind() const;
  void work(Worker& worker);
  void sort(Item& item, Worker& worker);
  bool sort_on_gpu(Item& item, Worker& worker);
  bool keep(GpuLane& lane, Item& item, Worker& worker);
  void sort_on_cpu(Item& item, Worker& worker);
  void store(Block block, Item& item, Worker& worker);
  using Write = std::function<RunSummary(WritableFile&, const BlockSortOptions&, BlockSortStats&)>;
  void write_run(Block& block, std::size_t bound_bytes, Item& item, Worker& worker, const Write& write);
  std::size_t most_run_bytes(const Block& block) const;
  void hand_in(Item& item);
  void hand_on(Item& item);
  GpuLane* take_lane();
  void give_back(GpuLane& lane);
  void note_failure(const GpuError& error);
  void stop();
  void keep_error();

  const BlockQueueSetup setup_;
  BlockStats stats_;
  std::mutex mutex_;
  std::mutex cpu_mutex_;  // held to sort on the CPU: the plan has memory for one block
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Item>> waiting_;
  std::deque<GpuLane*> free_lanes_;     // in the order in which they became free; none once a GPU is lost
  std::map<std::uint64_t, Item> done_;  // whose runs wait for those of earlier blocks
  std::uint64_t next_place_ = 0, next_done_ = 0;
  std::atomic<std::uint64_t> next_number_;  // of runs
  std::size_t in_flight_ = 0;               // blocks that were put and are not yet runs
  bool stopping_ = false, gpu_is_lost_ = false, makes_room_ = true;
  bool waits_for_lanes_;
  std::exception_ptr error_;
  RunCompactor compactor_;
  std::deque<Worker> workers_;
};

}  // namespace spillway
