// The slabs of chunks (indexer/chunk/pinned_slot_pool.hpp) that GPUs copy from: each is page-locked when the first
// chunk in it goes up.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "sort/gpu/device/registered_memory.hpp"

namespace spillway {

// Thread-safe. The slabs live longer.
class PinnedRegistry {
 public:
  // False where the system does not let it be locked.
  bool lock(std::span<std::uint8_t> slab, int gpu) {
    const std::lock_guard lock(mutex_);
    std::unique_ptr<RegisteredMemory>& memory = slabs_[slab.data()];
    if (memory == nullptr) memory = std::make_unique<RegisteredMemory>(slab, gpu);
    return memory->is_locked();
  }

 private:
  std::mutex mutex_;
  std::map<const std::uint8_t*, std::unique_ptr<RegisteredMemory>> slabs_;  // by their first byte
};

}  // namespace spillway
