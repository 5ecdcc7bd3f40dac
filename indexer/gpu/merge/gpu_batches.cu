#include "indexer/gpu/merge/gpu_batches.hpp"

#include <array>
#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <utility>

#include "indexer/gpu/merge/batch_host.hpp"
#include "indexer/gpu/merge/batch_pass.hpp"
#include "indexer/gpu/merge/term_order.hpp"
#include "indexer/gpu/pipeline/cuda_steps.cuh"
#include "indexer/gpu/pipeline/executor.hpp"
#include "io/base/error.hpp"
#include "sort/gpu/device/status.hpp"
#include "sort/gpu/registry.hpp"

namespace spillway {

namespace {

// The lanes of a GPU share this.
struct MergingGpu {
  MergingGpu(int number, std::vector<DeviceBuffer> memory, std::size_t bytes)
      : gpu(number), arena_bytes(bytes), arenas(std::move(memory)) {}

  const int gpu;
  const std::size_t arena_bytes;  // of all arenas
  ArenaPool<DeviceBuffer> arenas;
  DeviceBuffer table_memory;
  std::unique_ptr<TermOrder> order;  // of the lists that it holds; may be null
  BatchTables own_tables{};
  const BatchTables* tables = &own_tables;
};

// Copies the tables of a merge to a GPU.
class TableCopier {
 public:
  TableCopier(MergingGpu& gpu, const BatchMergeSource& source)
      : source_(source),
        power_count_(source.document_count / DocumentPowers::kCount + 1),
        gpu_(gpu),
        stream_(gpu.gpu) {}

  // With dropped documents.
  static std::size_t most_bytes(std::uint64_t documents) {
    const std::uint64_t words = documents / 64 + 1;
    return documents + words * (sizeof(std::uint64_t) + sizeof(std::uint32_t)) +
           (DocumentPowers::kCount + documents / DocumentPowers::kCount + 1) * sizeof(std::uint64_t) +
           5 * kDeviceAlignment;
  }

  void copy() {
    DeviceArena counting = DeviceArena::for_counting();
    take(counting);
    gpu_.table_memory = DeviceBuffer(gpu_.gpu, counting.used_bytes());
    DeviceArena arena(gpu_.table_memory);
    take(arena);
    stream_.make_current();
    std::vector<std::uint64_t> high(power_count_);
    for (std::size_t i = 0; i < high.size(); ++i) high[i] = high_document_power(i);
    put(low_, document_powers().low.data(), DocumentPowers::kCount);
    put(high_, high.data(), high.size());
    put(codes_, source_.length_codes.data(), source_.length_codes.size());
    if (!source_.dropped.none()) {
      put(bits_, source_.dropped.bits().data(), source_.dropped.bits().size());
      put(before_, source_.dropped.dropped_before().data(), source_.dropped.dropped_before().size());
    }
    stream_.synchronize();
    gpu_.own_tables = {.powers = {low_, high_},
                       .numbers = source_.dropped.none() ? KeptNumbers{} : KeptNumbers{bits_, before_},
                       .length_codes = codes_,
                       .document_count = source_.document_count,
                       .has_positions = source_.has_positions};
  }

 private:
  void take(DeviceArena& arena) {
    low_ = arena.take<std::uint64_t>(DocumentPowers::kCount);
    high_ = arena.take<std::uint64_t>(power_count_);
    codes_ = arena.take<std::uint8_t>(source_.length_codes.size());
    if (source_.dropped.none()) return;
    bits_ = arena.take<std::uint64_t>(source_.dropped.bits().size());
    before_ = arena.take<std::uint32_t>(source_.dropped.dropped_before().size());
  }
  template <typename T>
  void put(T* to, const T* from, std::size_t count) {
    copy_to_device(to, from, count * sizeof(T), stream_.handle());
  }

  const BatchMergeSource& source_;
  const std::size_t power_count_;
  MergingGpu& gpu_;
  GpuStream stream_;
  std::uint64_t *low_ = nullptr, *high_ = nullptr, *bits_ = nullptr;
  std::uint8_t* codes_ = nullptr;
  std::uint32_t* before_ = nullptr;
};

// The executor of TermOrderMaker on a GPU.
class CudaOrderExecutor : public CudaSteps {
 public:
  // Leaves `left_bytes` of the free memory to others.
  CudaOrderExecutor(int gpu, std::size_t left_bytes)
      : CudaSteps(gpu), gpu_(gpu), left_bytes_(left_bytes), strings_(*find_device_string_sorter("gpu-string-radix")) {
    stream_.make_current();
  }
  ~CudaOrderExecutor() { static_cast<void>(cudaStreamSynchronize(stream_.handle())); }
  CudaOrderExecutor(const CudaOrderExecutor&) = delete;
  CudaOrderExecutor& operator=(const CudaOrderExecutor&) = delete;

