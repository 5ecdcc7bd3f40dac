// Runs steps (indexer/gpu/steps) on a GPU, one after the other on a stream. The comments here are the contract of every
// executor of steps.
#pragma once

#include <algorithm>
#include <cstring>
#include <cub/device/device_scan.cuh>
#include <span>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/faults.hpp"
#include "sort/gpu/device/memory.hpp"
#include "sort/gpu/device/warp.cuh"

namespace spillway {

template <typename Step>
__global__ void step_kernel(std::size_t count, Step step) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) step(i);
}

// The threads of a warp as lanes (indexer/gpu/steps/lanes.hpp). The host only declares the members: kernels call them.
struct WarpLanes {
  static constexpr unsigned kCount = 32;
#ifdef __CUDA_ARCH__
  __device__ static unsigned lane() { return threadIdx.x % kCount; }
  __device__ static std::uint32_t sum(std::uint32_t value) { return warp_sum(value); }
  __device__ static std::uint32_t least(std::uint32_t value) { return warp_min(value); }
  __device__ static std::uint32_t most(std::uint32_t value) { return warp_max(value); }
  __device__ static std::uint32_t bits(std::uint32_t value) { return warp_bits(value); }
  __device__ static std::uint32_t count(bool is_true) {
    return static_cast<std::uint32_t>(__popc(__ballot_sync(~0u, is_true)));
  }
  template <typename IsSet>
  __device__ static std::uint64_t mask(const IsSet& is_set) {
    const std::uint64_t low = __ballot_sync(~0u, is_set(lane())), high = __ballot_sync(~0u, is_set(lane() + kCount));
    return low | high << kCount;
  }
#else
  static unsigned lane();
  static std::uint32_t sum(std::uint32_t value), least(std::uint32_t value), most(std::uint32_t value);
  static std::uint32_t bits(std::uint32_t value), count(bool is_true);
  template <typename IsSet>
  static std::uint64_t mask(const IsSet& is_set);
#endif
};

inline constexpr unsigned kLaneThreads = 256;

template <typename Step>
__global__ void lane_step_kernel(std::size_t count, Step step) {
  const std::size_t i = (std::size_t{blockIdx.x} * kLaneThreads + threadIdx.x) / WarpLanes::kCount;
  if (i < count) step(i, WarpLanes());
}

inline constexpr unsigned kReduceThreads = 256, kMostReduceBlocks = 2048;

// Each thread block adds up its share: totals[block] = the sum of step(i) over its i.
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

// Not thread-safe. All members throw GpuError.
class CudaSteps {
 public:
  explicit CudaSteps(int gpu) : stream_(gpu), values_(kValueBytes) {}

  void clear(std::uint8_t* at, std::size_t bytes) { cuda_check(cudaMemsetAsync(at, 0, bytes, stream_.handle())); }
  // The value at `from` in the arena, once everything before is done.
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

  // Calls step(i) for all i below `count`, in any order.
  template <typename Step>
  void for_each(std::size_t count, const Step& step) {
    constexpr unsigned kThreads = 256;
    if (count == 0) return;
    count_gpu_call();
    step_kernel<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream_.handle()>>>(count,
                                                                                                             step);
    check_launch();
  }
  // All threads of a warp call step(i, lanes) with the same i, for each i below `count`, in any order.
  template <typename Step>
  void for_each_in_lanes(std::size_t count, const Step& step) {
    constexpr std::size_t kSteps = kLaneThreads / WarpLanes::kCount;  // of a thread block
    if (count == 0) return;
    count_gpu_call();
    lane_step_kernel<<<static_cast<unsigned>((count + kSteps - 1) / kSteps), kLaneThreads, 0, stream_.handle()>>>(count,
                                                                                                                  step);
    check_launch();
  }
  // `from` and `to` may be the same array, also in inclusive_scan().
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

  // *to = the sum of step(i) over all i below `count`; Value{} for none.
  template <typename Value, typename Step, typename Sum>
  void reduce(std::size_t count, const Step& step, Sum sum, Value* to, std::span<std::uint8_t> scratch) {
    Value* const totals = reinterpret_cast<Value*>(scratch.data());
    const std::size_t most = scratch.size() / sizeof(Value);
    const auto blocks = static_cast<unsigned>(
        std::min<std::size_t>({(count + kReduceThreads - 1) / kReduceThreads, most, kMostReduceBlocks}));
    if (blocks != 0) reduce_into(blocks, count, step, sum, totals);
    add_up(blocks, totals, sum, to);
  }

  // The scratch that these scans need.
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

 protected:
  // *to = the sum of the totals of thread blocks.
  template <typename Value, typename Sum>
  void add_up(unsigned blocks, const Value* totals, Sum sum, Value* to) {
    reduce_into(1, blocks, LoadValue<Value>{totals}, sum, to);
  }

  GpuStream stream_;

 private:
  static constexpr std::size_t kValueBytes = 128;

  template <typename Value, typename Step, typename Sum>
  void reduce_into(unsigned blocks, std::size_t count, const Step& step, Sum sum, Value* totals) {
    count_gpu_call();
    reduce_kernel<<<blocks, kReduceThreads, 0, stream_.handle()>>>(count, step, sum, totals);
    check_launch();
  }

  PinnedBuffer values_;
  GpuEvent fetched_;
};

}  // namespace spillway
