#include "indexer/block_queue.hpp"

#include <utility>

#include "io/error.hpp"

namespace spillway {

BlockQueue::BlockQueue(const BlockQueueSetup& setup)
    : setup_(setup),
      begin_arena_(static_cast<int>(setup.options.threads)),
      write_arena_(static_cast<int>(setup.options.threads)) {
  if (!overlaps(setup.mode)) return;
  try {
    if (setup.sorters.gpu != nullptr) beginner_ = std::thread([this] { work(to_begin_, false); });
    writer_ = std::thread([this] { work(to_write_, true); });
  } catch (...) {
    stop();
    throw;
  }
}

BlockQueue::~BlockQueue() {
  {
    // The job has failed: no block is worth sorting any more.
    const std::lock_guard lock(mutex_);
    to_begin_.clear();
    to_write_.clear();
  }
  stop();
}

void BlockQueue::put(Block&& block) {
  auto item = std::make_unique<Item>();
  item->block = std::move(block);
  if (!writer_.joinable()) {
    begin(*item);
    write(*item);
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return in_flight_ + 1 < setup_.plan.blocks_in_flight || error_ != nullptr; });
  if (error_ != nullptr) std::rethrow_exception(error_);
  ++in_flight_;
  (beginner_.joinable() ? to_begin_ : to_write_).push_back(std::move(item));
  changed_.notify_all();
}

void BlockQueue::finish() {
  stop();
  if (error_ != nullptr) std::rethrow_exception(error_);
  if (setup_.runs.runs.empty()) sort_on_cpu(Block{});
}

void BlockQueue::stop() {
  const auto tell = [this](bool& flag) {
    const std::lock_guard lock(mutex_);
    flag = true;
    changed_.notify_all();
  };
  tell(stopping_);
  if (beginner_.joinable()) beginner_.join();
  tell(begun_all_);
  if (writer_.joinable()) writer_.join();
}

// A thread: takes items from `from`, in order. The one that writes is the last to see an item.
void BlockQueue::work(Items& from, bool writes) {
  const bool& ended = writes ? begun_all_ : stopping_;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !from.empty() || ended || error_ != nullptr; });
    if (from.empty() || error_ != nullptr) return;
    std::unique_ptr<Item> item = std::move(from.front());
    from.pop_front();
    lock.unlock();
    try {
      writes ? write(*item) : begin(*item);
    } catch (...) {
      keep_error();
    }
    if (writes) item.reset();
    lock.lock();
    if (writes) {
      --in_flight_;
    } else {
      to_write_.push_back(std::move(item));
    }
    changed_.notify_all();
  }
}

void BlockQueue::keep_error() {
  const std::lock_guard lock(mutex_);
  if (error_ == nullptr) error_ = std::current_exception();
  changed_.notify_all();
}

// Words, a count, and no more of a GPU that was lost.
void BlockQueue::note_failure(const GpuError& error) {
  if (setup_.gpu_required) throw GpuError(std::string("--require-gpu: ") + error.what(), error.is_lost);
  const std::lock_guard lock(mutex_);
  // A block that does not fit says nothing about the next one.
  if (dynamic_cast<const GpuMemoryError*>(&error) == nullptr) gpu_is_lost_ = true;
  if (!figures_.gpu_failure.empty()) return;
  figures_.gpu_failure = error.what();
  setup_.context.warn("the GPU could not sort a block, the CPU does: " + figures_.gpu_failure);
}

BlockSortOptions BlockQueue::options_for(const Block& block) const {
  BlockSortOptions options = setup_.options;
  options.check_sum = !setup_.runs.fits_memory(run_bytes_bound(block, options.run_block_bytes));
  return options;
}

void BlockQueue::begin(Item& item) {
  {
    const std::lock_guard lock(mutex_);
    if (setup_.sorters.gpu == nullptr || gpu_is_lost_) return;
  }
  try {
    begin_arena_.execute([&] { item.visit = setup_.sorters.gpu->begin(item.block, setup_.options.positions); });
  } catch (const GpuError& error) {
    note_failure(error);
  }
}

void BlockQueue::write(Item& item) {
  if (setup_.context.signal_number.load() != 0) throw InterruptedError(setup_.context.signal_number.load());
  if (item.block.last) setup_.runs.add_memory(setup_.plan.last_run_memory_bytes);
  item.block.number = setup_.runs.runs.size();
  if (try_on_gpu(item)) {
    ++figures_.gpu_blocks;
    return;
  }
  if (sorts_on_gpu(setup_.mode)) ++figures_.cpu_blocks;
  sort_on_cpu(std::move(item.block));
}

bool BlockQueue::try_on_gpu(Item& item) {
  const bool through_host = setup_.sorters.through_host != nullptr && !gpu_is_lost_;
  if (item.visit == nullptr && !through_host) return false;
  try {
    const BlockSortOptions options = options_for(item.block);
    write_run(item.block, [&](WritableFile& file) {
      if (item.visit != nullptr) return item.visit->write_run(file, options, figures_.sort);
      return setup_.sorters.through_host->write_run(item.block, file, options, setup_.budget, figures_.sort);
    });
    item.visit.reset();
    return true;
  } catch (const GpuError& error) {
    item.visit.reset();
    note_failure(error);
    return false;
  }
}

// In place of the GPU: in as many runs as the memory for it asks for.
void BlockQueue::sort_on_cpu(Block block) {
  const std::size_t most = setup_.plan.fallback_bytes == 0 ? ~std::size_t{0} : setup_.plan.fallback_bytes;
  std::size_t at = 0;
  do {
    Block piece;
    std::size_t bytes = 0;
    while (at < block.chunks.size()) {
      bytes += setup_.sorters.cpu.extra_bytes(block.chunks[at]);
      if (!piece.chunks.empty() && bytes > most) break;
      piece.chunks.push_back(std::move(block.chunks[at++]));
    }
    piece.number = setup_.runs.runs.size();
    store(std::move(piece));
  } while (at < block.chunks.size());
}

// As it is, for the merge, where memory allows that and the sorter can; else as a run.
void BlockQueue::store(Block block) {
  const BlockSorter& sorter = setup_.sorters.cpu;
  const BlockSortOptions options = options_for(block);
  const std::optional<std::size_t> kept_bytes = sorter.kept_bytes(block, options);
  if (!kept_bytes || !setup_.runs.fits_memory(*kept_bytes)) {
    write_run(block,
              [&](WritableFile& file) { return sorter.write_run(block, file, options, setup_.budget, figures_.sort); });
    return;
  }
  write_arena_.execute(
      [&] { setup_.runs.keep(sorter.keep(std::move(block), options, setup_.budget, figures_.sort), *kept_bytes); });
  count_run();
}

void BlockQueue::write_run(const Block& block, const std::function<RunSummary(WritableFile&)>& write) {
  const std::size_t bound = run_bytes_bound(block, setup_.options.run_block_bytes);
  write_arena_.execute([&] { setup_.runs.runs.push_back(setup_.runs.write(bound, write)); });
  count_run();
}

void BlockQueue::count_run() {
  ++figures_.blocks;
  setup_.context.progress.runs.store(setup_.runs.runs.size());
}

}  // namespace spillway
