// The GPU that visits run on: one stream, turns of a share of the arena, staging buffers of pinned memory. For members
// without a comment see HostExecutor.
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <cub/device/device_scan.cuh>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/arena_share.hpp"
#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/layout.hpp"
#include "indexer/gpu/pipeline/pinned_registry.hpp"
#include "indexer/gpu/steps/keys.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/interface/record_sorter.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

template <typename Step>
__global__ void step_kernel(std::size_t count, Step step) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) step(i);
}

inline constexpr unsigned kReduceThreads = 256, kMostReduceBlocks = 2048;

// Each block adds up its share.
template <typename Step, typename Sum, typename Value>
__global__ void reduce_kernel(std::size_t count, Step step, Sum sum, Value* totals) {
  __shared__ Value s_totals[kReduceThreads];
  const std::size_t threads = std::size_t{gridDim.x} * kReduceThreads;
  Value total{};
  for (std::size_t i = std::size_t{blockIdx.x} * kReduceThreads + threadIdx.x; i < count; i += threads) {
    total = sum(total, step(i));
  }
  s_totals[threadIdx.x] = total;
  for (unsigned half = kReduceThreads / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) s_totals[threadIdx.x] = sum(s_totals[threadIdx.x], s_totals[threadIdx.x + half]);
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = s_totals[0];
}

template <typename Value>
struct LoadValue {
  const Value* values;
  __device__ Value operator()(std::size_t i) const { return values[i]; }
};

struct CudaExecutorSetup {
  int gpu = 0;
  ArenaShare& share;                  // on that GPU
  std::size_t staging_bytes = 0;      // pinned; paid by the caller
  const DeviceRecordSorter* records;  // null where blocks need none (ChunkForm::kTokens)
  const DeviceStringSorter& strings;
  PinnedRegistry& slabs;  // of all machines
  MemoryBudget& budget;
};

class CudaExecutor {
 public:
  // What staging buffers must hold at least.
  static constexpr std::size_t kMinStagingBytes = std::size_t{1} << 20;

  explicit CudaExecutor(const CudaExecutorSetup& setup)
      : setup_(setup), stream_(setup.gpu), staging_(setup.staging_bytes), values_(kValueBytes) {}
  ~CudaExecutor() { abandon(); }
  CudaExecutor(const CudaExecutor&) = delete;
  CudaExecutor& operator=(const CudaExecutor&) = delete;

  ArenaShare& share() const { return setup_.share; }
  PassScratch scratch(const BlockPassSize& size) const { return scratch_of(size, setup_.records, setup_.strings); }
  static PassScratch scratch_of(const BlockPassSize& size, const DeviceRecordSorter* records,
                                const DeviceStringSorter& strings) {
    const std::size_t groups = size.occurrences / kGroupKeys + 2;
    return {strings.scratch_bytes(size.strings, size.string_bytes),
            records == nullptr ? 0 : records->scratch_bytes(size.occurrences, {0, 64}),
            std::max({kMostReduceBlocks * sizeof(TokenSums),
                      exclusive_scan_bytes<RawCounts, RawCounts, AddRawCounts>(raw_groups(size.token_bytes) + 1),
                      exclusive_scan_bytes<std::uint16_t, std::uint64_t, Add<std::uint64_t>>(size.strings + 1),
                      exclusive_scan_bytes<std::uint64_t, std::uint64_t, Add<std::uint64_t>>(size.strings + 1),
                      exclusive_scan_bytes<GroupSums, GroupSums, AddGroupSums>(groups),
                      inclusive_scan_bytes<std::uint32_t, std::uint32_t, Add<std::uint32_t>>(
                          std::max(size.strings, size.documents))})};
  }

  void start() {
    stream_.make_current();
    staged_ = 0;
  }
  void mark(PassMark mark) { marks_[static_cast<std::size_t>(mark)].record(stream_); }

