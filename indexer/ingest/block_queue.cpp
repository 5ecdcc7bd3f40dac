#include "indexer/ingest/block_queue.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "indexer/block/splitter.hpp"
#include "io/base/error.hpp"

namespace spillway {

BlockStats& BlockStats::operator+=(const BlockStats& other) {
  sort += other.sort;
  blocks += other.blocks;
  gpu_blocks += other.gpu_blocks;
  kept_blocks += other.kept_blocks;
  cpu_blocks += other.cpu_blocks;
  return *this;
}

BlockQueue::BlockQueue(const BlockQueueSetup& setup)
    : setup_(setup),
      next_number_(setup.first_run),
      waits_for_lanes_(setup.sorters.starting.valid()),
      compactor_({.overlaps = overlaps(setup.mode),
                  .slots = setup.slots,
                  .memory_bytes = setup.plan.compaction_bytes,
                  .run_block_bytes = setup.options.run_block_bytes,
                  .next_number = [this] { return next_number_++; },
                  .check = [this] { throw_if_stopped(setup_.context); },
                  .budget = setup.budget,
                  .runs = setup.runs,
                  .timeline = timeline_of(setup.context.recorder)}) {
  for (const auto& lane : setup.sorters.lanes) free_lanes_.push_back(lane.get());
  for (std::size_t i = 0; i < worker_count(); ++i) workers_.emplace_back(setup.options.threads);
  if (!overlaps(setup.mode)) return;
  if (setup.checkpoints != nullptr) setup.checkpoints->commit_in_background();
  try {
    for (Worker& worker : workers_) worker.thread = std::thread([this, &worker] { work(worker); });
  } catch (...) {
    stop();
    throw;
  }
}

BlockQueue::~BlockQueue() {
  {
    // If blocks still wait, the job has failed.
    const std::lock_guard lock(mutex_);
    waiting_.clear();
  }
  stop();
}

std::size_t BlockQueue::worker_count() const {
  const std::size_t lanes = waits_for_lanes_ ? setup_.sorters.starting_count : setup_.sorters.lanes.size();
  return overlaps(setup_.mode) ? std::max<std::size_t>(1, lanes) : 1;
}

// Counts the block that is being filled. The blocks that wait for lanes have memory of their own during the whole job.
// If they counted only until there are lanes, parsers would stop then, until most of the blocks are sorted: 16 of them
// stood still for 0.15 s.
std::size_t BlockQueue::most_in_flight() const { return setup_.plan.blocks_in_flight + setup_.plan.waiting_blocks; }

void BlockQueue::await_lanes() {
  if (!setup_.sorters.starting.valid()) return;
  const GpuLanes& lanes = setup_.sorters.starting.get();
  const std::lock_guard lock(mutex_);
  if (!std::exchange(waits_for_lanes_, false)) return;
  for (const auto& lane : lanes) free_lanes_.push_back(lane.get());
}

void BlockQueue::put(Block&& block) {
  auto item = std::make_unique<Item>();
  item->block = std::move(block);
  item->done = std::move(item->block.done);
  item->place = next_place_++;
  if (!overlaps(setup_.mode)) {
    sort(*item, workers_.front());
    hand_in(*item);
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_flight_ + 1 < most_in_flight() || error_ != nullptr; });
  if (error_ != nullptr) std::rethrow_exception(error_);
  compactor_.check();
  ++in_flight_;
  waiting_.push_back(std::move(item));
  changed_.notify_all();
}

// Requires: mutex_ is held.
bool BlockQueue::lanes_are_behind() const {
  const std::size_t lanes = std::max(setup_.sorters.starting_count, setup_.sorters.lanes.size());
  return lanes != 0 && !waits_for_lanes_ && !gpu_is_lost_ && waiting_.size() >= std::max<std::size_t>(2, lanes / 2);
}

void BlockQueue::make_room_for_lanes() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !lanes_are_behind() || !makes_room_ || error_ != nullptr; });
}

void BlockQueue::make_no_more_room() {
  const std::lock_guard lock(mutex_);
  makes_room_ = false;
  changed_.notify_all();
}

