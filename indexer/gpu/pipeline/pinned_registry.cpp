#include "indexer/gpu/pipeline/pinned_registry.hpp"

#include <algorithm>

#include "sort/gpu/device/registered_memory.hpp"

namespace spillway {

bool PinnedRegistry::is_new(const ParsedChunk& chunk) {
  return !chunk.memory.region().empty() && !find(chunk.memory.region()).was_tried;
}

void PinnedRegistry::prepare(std::span<const ParsedChunk> chunks, int gpu) {
  if (std::none_of(chunks.begin(), chunks.end(), [this](const ParsedChunk& chunk) { return is_new(chunk); })) return;
  std::unique_lock turn(locking_, std::defer_lock);
  if (turn_ == LockTurn::kWait) turn.lock();
  if (!turn && !turn.try_lock()) return;
  for (const ParsedChunk& chunk : chunks) {
    if (!is_new(chunk)) continue;
    Region& region = find(chunk.memory.region());
    region.memory = lock_(chunk.memory.region(), gpu);
    region.is_locked = region.memory != nullptr;
    region.was_tried = true;
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
