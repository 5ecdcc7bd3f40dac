// Runs block passes on a GPU: one stream, an arena of those that the executors of a GPU share, and a staging buffer of
// pinned memory. The comments here are the contract of every executor.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "indexer/gpu/pipeline/block_packer.hpp"
#include "indexer/gpu/pipeline/compact_tokens.cuh"
#include "indexer/gpu/pipeline/cuda_steps.cuh"
#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/fold_keys.cuh"
#include "indexer/gpu/pipeline/layout.hpp"
#include "indexer/gpu/pipeline/parallel_copy.hpp"
#include "indexer/gpu/pipeline/pinned_registry.hpp"
#include "indexer/gpu/pipeline/staying_rule.hpp"
#include "indexer/gpu/pipeline/sum_tokens.cuh"
#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/gpu/steps/keys.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// Gives out the memory of a GPU for lists that stay there. It is allocated in large pieces, so that few are to be given
// back after the merge. Thread-safe.
class HeldMemory {
 public:
  // Gives out at most `bytes` bytes.
  HeldMemory(int gpu, std::size_t bytes) : gpu_(gpu), free_bytes_(bytes) {}

  // Returns `bytes` bytes, which outlive this object. Null where they have no room: then no others have.
  std::shared_ptr<std::uint8_t> take(std::size_t bytes) {
    bytes = device_aligned(bytes);
    const std::lock_guard lock(mutex_);
    if (bytes > piece_bytes_ && !take_piece(bytes)) return nullptr;
    std::shared_ptr<std::uint8_t> taken(piece_, piece_.get() + used_);
    used_ += bytes;
    piece_bytes_ -= bytes;
    return taken;
  }
  // The lists of one block are of no use without those of the others.
  void give_up() noexcept {
    const std::lock_guard lock(mutex_);
    piece_.reset();
    piece_bytes_ = free_bytes_ = 0;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{1} << 30;

  bool take_piece(std::size_t least) {
    const std::size_t bytes = std::max(least, std::min(kPieceBytes, free_bytes_));
    piece_.reset();
    piece_bytes_ = used_ = 0;
    try {
      if (bytes <= free_bytes_) piece_ = shared_device_memory(gpu_, bytes);
    } catch (const GpuMemoryError&) {  // others have the memory
    }
    if (piece_ == nullptr) {
      free_bytes_ = 0;
      return false;
    }
    free_bytes_ -= bytes;
    piece_bytes_ = bytes;
    return true;
  }

  const int gpu_;
  std::mutex mutex_;
  std::size_t free_bytes_;
  std::shared_ptr<std::uint8_t> piece_;
  std::size_t used_ = 0, piece_bytes_ = 0;  // piece_bytes_: left of the piece
};

// The executors of a GPU share this.
struct SharedGpu {
  SharedGpu(int gpu, std::vector<DeviceBuffer> memory, std::size_t bytes_to_hold, const StayingRule& staying_lists)
      : arenas(std::move(memory)), held(gpu, bytes_to_hold), staying(staying_lists) {}
  ArenaPool<DeviceBuffer> arenas;
  HeldMemory held;
  const StayingRule staying;
  // Blocks go up one after the other, so that the first of them is not delayed by the next: whoever has the mutex
  // enqueues copies that begin after `uploaded`, and records it again after them.
  std::mutex upload_turn;
  GpuEvent uploaded;
};

struct CudaExecutorSetup {
  int gpu = 0;
  std::shared_ptr<SharedGpu> shared;  // by the executors on that GPU
  std::size_t staging_bytes = 0;      // pinned, at most
  const DeviceRecordSorter& records;
  const DeviceStringSorter& strings;
  std::shared_ptr<PinnedRegistry> pinned;  // of all executors
  MemoryBudget& budget;                    // pays for the staging buffer and for lists that do not fit it
};

class CudaExecutor : public CudaSteps {
 public:
  // The smallest staging buffer.
  static constexpr std::size_t kMinStagingBytes = std::size_t{1} << 20;