  std::shared_ptr<std::uint8_t> allocate(std::size_t bytes) { return shared_device_memory(gpu_, bytes); }
  std::size_t free_bytes() const {
    const std::size_t free = free_device_bytes(gpu_);
    return free - std::min(free, left_bytes_);
  }
  bool is_near(const DeviceLists& lists) const {
    cudaPointerAttributes at{};
    cuda_check(cudaPointerGetAttributes(&at, lists.memory.get()));
    return at.device == gpu_;
  }
  std::shared_ptr<std::uint8_t> near(const DeviceLists& lists) {
    if (is_near(lists)) return lists.memory;
    auto copied = allocate(lists.bytes);
    copy(copied.get(), lists.memory.get(), lists.bytes);
    return copied;
  }
  void copy(void* to, const void* from, std::size_t bytes) { copy_on_device(to, from, bytes, stream_.handle()); }
  void upload(void* to, const void* from, std::size_t bytes) {
    copy_to_device(to, from, bytes, stream_.handle());
    stream_.synchronize();
  }
  void download(void* to, const void* from, std::size_t bytes) {
    copy_to_host(to, from, bytes, stream_.handle());
    stream_.synchronize();
  }
  std::size_t string_scratch_bytes(std::size_t strings, std::size_t bytes) const {
    return strings_.scratch_bytes(strings, bytes);
  }
  static std::size_t scan_bytes(std::size_t count) {
    return std::max({exclusive_scan_bytes<std::uint32_t, std::uint32_t, Add<std::uint32_t>>(count),
                     exclusive_scan_bytes<std::uint64_t, std::uint64_t, Add<std::uint64_t>>(count),
                     exclusive_scan_bytes<HeldSize, HeldSize, AddHeldSizes>(count),
                     inclusive_scan_bytes<std::uint8_t, std::uint32_t, Add<std::uint32_t>>(count)});
  }
  void sort_strings(const DeviceStrings& strings, const MarkedOrder& out, std::span<std::uint8_t> scratch) {
    strings_.sort_and_mark(strings, out, scratch.data(), stream_.handle());
  }

 private:
  const int gpu_;
  const std::size_t left_bytes_;
  const DeviceStringSorter& strings_;
};

// The executor of ExecutorBatchLane on a GPU.
class CudaBatchExecutor : public CudaSteps {
 public:
  // `memory`: pinned, for the arrays and the staging buffers.
  CudaBatchExecutor(MergingGpu& gpu, const BatchLimits& limits, std::uint8_t* memory)
      : CudaSteps(gpu.gpu),
        gpu_(gpu),
        arrays_(batch_arrays(memory, limits)),
        staging_(memory + batch_host_bytes(limits)) {}
  ~CudaBatchExecutor() { abandon(); }
  CudaBatchExecutor(const CudaBatchExecutor&) = delete;
  CudaBatchExecutor& operator=(const CudaBatchExecutor&) = delete;

  const BatchArrays& arrays() const { return arrays_; }
  const BatchTables& tables() const { return *gpu_.tables; }

  std::uint8_t* begin(std::size_t bytes) {
    stream_.make_current();
    arena_ = gpu_.arenas.take();
    if (bytes > arena_->size()) throw GpuMemoryError("a batch of lists exceeds the memory that was taken for it");
    return arena_->data();
  }
  void end() { arena_.reset(); }
  // Waits until nothing of a pass that failed is going on.
  void abandon() noexcept {
    // Called directly, so that no test makes it fail. A lost device is idle anyway.
    static_cast<void>(cudaStreamSynchronize(stream_.handle()));
    arena_.reset();
  }

  void upload(void* to, const void* from, std::size_t bytes) { copy_to_device(to, from, bytes, stream_.handle()); }
  // Fills one half of the staging buffer while the other is emptied.
  void download(std::uint8_t* to, const void* from, std::size_t bytes) {
    constexpr std::size_t kHalf = kBatchStagingBytes / 2;
    const auto* const device = static_cast<const std::uint8_t*>(from);
    const std::size_t count = (bytes + kHalf - 1) / kHalf;
    const auto bytes_of = [&](std::size_t i) { return std::min(kHalf, bytes - i * kHalf); };
    for (std::size_t i = 0; i <= count; ++i) {
      if (i < count) {
        copy_to_host(staging_ + i % 2 * kHalf, device + i * kHalf, bytes_of(i), stream_.handle());
        copied_[i % 2].record(stream_);
      }
      if (i == 0) continue;
      copied_[(i - 1) % 2].synchronize();
      std::memcpy(to + (i - 1) * kHalf, staging_ + (i - 1) % 2 * kHalf, bytes_of(i - 1));
    }
  }

