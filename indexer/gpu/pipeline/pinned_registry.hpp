// The regions of pinned slots (indexer/chunk/pinned_slot_pool.hpp), and which of them are page-locked, so that GPUs
// copy from them. To lock one takes 1 to 5 ms, and the driver locks one after the other. When GPUs have started, the
// regions of all blocks that waited for them are to be locked at once.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "indexer/chunk/parsed_chunk.hpp"

namespace spillway {

// Says what a lane does while another one locks regions.
enum class LockTurn : std::uint8_t {
  kWait,  // it waits: with one GPU and 16 threads, packing gained nothing
  kPack   // it packs the chunks whose regions are not locked: with two, source code took 12 % less time
};

// Thread-safe. The regions live longer.
class PinnedRegistry {
 public:
  // Locks a region for all GPUs until the result is destroyed; null where the system does not let it be locked.
  // GpuError.
  using Lock = std::function<std::shared_ptr<void>(std::span<std::uint8_t> region, int gpu)>;
  explicit PinnedRegistry(LockTurn turn, Lock lock = lock_pages) : turn_(turn), lock_(std::move(lock)) {}
  PinnedRegistry(const PinnedRegistry&) = delete;
  PinnedRegistry& operator=(const PinnedRegistry&) = delete;

  // Locks the regions of a block's chunks, which are all locked afterwards, or refused, with kWait. Lanes take turns,
  // so that no block is delayed by the next.
  void prepare(std::span<const ParsedChunk> chunks, int gpu);
  // Whether GPUs copy from the region.
  bool is_locked(std::span<const std::uint8_t> region);

 private:
  struct Region {
    std::shared_ptr<void> memory;  // guarded by locking_
    std::atomic<bool> was_tried = false, is_locked = false;
  };
  static std::shared_ptr<void> lock_pages(std::span<std::uint8_t> region, int gpu);
  Region& find(std::span<const std::uint8_t> region);
  bool is_new(const ParsedChunk& chunk);

  const LockTurn turn_;
  const Lock lock_;
  std::mutex locking_;  // held while regions are locked
  std::mutex mutex_;
  std::map<const std::uint8_t*, Region> regions_;  // by their first byte
};

}  // namespace spillway
