// Streams and device memory for sorts of data in host memory. Each sort takes a lane of the GPU with the fewest sorts
// under way, so that sorts at the same time use all GPUs, and lanes keep their memory for later sorts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "sort/gpu/device/error.hpp"
#include "sort/gpu/device/memory.hpp"

namespace spillway {

// Thread-safe; lives longer than the turns. Stream(gpu) and Memory(gpu, bytes) make the parts of a lane: GpuStream and
// DeviceBuffer, and others in tests.
template <typename Stream, typename Memory>
class SortLanes {
 public:
  // Requires: `gpus` is not empty. Free lanes of a GPU keep `most_kept_bytes` of device memory at most.
  SortLanes(const std::vector<int>& gpus, std::size_t most_kept_bytes)
      : most_kept_bytes_(most_kept_bytes), gpus_(gpus.size()) {
    for (std::size_t i = 0; i < gpus.size(); ++i) gpus_[i].id = gpus[i];
  }
  SortLanes(const SortLanes&) = delete;
  SortLanes& operator=(const SortLanes&) = delete;

  // A lane for one sort.
  class Turn {
   public:
    ~Turn() { lanes_.end(gpu_, is_done_ ? std::move(lane_) : nullptr); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    const Stream& stream() const { return lane_->stream; }
    // Returns device memory of at least `bytes`, whose contents are undefined. GpuMemoryError where the device has too
    // little even without what free lanes keep. Call once.
    Memory& memory(std::size_t bytes) {
      if (lane_->memory.size() < bytes) lane_->memory = lanes_.allocate(gpu_, bytes, std::exchange(lane_->memory, {}));
      return lane_->memory;
    }
    // The sort is over, all work on the stream is done: the lane may be used again. Otherwise it ends with the turn.
    void done() { is_done_ = true; }

   private:
    friend class SortLanes;
    struct Lane {
      explicit Lane(int gpu) : stream(gpu) {}
      Stream stream;
      Memory memory;
    };
    Turn(SortLanes& lanes, std::size_t gpu, std::unique_ptr<Lane> lane)
        : lanes_(lanes), gpu_(gpu), lane_(std::move(lane)) {}

    SortLanes& lanes_;
    const std::size_t gpu_;  // index
    std::unique_ptr<Lane> lane_;
    bool is_done_ = false;
  };

  // Takes the lowest of the GPUs with the fewest turns, among those with these ids; no ids: among all. GpuError where
  // there is none of them, or a stream cannot be made.
  Turn take(std::span<const int> among = {}) {
    std::unique_ptr<typename Turn::Lane> lane;
    std::size_t gpu = 0;
    {
      const std::lock_guard lock(mutex_);
      gpu = least_used(among);
      Gpu& least = gpus_[gpu];
      ++least.turns;
      if (!least.free.empty()) {
        lane = std::move(least.free.back());
        least.free.pop_back();
      }
    }
    try {
      if (lane == nullptr) lane = std::make_unique<typename Turn::Lane>(gpus_[gpu].id);
    } catch (...) {
      end(gpu, nullptr);
      throw;
    }
    return Turn(*this, gpu, std::move(lane));
  }

 private:
  using Lane = typename Turn::Lane;
  struct Gpu {
    int id = 0;
    std::size_t turns = 0;
    std::vector<std::unique_ptr<Lane>> free;
  };

  std::size_t least_used(std::span<const int> among) const {
    std::size_t least = gpus_.size();
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
      const bool is_among = among.empty() || std::ranges::find(among, gpus_[i].id) != among.end();
      if (is_among && (least == gpus_.size() || gpus_[i].turns < gpus_[least].turns)) least = i;
    }
    if (least == gpus_.size()) throw GpuError("none of the GPUs that a sort was given can be used");
    return least;
  }

  // `old` goes first.
  Memory allocate(std::size_t gpu, std::size_t bytes, Memory old) {
    old = Memory();
    try {
      return Memory(gpus_[gpu].id, bytes);
    } catch (const GpuMemoryError&) {
      if (!release(gpu)) throw;
    }
    return Memory(gpus_[gpu].id, bytes);
  }

  // Ends the free lanes of a GPU. Returns whether there were any.
  bool release(std::size_t gpu) {
    std::vector<std::unique_ptr<Lane>> ended;
    {
      const std::lock_guard lock(mutex_);
      ended = std::exchange(gpus_[gpu].free, {});
    }
    return !ended.empty();
  }

  // Keeps the lane, unless it is null.
  void end(std::size_t number, std::unique_ptr<Lane> lane) {
    Memory ended;  // without the lock
    const std::lock_guard lock(mutex_);
    Gpu& gpu = gpus_[number];
    --gpu.turns;
    if (lane == nullptr) return;
    std::size_t kept = lane->memory.size();
    for (const auto& other : gpu.free) kept += other->memory.size();
    if (kept > most_kept_bytes_) ended = std::exchange(lane->memory, {});
    gpu.free.push_back(std::move(lane));
  }

  const std::size_t most_kept_bytes_;
  std::mutex mutex_;
  std::vector<Gpu> gpus_;  // ids never change
};

// The lanes of this process, on all usable GPUs. GpuError with the reason where there is none.
using GpuSortLanes = SortLanes<GpuStream, DeviceBuffer>;
GpuSortLanes& gpu_sort_lanes();

}  // namespace spillway