  static std::size_t scratch_bytes(const BatchSize& size) {
    const std::size_t postings = size.postings + std::size_t{1}, lists = size.lists + std::size_t{1};
    const std::size_t units = most_units(size.postings, size.lists) + 1;
    const std::size_t distance_groups = batch_groups(size.distance_bytes) + 1;
    const std::size_t position_units = size.distance_bytes == 0 ? 0 : most_units(size.occurrences, size.lists) + 1;
    return std::max({kMostReduceBlocks * sizeof(BatchTotals),
                     exclusive_scan_bytes<WordCounts, WordCounts, AddWordCounts>(batch_groups(size.posting_bytes) + 1),
                     exclusive_scan_bytes<std::uint8_t, std::uint32_t, Add<std::uint32_t>>(postings),
                     exclusive_scan_bytes<ListUnits, ListUnits, AddListUnits>(lists),
                     exclusive_scan_bytes<std::uint32_t, std::uint32_t, Add<std::uint32_t>>(
                         std::max({postings, units, distance_groups, position_units})),
                     inclusive_scan_bytes<std::uint32_t, std::uint32_t, Add<std::uint32_t>>(postings)});
  }

 private:
  MergingGpu& gpu_;
  const BatchArrays arrays_;
  std::uint8_t* const staging_;
  ArenaPool<DeviceBuffer>::Turn arena_;
  std::array<GpuEvent, 2> copied_;
};

class GpuBatchLanes final : public BatchLanes {
 public:
  GpuBatchLanes(const GpuBatchOptions& options, MemoryBudget& budget) : budget_(budget), options_(options) {
    const auto gpus = static_cast<unsigned>(options.gpus.size());
    for (const int gpu : options.gpus) {
      const std::size_t usable = usable_bytes(gpu);
      gpus_.push_back(make_gpu(gpu, options_.limits, (options.lanes + gpus - 1) / gpus, usable));
      if (gpus_.size() == 1) usable_for_large_ = usable - gpus_.front()->arena_bytes;
    }
    const std::size_t lane_bytes = device_aligned(batch_host_bytes(options_.limits) + kBatchStagingBytes);
    pinned_ = PinnedBuffer(options.lanes * lane_bytes);
    for (unsigned i = 0; i < options.lanes; ++i) {
      lanes_.push_back(std::make_unique<ExecutorBatchLane<CudaBatchExecutor>>(*gpus_[i % gpus_.size()], options_.limits,
                                                                              pinned_.data() + i * lane_bytes));
    }
    if (!options_.held.empty()) make_orders();
    options_.held.clear();  // the orders have them
  }

  void begin(const BatchMergeSource& source) override {
    for (const auto& gpu : gpus_) TableCopier(*gpu, source).copy();
    if (gpus_.front()->order != nullptr) use_orders(source);
  }
  const HeldLists* held() noexcept override { return is_held_ ? &gpus_.front()->order->lists() : nullptr; }
  std::size_t order_bytes() const noexcept override {
    const TermOrder* const order = gpus_.front()->order.get();
    return order == nullptr ? 0 : order->lists().lists.size_bytes() + order->lists().terms.size();
  }
  std::size_t used_bytes() const noexcept override { return options_.lanes * used_batch_bytes(options_.limits); }
  // Its batches take the memory of an arena of their own, on the first GPU.
  void make_large() noexcept override {
    if (options_.large.lists == 0) return;
    try {
      const BatchLimits& limits = options_.large;
      const MergingGpu& first = *gpus_.front();
      auto gpu = make_gpu(first.gpu, limits, 1, usable_for_large_);
      gpu->tables = &first.own_tables;
      PinnedBuffer pinned(device_aligned(batch_host_bytes(limits) + kBatchStagingBytes));
      large_.lane = std::make_unique<ExecutorBatchLane<CudaBatchExecutor>>(*gpu, limits, pinned.data());
      large_.budget = &budget_;
      large_gpu_ = std::move(gpu);
      large_pinned_ = std::move(pinned);
    } catch (const std::exception&) {  // the processor merges the largest lists
    }
  }
  LargeLane* large() noexcept override { return large_.lane == nullptr ? nullptr : &large_; }
  std::unique_ptr<BatchLane> take() noexcept override {
    const std::lock_guard lock(mutex_);
    if (lanes_.empty()) return nullptr;
    std::unique_ptr<BatchLane> lane = std::move(lanes_.back());
    lanes_.pop_back();
    return lane;
  }
  void fail(const std::string&) noexcept override {}

