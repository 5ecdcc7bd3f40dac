// The passes of the bitonic sort over tiles of consecutive keys: the tile sort, which is the first pass, and the tile
// merge, which ends a stage. Moves the keys from and to device memory; sort/gpu/bitonic/tile.hpp has the steps.
#pragma once

#include <cstddef>

#include "sort/gpu/bitonic/tile.hpp"

namespace spillway::bitonic {

// Keys compare as numbers after a rotation to the left, which brings the highest bit of the bit range to the front: the
// range decides, and all other bits break ties. The first pass rotates the keys, and the last one rotates them back.
SPILLWAY_HOST_DEVICE inline std::uint64_t rotated_left(std::uint64_t key, unsigned bits) {
  return key << (bits & 63) | key >> (-bits & 63);
}
SPILLWAY_HOST_DEVICE inline KeyPair rotated_left(KeyPair pair, unsigned bits) {
  if (bits == 0) return pair;
  return {rotated_left(pair.first, bits), rotated_left(pair.second, bits)};
}

// A pass over tiles of consecutive keys.
struct TilePass {
  std::uint64_t* keys;
  std::size_t count;      // keys of the array
  unsigned rotation_in;   // bits to the left after loading
  unsigned rotation_out;  // bits to the left before storing
};

// Returns the place in the tile of a thread's i-th pair, where a warp moves its 2^10 keys in rows of 64.
SPILLWAY_HOST_DEVICE constexpr unsigned pair_place(unsigned thread, unsigned i) {
  return thread / 32 * kWarpKeys + i * 64 + thread % 32 * 2;
}
SPILLWAY_HOST_DEVICE constexpr unsigned pair_slot(unsigned thread, unsigned i) {
  return thread / 32 * kWarpKeys + i * 64 + ((thread % 32 * 2 ^ thread % 32 / 16 * 2) ^ (i & 3) << 2);
}

// Loads the keys of a tile into shared memory in rows.
template <typename Block>
SPILLWAY_HOST_DEVICE inline void load_rows(Block& block, const TilePass& pass, std::size_t first) {
  std::uint64_t* const shared = block.shared();
  const bool full = first + kTileKeys <= pass.count;
  block.each([&pass, shared, first, full](unsigned thread, ThreadKeys&) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys / 2; ++i) {
      const std::size_t place = first + pair_place(thread, i);
      KeyPair pair{kBeyondEnd, kBeyondEnd};
      if (full || place + 1 < pass.count) {
        pair = load_pair(pass.keys + place);
      } else if (place < pass.count) {
        pair.first = pass.keys[place];
      }
      store_pair(shared + pair_slot(thread, i), rotated_left(pair, pass.rotation_in));
    }
  });
}

template <typename Block>
SPILLWAY_HOST_DEVICE inline void store_rows(Block& block, const TilePass& pass, std::size_t first) {
  const std::uint64_t* const shared = block.shared();
  const bool full = first + kTileKeys <= pass.count;
  block.each([&pass, shared, first, full](unsigned thread, ThreadKeys&) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys / 2; ++i) {
      const std::size_t place = first + pair_place(thread, i);
      const KeyPair pair = rotated_left(load_pair(shared + pair_slot(thread, i)), pass.rotation_out);
      if (full || place + 1 < pass.count) {
        store_pair(pass.keys + place, pair);
      } else if (place < pass.count) {
        pass.keys[place] = pair.first;
      }
    }
  });
}

template <typename Block>
SPILLWAY_HOST_DEVICE inline void run_tile_sort(Block& block, const TilePass& pass, std::size_t tile) {
  const std::size_t first = tile * kTileKeys;
  load_rows(block, pass, first);
  block.sync_warp();
  take_by_thread(block);
  sort_tile(block);
  put_by_thread(block);
  block.sync_warp();
  store_rows(block, pass, first);
}

template <typename Block>
SPILLWAY_HOST_DEVICE inline void run_tile_merge(Block& block, const TilePass& pass, std::size_t tile) {
  const std::size_t first = tile * kTileKeys;
  const bool full = first + kTileKeys <= pass.count;
  block.each([&pass, first, full](unsigned thread, ThreadKeys& keys) {
    SPILLWAY_UNROLL
    for (unsigned r = 0; r < kThreadKeys; ++r) {
      const std::size_t place = first + ByBlock::place(thread, r);
      keys[r] = full || place < pass.count ? pass.keys[place] : kBeyondEnd;
    }
  });
  merge_tile(block);
  put_by_thread(block);
  block.sync_warp();
  store_rows(block, pass, first);
}

}  // namespace spillway::bitonic
