// The programs of a block for a tile of distant keys: supersteps inside a stage, and turns from one stage to the next.
#pragma once

#include "sort/gpu/bitonic/superstep.hpp"

namespace spillway::bitonic {

// Access between registers and device memory. kChecked: the tile has places beyond the end.
template <bool kChecked>
struct ReadKey {
  const Superstep& pass;
  SPILLWAY_HOST_DEVICE void operator()(std::uint64_t& key, std::size_t place) const {
    key = !kChecked || place < pass.count ? pass.keys[place] : kBeyondEnd;
  }
};
template <bool kChecked>
struct WriteKey {
  const Superstep& pass;
  SPILLWAY_HOST_DEVICE void operator()(const std::uint64_t& key, std::size_t place) const {
    if (!kChecked || place < pass.count) pass.keys[place] = key;
  }
};

template <template <bool> typename Access, bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void access_by_block(Block& block, const Superstep& pass, const SuperstepTile& tile) {
  const bool full = is_full<kMirrored>(pass, tile);
  block.each([&pass, &tile, full](unsigned thread, ThreadKeys& keys) {
    if (full) {
      for_each_place<kMirrored>(pass, tile, thread, keys, Access<false>{pass});
    } else {
      for_each_place<kMirrored>(pass, tile, thread, keys, Access<true>{pass});
    }
  });
}
template <template <bool> typename Access, bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void access_by_warp(Block& block, const Superstep& pass, const SuperstepTile& tile) {
  const bool full = is_full<kMirrored>(pass, tile);
  block.each([&pass, &tile, full](unsigned thread, ThreadKeys& keys) {
    if (full) {
      for_each_place_by_warp<kMirrored>(pass, tile, thread, keys, Access<false>{pass});
    } else {
      for_each_place_by_warp<kMirrored>(pass, tile, thread, keys, Access<true>{pass});
    }
  });
}

// Does the steps on the tile's high bits, for keys in layout ByBlock, and stores the keys. kExchange: there are more
// than kRegisterSuperstep steps, so five are followed by an exchange and the others.
template <bool kMirrored, bool kExchange, typename Block>
SPILLWAY_HOST_DEVICE inline void step_and_store(Block& block, const Superstep& pass, const SuperstepTile& tile) {
  block.each([&pass](unsigned, ThreadKeys& keys) { merge_steps<4, 5, kMirrored>(keys, pass.steps); });
  if constexpr (kExchange) {
    if constexpr (kMirrored) {
      put<Mirrored<ByBlock, 4>>(block);
    } else {
      put<ByBlock>(block);
    }
    block.sync();
    take<ByWarp>(block);
    block.each([&pass](unsigned, ThreadKeys& keys) {
      constexpr unsigned kSteps = kMaxSuperstep - kRegisterSuperstep;
      merge_steps<kSteps - 1, kSteps, false>(keys, pass.steps - kRegisterSuperstep);
    });
    access_by_warp<WriteKey, kMirrored>(block, pass, tile);
  } else {
    access_by_block<WriteKey, kMirrored>(block, pass, tile);
  }
}

// A superstep of one stage; kMirrored if it begins the stage.
template <bool kMirrored, bool kExchange, typename Block>
SPILLWAY_HOST_DEVICE inline void run_superstep(Block& block, const Superstep& pass, std::size_t tile_number) {
  const SuperstepTile tile(pass, tile_number);
  access_by_block<ReadKey, kMirrored>(block, pass, tile);
  step_and_store<kMirrored, kExchange>(block, pass, tile);
}

// The last steps of a stage, inside the tile's rows, and the first steps of the next: the paper's superstep that wraps
// around.
template <bool kExchange, typename Block>
SPILLWAY_HOST_DEVICE inline void run_turn(Block& block, const Superstep& pass, std::size_t tile_number) {
  const SuperstepTile tile(pass, tile_number);
  access_by_warp<ReadKey, true>(block, pass, tile);
  block.each([&pass](unsigned, ThreadKeys& keys) { last_steps(keys, pass.low_bits - kThreadBits); });
  put<ByWarp>(block);
  block.sync_warp();
  take_by_thread(block);
  step_all<4, 5, false>(block);
  put_by_thread(block);
  block.sync();
  take<Mirrored<ByBlock, 4>>(block);
  step_and_store<true, kExchange>(block, pass, tile);
}

}  // namespace spillway::bitonic
