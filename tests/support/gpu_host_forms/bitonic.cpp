#include "tests/support/gpu_host_forms/bitonic.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <array>
#include <memory>

#include "sort/gpu/bitonic/plan.hpp"
#include "sort/gpu/bitonic/superstep_run.hpp"

namespace spillway {

namespace {

using bitonic::kTileKeys;
using bitonic::kTileThreads;

// The end of each() is a barrier: all threads are done with it.
class HostBlock {
 public:
  template <typename F>
  void each(F f) {
    for (unsigned thread = 0; thread < kTileThreads; ++thread) f(thread, memory_->keys[thread]);
  }
  void sync() {}
  void sync_warp() {}
  std::uint64_t* shared() { return memory_->shared.data(); }

 private:
  struct Memory {
    bitonic::ThreadKeys keys[kTileThreads];
    std::array<std::uint64_t, kTileKeys> shared;
  };
  std::unique_ptr<Memory> memory_ = std::make_unique<Memory>();
};

template <bool kExchange>
void run_superstep(HostBlock& block, const bitonic::Pass& pass, const bitonic::Superstep& superstep, std::size_t tile) {
  if (pass.kind == bitonic::Pass::Kind::kTurn) return bitonic::run_turn<kExchange>(block, superstep, tile);
  if (pass.mirrored) return bitonic::run_superstep<true, kExchange>(block, superstep, tile);
  bitonic::run_superstep<false, kExchange>(block, superstep, tile);
}

void run(HostBlock& block, const bitonic::Pass& pass, std::uint64_t* keys, std::size_t tile) {
  if (pass.kind == bitonic::Pass::Kind::kTileSort) return run_tile_sort(block, pass.tile_pass(keys), tile);
  if (pass.kind == bitonic::Pass::Kind::kTileMerge) return run_tile_merge(block, pass.tile_pass(keys), tile);
  if (pass.steps > bitonic::kRegisterSuperstep) return run_superstep<true>(block, pass, pass.superstep(keys), tile);
  run_superstep<false>(block, pass, pass.superstep(keys), tile);
}

}  // namespace

void BitonicHostForm::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t>) const {
  for (const bitonic::Pass& pass : bitonic::plan_passes(keys.size(), bits)) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, pass.tiles()), [&](const auto& tiles) {
      HostBlock block;
      for (std::size_t tile = tiles.begin(); tile != tiles.end(); ++tile) run(block, pass, keys.data(), tile);
    });
  }
}

}  // namespace spillway