  // Packs piece by piece, on all threads of the arena, while the pieces before are copied.
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    const std::size_t piece_bytes = staging_.size() / kPieces / kPackBytes * kPackBytes;
    for (std::size_t begin = 0; begin < bytes; begin += piece_bytes) {
      const std::size_t piece = staged_ % kPieces;
      if (staged_ >= kPieces) copied_[piece].synchronize();
      const std::size_t end = std::min(bytes, begin + piece_bytes);
      std::uint8_t* const from = staging_.data() + piece * piece_bytes;
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, (end - begin + kPackBytes - 1) / kPackBytes, 1),
                        [&](const tbb::blocked_range<std::size_t>& range) {
                          const std::size_t first = begin + range.begin() * kPackBytes;
                          const std::size_t last = std::min(end, begin + range.end() * kPackBytes);
                          pack(first, std::span(from + (first - begin), last - first));
                        });
      copy_to_device(to + begin, from, end - begin, stream_.handle());
      copied_[piece].record(stream_);
      ++staged_;
    }
  }
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t> slab) {
    if (!setup_.slabs.lock(slab, setup_.gpu)) return false;
    copy_to_device(to, from.data(), from.size(), stream_.handle());
    return true;
  }
  void clear(std::uint8_t* at, std::size_t bytes) { cuda_check(cudaMemsetAsync(at, 0, bytes, stream_.handle())); }
  template <typename T>
  T fetch(const T* from) {
    static_assert(sizeof(T) <= kValueBytes);
    copy_to_host(values_.data(), from, sizeof(T), stream_.handle());
    fetched_.record(stream_);
    fetched_.synchronize();
    T value;
    std::memcpy(&value, values_.data(), sizeof(T));
    return value;
  }

  template <typename Step>
  void for_each(std::size_t count, const Step& step) {
    constexpr unsigned kThreads = 256;
    if (count == 0) return;
    count_gpu_call();
    step_kernel<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream_.handle()>>>(count,
                                                                                                             step);
    check_launch();
  }
  template <typename From, typename To, typename Sum>
  void exclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t> scratch) {
    std::size_t bytes = scratch.size();
    if (count != 0) {
      cuda_check(cub::DeviceScan::ExclusiveScan(scratch.data(), bytes, from, to, sum, To{}, count, stream_.handle()));
    }
  }
  template <typename From, typename To, typename Sum>
  void inclusive_scan(const From* from, To* to, std::size_t count, Sum sum, std::span<std::uint8_t> scratch) {
    std::size_t bytes = scratch.size();
    if (count != 0) {
      cuda_check(cub::DeviceScan::InclusiveScan(scratch.data(), bytes, from, to, sum, count, stream_.handle()));
    }
  }

  template <typename Value, typename Step, typename Sum>
  void reduce(std::size_t count, const Step& step, Sum sum, Value* to, std::span<std::uint8_t> scratch) {
    Value* const totals = reinterpret_cast<Value*>(scratch.data());
    const std::size_t most = scratch.size() / sizeof(Value);
    const auto blocks = static_cast<unsigned>(
        std::min<std::size_t>({(count + kReduceThreads - 1) / kReduceThreads, most, kMostReduceBlocks}));
    if (blocks != 0) reduce_into(blocks, count, step, sum, totals);
    reduce_into(1, blocks, LoadValue<Value>{totals}, sum, to);
  }

  void sort_strings(const std::uint8_t* text, const std::uint64_t* offsets, std::uint32_t count, std::size_t text_bytes,
                    std::uint32_t* order, std::span<std::uint8_t> scratch) {
    setup_.strings.sort({text, offsets, count, text_bytes}, order, nullptr, scratch.data(), stream_.handle());
  }
  bool sorts_stably() const { return setup_.records->stable(); }
  const std::uint64_t* sort_keys(std::uint64_t* keys, std::size_t count, BitRange bits,
                                 std::span<std::uint8_t> scratch) {
    return setup_.records->sort(keys, count, bits, scratch.data(), stream_.handle());
  }

  // Into the staging buffers, whose uploads are done before, where it fits them; else into memory of its own, through
  // them, when it is waited for.
  void begin_download(const DownloadPieces& pieces, std::size_t bytes) {
    pieces_ = pieces;
    if (bytes <= staging_.size()) {
      for (const DownloadPiece& piece : pieces) {
        copy_to_host(staging_.data() + piece.host_offset, piece.device, piece.bytes, stream_.handle());
      }
      return;
    }
    auto reservation = reserve_lists(bytes);
    if (!reservation)
      throw GpuMemoryError("--memory has no " + std::to_string(bytes) + " bytes left for the lists of a block");
    result_ = Buffer(std::move(*reservation), bytes);
  }
  const std::uint8_t* finish_download() {
    stream_.make_current();
    if (result_.size() != 0) {
      for (const DownloadPiece& piece : pieces_) download(piece);
      mark(PassMark::kDownloaded);
    }
    marks_.back().synchronize();
    return result_.size() != 0 ? result_.data() : staging_.data();
  }
  PassSeconds seconds() const {
    PassSeconds seconds;
    for (std::size_t i = 0; i < kPassSteps; ++i) seconds[i] = marks_[i + 1].since_ms(marks_[i]) / 1000;
    return seconds;
  }
  void end() { result_ = {}; }
  void abandon() noexcept {
    try {
      stream_.make_current();
      // Not one of the calls that a test makes fail: nothing may go on. A lost device has nothing going on any more.
      static_cast<void>(cudaStreamSynchronize(stream_.handle()));
    } catch (const std::exception&) {
    }
    result_ = {};
  }

 private:
  // What other blocks hold, their lists above all, goes as they become runs: waits for it, for a while.
  std::optional<Reservation> reserve_lists(std::size_t bytes) {
    constexpr unsigned kTries = 40;
    constexpr std::chrono::milliseconds kPause{5};
    for (unsigned i = 0; i + 1 < kTries; ++i) {
      if (auto reservation = setup_.budget.try_reserve(bytes)) return reservation;
      std::this_thread::sleep_for(kPause);
    }
    return setup_.budget.try_reserve(bytes);
  }

  static constexpr std::size_t kPieces = 4;
  static constexpr std::size_t kPackBytes = std::size_t{64} << 10;  // that a thread packs at once
  static constexpr std::size_t kValueBytes = 64;

  template <typename From, typename To, typename Sum>
  static std::size_t exclusive_scan_bytes(std::size_t count) {
    std::size_t bytes = 0;
    cuda_check(cub::DeviceScan::ExclusiveScan(nullptr, bytes, static_cast<const From*>(nullptr),
                                              static_cast<To*>(nullptr), Sum{}, To{}, count, cudaStream_t{}));
    return bytes;
  }
  template <typename From, typename To, typename Sum>
  static std::size_t inclusive_scan_bytes(std::size_t count) {
    std::size_t bytes = 0;
    cuda_check(cub::DeviceScan::InclusiveScan(nullptr, bytes, static_cast<const From*>(nullptr),
                                              static_cast<To*>(nullptr), Sum{}, count, cudaStream_t{}));
    return bytes;
  }

  template <typename Value, typename Step, typename Sum>
  void reduce_into(unsigned blocks, std::size_t count, const Step& step, Sum sum, Value* totals) {
    count_gpu_call();
    reduce_kernel<<<blocks, kReduceThreads, 0, stream_.handle()>>>(count, step, sum, totals);
    check_launch();
  }

  // One half of the staging buffer is filled while the other is emptied.
  void download(const DownloadPiece& piece) {
    const std::size_t half = staging_.size() / 2;
    const std::size_t count = (piece.bytes + half - 1) / half;
    const auto bytes_of = [&](std::size_t i) { return std::min(half, piece.bytes - i * half); };
    for (std::size_t i = 0; i <= count; ++i) {
      if (i < count) {
        copy_to_host(staging_.data() + i % 2 * half, piece.device + i * half, bytes_of(i), stream_.handle());
        copied_[i % 2].record(stream_);
      }
      if (i == 0) continue;
      copied_[(i - 1) % 2].synchronize();
      copy_out(staging_.data() + (i - 1) % 2 * half, result_.data() + piece.host_offset + (i - 1) * half,
               bytes_of(i - 1));
    }
  }
  static void copy_out(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bytes, kPackBytes),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        std::memcpy(to + range.begin(), from + range.begin(), range.size());
                      });
  }

  const CudaExecutorSetup setup_;
  GpuStream stream_;
  PinnedBuffer staging_, values_;
  std::array<GpuEvent, kPieces> copied_;  // the copy out of a piece of the staging buffer
  std::array<GpuEvent, kPassMarks> marks_;
  GpuEvent fetched_;
  std::size_t staged_ = 0;  // pieces, of this visit
  DownloadPieces pieces_{};
  Buffer result_;
};

}  // namespace spillway