void BlockQueue::finish() {
  stop();
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (compactor_.empty() && setup_.runs.runs.empty()) {
    Item nothing;
    nothing.place = next_place_++;
    sort_on_cpu(nothing, workers_.front());
    hand_in(nothing);
  }
  compactor_.finish();
  stats_.compaction = compactor_.stats();
}

void BlockQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (Worker& worker : workers_) {
    if (worker.thread.joinable()) worker.thread.join();
  }
}

// The loop of a sorting thread: takes the waiting blocks in order.
void BlockQueue::work(Worker& worker) {
  while (true) {
    std::unique_ptr<Item> item;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !waiting_.empty() || stopping_ || error_ != nullptr; });
      if (waiting_.empty() || error_ != nullptr) return;
      item = std::move(waiting_.front());
      waiting_.pop_front();
      changed_.notify_all();
    }
    try {
      sort(*item, worker);
      item->block = Block{};
      hand_in(*item);
    } catch (...) {
      keep_error();
      return;
    }
    const std::lock_guard lock(mutex_);
    --in_flight_;
    changed_.notify_all();
  }
}

void BlockQueue::keep_error() {
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) error_ = std::current_exception();
  changed_.notify_all();
}

// Hands the runs on once the runs of all earlier blocks were.
void BlockQueue::hand_in(Item& item) {
  const std::lock_guard lock(mutex_);
  stats_ += item.stats;
  for (const auto& run : item.runs) {
    setup_.context.progress.run_postings += run->summary.posting_count;
    setup_.context.progress.run_occurrences += run->summary.occurrence_count;
  }
  done_[item.place] = std::move(item);
  for (auto next = done_.begin(); next != done_.end() && next->first == next_done_; next = done_.erase(next)) {
    hand_on(next->second);
    ++next_done_;
  }
  setup_.context.progress.runs.store(stats_.blocks);
}

void BlockQueue::hand_on(Item& item) {
  if (setup_.checkpoints != nullptr) setup_.checkpoints->add(item.runs, item.done);
  for (auto& run : item.runs) compactor_.put(std::move(run));
}

// The lane that is free for the longest time, so that GPUs take blocks in turn; null where the CPU has to sort.
GpuLane* BlockQueue::take_lane() {
  const std::lock_guard lock(mutex_);
  if (gpu_is_lost_ || free_lanes_.empty()) return nullptr;
  GpuLane* const lane = free_lanes_.front();
  free_lanes_.pop_front();
  return lane;
}

void BlockQueue::give_back(GpuLane& lane) {
  const std::lock_guard lock(mutex_);
  free_lanes_.push_back(&lane);
}

// Warns of the first failure, and gives up GPUs unless only this block did not fit. Throws where a GPU is required.
void BlockQueue::note_failure(const GpuError& error) {
  if (setup_.gpu_required) throw GpuError(std::string("--require-gpu: ") + error.what(), error.is_lost);
  const std::lock_guard lock(mutex_);
  if (dynamic_cast<const GpuMemoryError*>(&error) == nullptr) gpu_is_lost_ = true;
  changed_.notify_all();
  if (!stats_.gpu_failure.empty()) return;
  stats_.gpu_failure = error.what();
  setup_.context.warn("the GPU could not sort a block, the CPU does: " + stats_.gpu_failure);
}

void BlockQueue::sort(Item& item, Worker& worker) {
  await_lanes();
  if (setup_.context.signal_number.load() != 0) throw InterruptedError(setup_.context.signal_number.load());
  if (item.block.last) setup_.runs.add_memory(setup_.last_run_memory_bytes);
  if (sort_on_gpu(item, worker)) {
    ++item.stats.gpu_blocks;
    return;
  }
  if (sorts_on_gpu(setup_.mode)) ++item.stats.cpu_blocks;
  sort_on_cpu(item, worker);
}

