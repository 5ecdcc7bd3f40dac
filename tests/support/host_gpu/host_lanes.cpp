#include "tests/support/host_gpu/host_lanes.hpp"

#include <array>

#include "indexer/gpu/pipeline/executor_lane.hpp"
#include "sort/sorters.hpp"
#include "tests/support/host_gpu/host_executor.hpp"

namespace spillway::testing {

namespace {

class DamagingExecutor : public HostExecutor {
 public:
  DamagingExecutor(std::size_t arena_bytes, MemoryBudget& budget, const DamageUpload& damage)
      : HostExecutor(make_host_arenas(1, arena_bytes, budget), nullptr, *find_string_sorter("cpu-msd"), budget),
        damage_(damage) {}
  // Notes where the uploads of the next block begin.
  PassScratch scratch(const BlockPassSize& size) {
    const PassScratch scratch = HostExecutor::scratch(size);
    const TokenLayout layout = lay_out_tokens(size, scratch);
    begins_ = {layout.chunk_places, layout.slice_ends, layout.raw, layout.position_runs};
    return scratch;
  }
  template <typename Pack>
  void upload(std::uint8_t* to, std::size_t bytes, const Pack& pack) {
    HostExecutor::upload(to, bytes, pack);
    damage(to, bytes);
  }
  bool send(std::uint8_t* to, std::span<const std::uint8_t> from, std::span<std::uint8_t> region) {
    const bool sent = HostExecutor::send(to, from, region);
    damage(to, from.size());
    return sent;
  }

 private:
  void damage(std::uint8_t* to, std::size_t bytes) {
    if (bytes == 0) return;
    const auto place = static_cast<std::size_t>(to - arena().data());
    std::size_t upload = 0;
    for (std::size_t i = 1; i < begins_.size(); ++i) {
      if (begins_[i] <= place && (begins_[upload] > place || begins_[i] > begins_[upload])) upload = i;
    }
    damage_(static_cast<Upload>(upload), {reinterpret_cast<std::uint32_t*>(to), bytes / sizeof(std::uint32_t)});
  }

  const DamageUpload damage_;
  std::array<std::size_t, 4> begins_{};
};

}  // namespace

GpuLanes make_host_lanes(const HostLaneOptions& options, MemoryBudget& budget) {
  const auto arenas = make_host_arenas(options.arenas, options.arena_bytes, budget);
  GpuLanes lanes;
  for (unsigned i = 0; i < options.lanes; ++i) {
    lanes.push_back(std::make_unique<ExecutorLane<HostExecutor>>(options.form, arenas, options.records,
                                                                 *options.strings, budget, options.lists_stay));
  }
  return lanes;
}

std::size_t host_pass_bytes(const BlockPassSize& size, const HostLaneOptions& options) {
  return pass_bytes(size, HostExecutor::scratch_of(size, options.records, *options.strings), options.form);
}

std::string upload_name(Upload upload) {
  static const char* const kNames[] = {"Places", "Lengths", "Tokens", "Positions"};
  return kNames[static_cast<int>(upload)];
}

GpuLanes make_damaging_lanes(std::size_t arena_bytes, unsigned lanes, MemoryBudget& budget,
                             const DamageUpload& damage) {
  GpuLanes made;
  for (unsigned i = 0; i < lanes; ++i) {
    made.push_back(std::make_unique<ExecutorLane<DamagingExecutor>>(ChunkForm::kTokens, arena_bytes, budget, damage));
  }
  return made;
}

}  // namespace spillway::testing