  explicit CudaExecutor(const CudaExecutorSetup& setup)
      : CudaSteps(setup.gpu),
        setup_(setup),
        most_staging_bytes_(setup.staging_bytes),
        staging_memory_(setup.budget.reserve(setup.staging_bytes, "the staging buffer of a GPU")) {}
  ~CudaExecutor() { abandon(); }
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  // Makes ready what a pass over the block needs besides an arena: page-locks the slots of its chunks, as the registry
  // lets it. The first call allocates the staging buffer, so that the first block does not wait for those of all
  // executors. It is small, and grows when lists come down that are larger: with three of 176 MiB, the first block
  // waited 0.03 to 0.06 s for their pages (16 processors, which parsed meanwhile), and lists of 30 MB followed.
  void prepare(const BlockPacker& packer) {
    stream_.make_current();
    if (staging_.size() == 0) allocate_staging(std::min(most_staging_bytes_, kFirstStagingBytes));
    setup_.pinned->prepare(packer.chunks(), setup_.gpu);
  }
  // Waits for an arena, which the executor has until give_arena_back().
  void take_arena() { arena_ = setup_.shared->arenas.take(); }
  void give_arena_back() { arena_.reset(); }
  const DeviceBuffer& arena() const { return *arena_; }
  // The scratch that a pass over blocks of this size needs.
  PassScratch scratch(const BlockPassSize& size) const { return scratch_of(size, setup_.records, setup_.strings); }
  static PassScratch scratch_of(const BlockPassSize& size, const DeviceRecordSorter& records,
                                const DeviceStringSorter& strings) {
    const std::size_t groups = size.occurrences / kGroupKeys + 2;
    const std::uint64_t slots = size.token_bytes == 0 ? 0 : token_table_slots(size.occurrences);
    return {strings.scratch_bytes(size.strings, size.string_bytes),
            slots == 0 ? 0 : strings.scratch_bytes(slots, size.string_bytes),
            records.scratch_bytes(size.occurrences, {0, 64}),
            std::max({kMostReduceBlocks * sizeof(TokenSums),
                      exclusive_scan_bytes<RawCounts, RawCounts, AddRawCounts>(
                          std::max<std::size_t>(raw_groups(size.token_bytes), slots) + 1),
                      exclusive_scan_bytes<std::uint16_t, std::uint64_t, Add<std::uint64_t>>(size.strings + 1),
                      exclusive_scan_bytes<std::uint64_t, std::uint64_t, Add<std::uint64_t>>(size.strings + 1),
                      exclusive_scan_bytes<GroupSums, GroupSums, AddGroupSums>(groups),
                      inclusive_scan_bytes<std::uint8_t, std::uint32_t, Add<std::uint32_t>>(size.strings),
                      inclusive_scan_bytes<std::uint32_t, std::uint32_t, Add<std::uint32_t>>(size.documents)})};
  }

  // Begins a pass. The calling thread goes on with it to its end.
  void start() {
    stream_.make_current();
    staged_ = 0;
  }
  // Calls upload(), which enqueues the uploads of a pass. They begin after those of the pass before on this GPU.
  template <typename Upload>
  void upload_in_turn(const Upload& upload) {
    const std::lock_guard turn(setup_.shared->upload_turn);
    stream_.wait_for(setup_.shared->uploaded);
    mark(PassMark::kBegin);
    upload();
    setup_.shared->uploaded.record(stream_);
  }
  // Notes the time when everything before is done.
  void mark(PassMark mark) { marks_[static_cast<std::size_t>(mark)].record(stream_); }