bool BlockQueue::sort_on_gpu(Item& item, Worker& worker) {
  GpuLane* const lane = take_lane();
  if (lane == nullptr) return false;
  try {
    const std::size_t bound_bytes =
        worker.arena.execute([&] { return lane->sort(item.block, setup_.options, item.stats.sort); });
    if (!keep(*lane, item, worker)) {
      write_run(item.block, bound_bytes, item, worker,
                [&](WritableFile& file, const BlockSortOptions& options, BlockSortStats& stats) {
                  return lane->write_run(item.block, file, options, stats);
                });
    }
    give_back(*lane);
    return true;
  } catch (const GpuError& error) {
    give_back(*lane);
    note_failure(error);
    return false;
  }
}

// Keeps the lists that the lane has as a source of the merge. They take more memory than a run of them, so half of the
// memory for runs is left to the runs to come. False where they must become a run.
bool BlockQueue::keep(GpuLane& lane, Item& item, Worker& worker) {
  const BlockSortOptions& options = setup_.options;
  const auto bytes = worker.arena.execute([&] { return lane.kept_bytes(item.block, options); });
  if (!bytes || setup_.runs.memory_left() < setup_.runs.memory_bytes() / 2 + *bytes) return false;
  RunShare share = setup_.runs.take_share(*bytes);
  if (!share.is_memory()) return false;
  item.block.number = next_number_++;
  worker.arena.execute([&] { item.runs.push_back(lane.keep(item.block, options, setup_.budget, item.stats.sort)); });
  share.keep(*bytes);
  item.runs.back()->share = std::move(share);
  ++item.stats.blocks;
  ++item.stats.kept_blocks;
  return true;
}

// Cuts the block into as many runs as its memory asks for.
void BlockQueue::sort_on_cpu(Item& item, Worker& worker) {
  const std::lock_guard lock(cpu_mutex_);
  BlockSplitter splitter(item.block, setup_.sorters.cpu, setup_.options.positions, setup_.plan.fallback_bytes,
                         setup_.budget);
  while (auto part = worker.arena.execute([&] { return splitter.next(); })) store(std::move(*part), item, worker);
}

// Keeps the block in memory for the merge if the sorter and the memory allow it; else makes a run of it.
void BlockQueue::store(Block block, Item& item, Worker& worker) {
  const BlockSorter& sorter = setup_.sorters.cpu;
  BlockSortOptions options = setup_.options;
  if (const std::optional<std::size_t> kept_bytes = sorter.kept_bytes(block, options)) {
    if (RunShare share = setup_.runs.take_share(*kept_bytes); share.is_memory()) {
      block.number = next_number_++;
      options.check_sum = false;
      worker.arena.execute(
          [&] { item.runs.push_back(sorter.keep(std::move(block), options, setup_.budget, item.stats.sort)); });
      share.keep(*kept_bytes);
      item.runs.back()->share = std::move(share);
      ++item.stats.blocks;
      return;
    }
  }
  write_run(block, most_run_bytes(block), item, worker,
            [&](WritableFile& file, const BlockSortOptions& checked, BlockSortStats& stats) {
              return sorter.write_run(block, file, checked, setup_.budget, stats);
            });
}

std::size_t BlockQueue::most_run_bytes(const Block& block) const {
  return run_bytes_bound(block, most_lists(block), setup_.options.run_block_bytes);
}

// The merge reads runs in memory directly, so their checksums need no check here.
void BlockQueue::write_run(Block& block, std::size_t bound_bytes, Item& item, Worker& worker, const Write& write) {
  RunShare share = setup_.runs.take_share(bound_bytes);
  // Spilling a small run costs more than waiting until earlier runs are compacted.
  while (!share.is_memory() && bound_bytes < setup_.runs.memory_bytes() / 4 && compactor_.wait_for_compaction()) {
    share = setup_.runs.take_share(bound_bytes);
  }
  BlockSortOptions options = setup_.options;
  options.check_sum = !share.is_memory();
  block.number = next_number_++;
  worker.arena.execute([&] {
    item.runs.push_back(
        setup_.runs.write(std::move(share), [&](WritableFile& file) { return write(file, options, item.stats.sort); }));
  });
  ++item.stats.blocks;
}

}  // namespace spillway
