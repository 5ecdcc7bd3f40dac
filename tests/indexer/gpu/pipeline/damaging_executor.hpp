// The host in the place of a GPU whose uploads do not arrive as they left.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "indexer/gpu/pipeline/block_pass.hpp"
#include "indexer/gpu/pipeline/host_executor.hpp"
#include "indexer/gpu/sorter/gpu_lanes.hpp"

namespace spillway::testing {

// Of a block of tokens, in the order in which they go up.
enum class Upload { kPlaces, kLengths, kTokens, kPositions };
inline std::string upload_name(Upload upload) {
  static const char* const kNames[] = {"Places", "Lengths", "Tokens", "Positions"};
  return kNames[static_cast<int>(upload)];
}
// Called for each part of an upload: for all of it where nothing stands in slabs. On several threads, where there are
// several visits.
using DamageUpload = std::function<void(Upload upload, std::span<std::uint32_t> words)>;

class DamagingExecutor : public HostExecutor {
 public:
  DamagingExecutor(std::size_t arena_bytes, MemoryBudget& budget, const DamageUpload& damage)
      : HostExecutor(std::make_shared<HostArenaShare>(arena_bytes, budget), nullptr, *find_string_sorter("cpu-msd"),
                     budget),
        damage_(damage) {}
  // Where the uploads of the block that comes begin.
  PassScratch scratch(const BlockPassSize& size) {
    const PassScratch scratch = HostExecutor::scratch(size);
    const TokenLayout layout = lay_out_tokens(size, scratch);
    begins_ = {layout.chunk_places, layout.piece_ends, layout.raw, layout.positions};
    return scratch;
  }
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    HostExecutor::upload(to, bytes, pack);
    damage(to, bytes);
  }
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t> slab) {
    const bool sent = HostExecutor::send(to, from, slab);
    damage(to, from.size());
    return sent;
  }

 private:
  void damage(std::uint8_t* to, std::size_t bytes) {
    if (bytes == 0) return;
    const auto place = static_cast<std::size_t>(to - share().memory().data());
    std::size_t upload = 0;
    for (std::size_t i = 1; i < begins_.size(); ++i) {
      if (begins_[i] <= place && (begins_[upload] > place || begins_[i] > begins_[upload])) upload = i;
    }
    damage_(static_cast<Upload>(upload), {reinterpret_cast<std::uint32_t*>(to), bytes / sizeof(std::uint32_t)});
  }

  const DamageUpload damage_;
  std::array<std::size_t, 4> begins_{};
};

inline std::unique_ptr<GpuBlockSorter> make_damaging_visitor(std::size_t arena_bytes, unsigned visits,
                                                             MemoryBudget& budget, const DamageUpload& damage) {
  std::vector<std::unique_ptr<GpuLane>> slots;
  for (unsigned i = 0; i < visits; ++i) {
    slots.push_back(std::make_unique<BlockPass<DamagingExecutor>>(arena_bytes, budget, damage));
  }
  return std::make_unique<SlotBlockSorter>(std::move(slots), ChunkForm::kTokens);
}

}  // namespace spillway::testing