 private:
  // Each GPU has the lists of all, so that each lane can merge any of them. The orders are made on threads of their
  // own: a sorter leaves memory of the GPU to its thread, which is given back when that ends.
  void make_orders() {
    std::vector<std::future<std::unique_ptr<TermOrder>>> orders;
    try {
      for (const auto& gpu : gpus_) {
        orders.push_back(std::async(std::launch::async, [this, number = gpu->gpu, is_first = orders.empty()] {
          for (const int other : options_.gpus) {
            if (other != number) connect_gpus(number, other);
          }
          CudaOrderExecutor executor(number, TableCopier::most_bytes(options_.document_count));
          return TermOrderMaker<CudaOrderExecutor>(executor, options_.held).make(is_first, options_.order_bytes);
        }));
      }
      for (std::size_t i = 0; i < gpus_.size(); ++i) gpus_[i]->order = orders[i].get();
    } catch (const std::exception& error) {
      orders.clear();  // waits for all
      give_orders_up(error);
    }
  }
  // Threads collect the lists then. Rethrows where nothing can be done with the GPU any more.
  void give_orders_up(const std::exception& error) {
    const auto* const of_gpu = dynamic_cast<const GpuError*>(&error);
    if (of_gpu != nullptr && of_gpu->is_lost) throw;
    drop_orders();
  }
  void drop_orders() {
    for (const auto& gpu : gpus_) {
      gpu->own_tables.held = {};
      gpu->order.reset();
    }
  }
  // Drops the orders where passes of the merge have made other runs of those that the GPUs hold.
  void use_orders(const BatchMergeSource& source) {
    if (!gpus_.front()->order->is_of(source.inputs)) return drop_orders();
    try {
      for (const auto& gpu : gpus_) {
        CudaOrderExecutor executor(gpu->gpu, 0);
        TermOrderMaker<CudaOrderExecutor>::set_inputs(executor, source.inputs, *gpu->order);
        gpu->own_tables.held = gpu->order->order();
      }
      is_held_ = true;
    } catch (const std::exception& error) {
      give_orders_up(error);
    }
  }
  // For arenas: the tables are made later.
  std::size_t usable_bytes(int gpu) const {
    const std::size_t bytes = options_.device_bytes != 0 ? options_.device_bytes : free_device_bytes(gpu) / 5 * 4;
    return bytes - std::min(bytes, TableCopier::most_bytes(options_.document_count));
  }
  // With up to `most` arenas in `usable` bytes: a lane has one until its lists are on the host.
  std::unique_ptr<MergingGpu> make_gpu(int gpu, const BatchLimits& limits, unsigned most, std::size_t usable) const {
    cuda_check(cudaSetDevice(gpu));
    cuda_check(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    const BatchSize largest = limits.largest();
    const std::size_t bytes = batch_memory_bytes(largest, CudaBatchExecutor::scratch_bytes(largest));
    const std::size_t fit = usable / bytes;
    if (fit == 0 || (fit < most && !options_.takes_less)) {
      throw GpuMemoryError("lists to merge take " + std::to_string(bytes >> 20) + " MiB of device memory, and " +
                           std::to_string(usable >> 20) + " MiB may be used");
    }
    std::vector<DeviceBuffer> arenas;
    arenas.emplace_back(gpu, bytes);
    try {
      while (arenas.size() < std::min<std::size_t>(most, fit)) arenas.emplace_back(gpu, bytes);
    } catch (const GpuMemoryError&) {
      if (!options_.takes_less) throw;
    }
    const std::size_t all_bytes = arenas.size() * bytes;
    return std::make_unique<MergingGpu>(gpu, std::move(arenas), all_bytes);
  }

  MemoryBudget& budget_;
  GpuBatchOptions options_;
  bool is_held_ = false;
  std::size_t usable_for_large_ = 0;  // device bytes
  std::vector<std::unique_ptr<MergingGpu>> gpus_;
  PinnedBuffer pinned_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BatchLane>> lanes_;
  std::unique_ptr<MergingGpu> large_gpu_;
  PinnedBuffer large_pinned_;
  LargeLane large_;
};

}  // namespace

std::unique_ptr<BatchLanes> make_gpu_batch_lanes(const GpuBatchOptions& options, MemoryBudget& budget) {
  if (options.gpus.empty() || options.lanes == 0) return nullptr;
  return std::make_unique<GpuBatchLanes>(options, budget);
}

}  // namespace spillway
