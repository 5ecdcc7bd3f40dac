// Brings a few counters from a kernel to the host sooner than a copy and a wait for the stream would.
#pragma once

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/memory.hpp"

namespace spillway {

// One warp writes the counters to pinned host memory and then `number`, which announces them.
template <typename Counters>
__global__ void show_counters_kernel(const Counters* d_counters, std::uint32_t number, std::uint32_t* h_words) {
  constexpr unsigned kWords = sizeof(Counters) / sizeof(std::uint32_t);
  static_assert(kWords <= 32);
  volatile std::uint32_t* const words = h_words;
  if (threadIdx.x < kWords) words[threadIdx.x] = reinterpret_cast<const std::uint32_t*>(d_counters)[threadIdx.x];
  __threadfence_system();
  __syncwarp();
  if (threadIdx.x == 0) words[kWords] = number;
}

// Each thread that sorts has its own. All members throw GpuError.
template <typename Counters>
class CounterMailbox {
  static constexpr unsigned kWords = sizeof(Counters) / sizeof(std::uint32_t);

 public:
  // Polls `quick_looks` times without sleeping: 2^11 polls take about 100 us.
  explicit CounterMailbox(unsigned quick_looks) : quick_looks_(quick_looks) {
    std::memset(memory_.data(), 0, memory_.size());
  }

  Counters read(const Counters* d_counters, GpuStreamHandle stream) {
    auto* const h_words = reinterpret_cast<std::uint32_t*>(memory_.data());
    show_counters_kernel<<<1, 32, 0, stream>>>(d_counters, ++number_, h_words);
    check_launch();
    const std::atomic_ref<std::uint32_t> shown(h_words[kWords]);
    for (unsigned looks = 1; shown.load(std::memory_order_acquire) != number_; ++looks) {
      if (looks < quick_looks_) {
        __builtin_ia32_pause();
        continue;
      }
      // From here on the processors have other work.
      std::this_thread::sleep_for(kPause);
      if (cudaStreamQuery(stream) != cudaErrorNotReady)
        cuda_check(cudaStreamSynchronize(stream));  // throws the error of the work
    }
    Counters counters;
    std::memcpy(&counters, h_words, sizeof counters);
    return counters;
  }

 private:
  static constexpr std::chrono::microseconds kPause{20};
  PinnedBuffer memory_{sizeof(Counters) + sizeof(std::uint32_t)};
  unsigned quick_looks_;
  std::uint32_t number_ = 0;
};

}  // namespace spillway
