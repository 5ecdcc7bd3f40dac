// The host in the place of a GPU whose uploads do not arrive as they left.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "indexer/gpu/host_machine.hpp"
#include "indexer/gpu/visit_pipeline.hpp"
#include "indexer/gpu/visit_slots.hpp"

namespace spillway::testing {

// Of a block of tokens, in the order in which they go up.
enum class Upload { kPlaces, kLengths, kTokens, kPositions };
inline std::string upload_name(Upload upload) {
  static const char* const kNames[] = {"Places", "Lengths", "Tokens", "Positions"};
  return kNames[static_cast<int>(upload)];
}
// Called on several threads, where there are several visits.
using DamageUpload = std::function<void(Upload upload, std::span<std::uint32_t> words)>;

class DamagingMachine : public HostMachine {
 public:
  DamagingMachine(std::size_t arena_bytes, MemoryBudget& budget, const DamageUpload& damage)
      : HostMachine(arena_bytes, nullptr, *find_string_sorter("cpu-msd"), budget), damage_(damage) {}
  void start() { uploads_ = 0; }
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    HostMachine::upload(to, bytes, pack);
    damage_(static_cast<Upload>(uploads_++), {reinterpret_cast<std::uint32_t*>(to), bytes / sizeof(std::uint32_t)});
  }

 private:
  const DamageUpload damage_;
  int uploads_ = 0;
};

inline std::unique_ptr<GpuBlockSorter> make_damaging_visitor(std::size_t arena_bytes, unsigned visits,
                                                             MemoryBudget& budget, const DamageUpload& damage) {
  std::vector<std::unique_ptr<VisitSlot>> slots;
  for (unsigned i = 0; i < visits; ++i) {
    slots.push_back(std::make_unique<VisitPipeline<DamagingMachine>>(arena_bytes, budget, damage));
  }
  return std::make_unique<SlotBlockSorter>(std::move(slots), ChunkForm::kTokens);
}

}  // namespace spillway::testing
