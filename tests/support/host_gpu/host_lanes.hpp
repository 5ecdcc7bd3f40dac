// Lanes without a GPU: the same passes over blocks, on the host; and lanes whose uploads arrive damaged.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/steps/block_pass_size.hpp"

namespace spillway::testing {

using spillway::GpuLanes;

struct HostLaneOptions {
  ChunkForm form = ChunkForm::kTables;
  std::size_t arena_bytes = 0;  // of each arena; paid from the budget
  unsigned lanes = 1, arenas = 1;
  const RecordSorter* records = nullptr;  // of the CPU; null: cpu-radix
  const StringSorter* strings = nullptr;
  bool lists_stay = false;  // the host gets no copy of lists that are kept
};

GpuLanes make_host_lanes(const HostLaneOptions& options, MemoryBudget& budget);

// Returns what block_pass_device_bytes() would return on the host. Reads only `form` and the sorters.
std::size_t host_pass_bytes(const BlockPassSize& size, const HostLaneOptions& options);

// The uploads of a block of tokens, in their order.
enum class Upload { kPlaces, kLengths, kTokens, kPositions };
std::string upload_name(Upload upload);
// Called for each range that was uploaded: all of an array at once where no chunk is in a pinned slot. Lanes call it at
// the same time.
using DamageUpload = std::function<void(Upload upload, std::span<std::uint32_t> words)>;

// Lanes for tokens, each with an arena of its own.
GpuLanes make_damaging_lanes(std::size_t arena_bytes, unsigned lanes, MemoryBudget& budget, const DamageUpload& damage);

}  // namespace spillway::testing
