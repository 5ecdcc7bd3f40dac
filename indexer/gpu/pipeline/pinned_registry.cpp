#include "indexer/gpu/pipeline/pinned_registry.hpp"

#include "sort/gpu/device/registered_memory.hpp"

namespace spillway {

void PinnedRegistry::prepare(std::span<const ParsedChunk> chunks, int gpu) {
  std::unique_lock turn(locking_, std::defer_lock);
  if (turn_ == LockTurn::kWait) turn.lock();
  if (!turn && !turn.try_lock()) return;
  for (const ParsedChunk& chunk : chunks) {
    const std::span<std::uint8_t> bytes = chunk.memory.region();
    if (bytes.empty()) continue;
    Region& region = find(bytes);
    if (region.was_tried) continue;
    region.memory = lock_(bytes, gpu);
    region.was_tried = true;
    region.is_locked = region.memory != nullptr;
  }
}

bool PinnedRegistry::is_locked(std::span<const std::uint8_t> region) { return find(region).is_locked; }

std::shared_ptr<void> PinnedRegistry::lock_pages(std::span<std::uint8_t> region, int gpu) {
  auto memory = std::make_shared<RegisteredMemory>(region, gpu);
  return memory->is_locked() ? std::move(memory) : nullptr;
}

PinnedRegistry::Region& PinnedRegistry::find(std::span<const std::uint8_t> region) {
  const std::lock_guard lock(mutex_);
  return regions_[region.data()];
}

}  // namespace spillway