  // Fills `bytes` bytes of the arena from `to` on: pack(begin, range) gives the bytes of any range. Packs a quarter of
  // the staging buffer at a time, on all threads of the TBB arena, while the quarters before are copied.
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    const std::size_t quarter_bytes = staging_.size() / kQuarters / kPackBytes * kPackBytes;
    for (std::size_t begin = 0; begin < bytes; begin += quarter_bytes) {
      const std::size_t quarter = staged_ % kQuarters;
      if (staged_ >= kQuarters) copied_[quarter].synchronize();
      const std::size_t end = std::min(bytes, begin + quarter_bytes);
      std::uint8_t* const from = staging_.data() + quarter * quarter_bytes;
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, (end - begin + kPackBytes - 1) / kPackBytes, 1),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          const std::size_t first = begin + range.begin() * kPackBytes;
                          const std::size_t last = std::min(end, begin + range.end() * kPackBytes);
                          pack(first, std::span(from + (first - begin), last - first));
                        });
      copy_to_device(to + begin, from, end - begin, stream_.handle());
      copied_[quarter].record(stream_);
      ++staged_;
    }
  }
  // Copies bytes of a pinned slot to the arena without packing them. False where the slot's region is not locked: then
  // they are to be packed.
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t> region) {
    if (!setup_.pinned->is_locked(region)) return false;
    copy_to_device(to, from.data(), from.size(), stream_.handle());
    return true;
  }
  // Calls step(g) for all its groups.
  void compact(const CompactTokens& step) {
    if (step.groups == 0) return;
    count_gpu_call();
    const auto blocks = static_cast<unsigned>((step.groups + kCompactedGroups - 1) / kCompactedGroups);
    compact_tokens_kernel<<<blocks, kCompactedGroups, 0, stream_.handle()>>>(step);
    check_launch();
  }
  // *to = the sum of step(g) over all g below `groups`; fills step.token_slots, and the table, where step finds terms.
  void sum_tokens(std::size_t groups, const SumTokens& step, TokenSums* to, std::span<std::uint8_t> scratch) {
    auto* const totals = reinterpret_cast<TokenSums*>(scratch.data());
    const auto blocks = static_cast<unsigned>(
        std::min<std::size_t>((groups + TokenTile::kThreads - 1) / TokenTile::kThreads, kMostReduceBlocks));
    if (blocks != 0) {
      count_gpu_call();
      sum_tokens_kernel<<<blocks, TokenTile::kThreads, 0, stream_.handle()>>>(step, groups, totals);
      check_launch();
    }
    add_up(blocks, totals, AddTokenSums{}, to);
  }
  // Calls step(g) for all g below `groups`.
  template <typename Keys>
  void measure_groups(std::size_t groups, const MeasureGroup<Keys>& step) {
    count_gpu_call();
    measure_groups_kernel<<<fold_blocks(groups), kFoldThreads, 0, stream_.handle()>>>(step, groups);
    check_launch();
  }
  // The same. Requires: `groups` are all groups, but at least 1.
  template <typename Keys>
  void write_groups(std::size_t groups, const WriteGroup<Keys>& step) {
    count_gpu_call();
    write_groups_kernel<<<fold_blocks(groups), kFoldThreads, 0, stream_.handle()>>>(step, groups);
    check_launch();
  }
  void sort_strings(const DeviceStrings& strings, const MarkedOrder& out, std::span<std::uint8_t> scratch) {
    setup_.strings.sort_and_mark(strings, out, scratch.data(), stream_.handle());
  }
  // Returns whether sort_keys() keeps the order of equal keys.
  bool sorts_stably() const { return setup_.records.stable(); }
  // Returns where the sorted keys are.
  std::uint64_t* sort_keys(std::uint64_t* keys, std::size_t count, BitRange bits, std::span<std::uint8_t> scratch) {
    return setup_.records.sort(keys, count, bits, scratch.data(), stream_.handle());
  }

  // Copies the arrays to the host and waits for them: into the staging buffer, whose uploads are done, where it can
  // grow to hold them; else through it into memory of the budget, which other blocks' lists may still hold.
  // GpuMemoryError where there is none.
  Download download(const DownloadedArrays& arrays, std::size_t bytes) {
    Buffer memory;
    grow_staging(bytes);
    if (bytes <= staging_.size()) {
      for (const DownloadedArray& array : arrays) {
        copy_to_host(staging_.data() + array.host_offset, array.device, array.bytes, stream_.handle());
      }
    } else {
      memory = reserve_lists(bytes);
      for (const DownloadedArray& array : arrays) download(array, memory.data() + array.host_offset);
    }
    mark(PassMark::kDownloaded);
    marks_.back().synchronize();
    const std::uint8_t* const data = memory.size() == 0 ? staging_.data() : memory.data();
    return {data, std::move(memory)};
  }
  // Copies the arrays, as download() places them, to memory of their own of `bytes` bytes, which outlives the executor:
  // they are there when download() returns. Null where the lists of the GPU have no room.
  std::shared_ptr<std::uint8_t> hold(const DownloadedArrays& arrays, std::size_t bytes) {
    std::shared_ptr<std::uint8_t> memory = setup_.shared->held.take(bytes);
    if (memory == nullptr) return nullptr;
    for (const DownloadedArray& array : arrays) {
      if (array.bytes == 0) continue;
      copy_on_device(memory.get() + array.host_offset, array.device, array.bytes, stream_.handle());
    }
    return memory;
  }
  void hold_no_more() noexcept { setup_.shared->held.give_up(); }
  // Whether the host gets no copy of the lists of a block, if they are held.
  bool lists_stay(std::uint64_t postings, std::uint64_t occurrences) const {
    return setup_.shared->staying.lets_stay(postings, occurrences);
  }
  // Returns DeviceLists::bring_down.
  auto bringer() const {
    return [gpu = setup_.gpu](const std::uint8_t* from, std::uint8_t* to, std::size_t bytes,
                              std::span<std::uint8_t> staging) {
      const GpuStream stream(gpu);
      stream.make_current();
      if (staging.size() >= StagedCopy::memory_bytes(1)) {
        StagedCopy(staging, stream).down(from, bytes, [to](std::span<const std::uint8_t> staged, std::size_t at) {
          std::memcpy(to + at, staged.data(), staged.size());
        });
        return;
      }
      copy_to_host(to, from, bytes, stream.handle());
      stream.synchronize();
    };
  }
  // Returns memory of the budget, which other blocks' lists may still hold. GpuMemoryError where there is none.
  Buffer reserve_lists(std::size_t bytes) {
    constexpr std::chrono::milliseconds kPatience{200};
    auto reservation = setup_.budget.try_reserve(bytes, kPatience, "lists from GPUs");
    if (reservation) return Buffer(std::move(*reservation), bytes);
    throw GpuMemoryError("--memory has no " + std::to_string(bytes) + " bytes left for the lists of a block");
  }
  // Returns the time that each step of the pass took. Requires: download() was called.
  PassSeconds seconds() const {
    PassSeconds seconds;
    for (std::size_t i = 0; i < kPassSteps; ++i) seconds[i] = marks_[i + 1].since_ms(marks_[i]) / 1000;
    return seconds;
  }
  // Waits until nothing of a pass that failed is going on.
  void abandon() noexcept {
    try {
      stream_.make_current();
      // Called directly, so that no test makes it fail: afterwards the GPU must be idle. A lost device is idle anyway.
      static_cast<void>(cudaStreamSynchronize(stream_.handle()));
    } catch (const std::exception&) {
    }
  }

 private:
  static constexpr std::size_t kQuarters = 4;
  static constexpr std::size_t kFirstStagingBytes = std::size_t{32} << 20;
  static constexpr std::size_t kPackBytes = std::size_t{64} << 10;  // that a thread packs at once

  static unsigned fold_blocks(std::size_t groups) {
    return static_cast<unsigned>((groups + kFoldThreads - 1) / kFoldThreads);
  }
  // No later block could be prepared either, so this is no want of memory for one block.
  void allocate_staging(std::size_t bytes) {
    try {
      staging_ = PinnedBuffer(bytes);
    } catch (const GpuMemoryError& error) {
      throw GpuError(error.what(), error.is_lost);
    }
  }
  // Makes room for `bytes` bytes, or as much as the executor may have. Where the system does not lock more memory, the
  // buffer stays as it was.
  void grow_staging(std::size_t bytes) {
    const std::size_t before = staging_.size();
    if (bytes <= before || before == most_staging_bytes_) return;
    staging_ = PinnedBuffer();  // never both: the budget pays for one
    try {
      staging_ = PinnedBuffer(std::min(most_staging_bytes_, bytes + bytes / 4));
    } catch (const GpuMemoryError&) {
      most_staging_bytes_ = before;
      allocate_staging(before);
    }
  }
  // Fills one half of the staging buffer while the other is emptied.
  void download(const DownloadedArray& array, std::uint8_t* to) {
    const std::size_t half = staging_.size() / 2;
    const std::size_t count = (array.bytes + half - 1) / half;
    const auto bytes_of = [&](std::size_t i) { return std::min(half, array.bytes - i * half); };
    for (std::size_t i = 0; i <= count; ++i) {
      if (i < count) {
        copy_to_host(staging_.data() + i % 2 * half, array.device + i * half, bytes_of(i), stream_.handle());
        copied_[i % 2].record(stream_);
      }
      if (i == 0) continue;
      copied_[(i - 1) % 2].synchronize();
      copy_in_parallel(staging_.data() + (i - 1) % 2 * half, to + (i - 1) * half, bytes_of(i - 1));
    }
  }

  const CudaExecutorSetup setup_;
  ArenaPool<DeviceBuffer>::Turn arena_;
  std::size_t most_staging_bytes_;
  Reservation staging_memory_;
  PinnedBuffer staging_;
  std::array<GpuEvent, kQuarters> copied_;  // the last copy out of each quarter of the staging buffer
  std::array<GpuEvent, kPassMarks> marks_;
  std::size_t staged_ = 0;  // quarters that were filled in this pass
};

}  // namespace spillway
