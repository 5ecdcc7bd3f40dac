// The tiles of the bitonic sort over distant keys: which keys they hold, and where these are in device memory.
// sort/gpu/bitonic/superstep_run.hpp has the steps on them.
//
// The network has the reflected form: stage s merges groups of 2^s keys, its first step compares each place with its
// mirror image in the group, and all comparators put the smaller key first. Keys beyond the end would never move, so
// they need not exist.
#pragma once

#include <cstddef>

#include "sort/gpu/bitonic/tile.hpp"

namespace spillway::bitonic {

// `steps` steps of one stage on places at least 2^low_bits apart. A tile is 2^steps rows of 2^low_bits consecutive keys
// (Capannini's Gamma set, always with the low bits, so that every access is coalesced). A turn first does the last
// low_bits steps of the previous stage, which stay inside a row.
struct Superstep {
  std::uint64_t* keys;
  std::size_t count;   // keys of the array
  unsigned low_bits;   // kTileBits - steps
  unsigned first_bit;  // the bit of a place that the last step compares; the first step: first_bit + steps - 1
  unsigned steps;      // 1 to kMaxSuperstep
};
inline constexpr unsigned kMaxSuperstep = kTileBits - 5;     // rows of at least 32 keys, 256 bytes
inline constexpr unsigned kRegisterSuperstep = kThreadBits;  // steps without an exchange
inline constexpr unsigned kMaxTurnRow = kWarpBits;           // most low_bits of a turn: a row fits one warp

// Returns how many tiles have a key. The last tiles of the last group may lie beyond the end.
inline std::size_t tile_count(const Superstep& pass) {
  const unsigned group_bits = pass.first_bit + pass.steps;
  const unsigned tiles_bits = pass.first_bit - pass.low_bits;
  const std::size_t rest = pass.count & ((std::size_t{1} << group_bits) - 1);
  const std::size_t rest_rows = (rest + (std::size_t{1} << pass.low_bits) - 1) >> pass.low_bits;
  const std::size_t group_tiles = std::size_t{1} << tiles_bits;
  return ((pass.count >> group_bits) << tiles_bits) + (rest_rows < group_tiles ? rest_rows : group_tiles);
}

// Where the keys of one tile are.
struct SuperstepTile {
  std::size_t group;  // its first place
  std::size_t row;    // place of the tile's first row in the group
  std::size_t group_end;

  SPILLWAY_HOST_DEVICE SuperstepTile(const Superstep& pass, std::size_t tile)
      : group(tile >> (pass.first_bit - pass.low_bits) << (pass.first_bit + pass.steps)),
        row((tile & ((std::size_t{1} << (pass.first_bit - pass.low_bits)) - 1)) << pass.low_bits),
        group_end(group + (std::size_t{1} << (pass.first_bit + pass.steps))) {}
};

// Maps a place of the tile to a place of the group, relative to the tile's row.
SPILLWAY_HOST_DEVICE inline std::size_t spread(const Superstep& pass, unsigned place) {
  const std::size_t low = place & ((1u << pass.low_bits) - 1);
  return low | static_cast<std::size_t>(place >> pass.low_bits) << pass.first_bit;
}

// spread() of r * 2^low for every r, as a sum of up to five strides.
struct Rows {
  std::size_t strides[kThreadBits];

  SPILLWAY_HOST_DEVICE Rows(const Superstep& pass, unsigned low) {
    SPILLWAY_UNROLL
    for (unsigned bit = 0; bit < kThreadBits; ++bit) strides[bit] = spread(pass, 1u << (low + bit));
  }
  SPILLWAY_HOST_DEVICE std::size_t operator()(unsigned r) const {
    std::size_t sum = 0;
    SPILLWAY_UNROLL
    for (unsigned bit = kThreadBits; bit-- > 0;) {
      if ((r >> bit & 1) != 0) sum += strides[bit];
    }
    return sum;
  }
};

// Calls f(key, place) for each key of a thread in layout ByBlock. kMirrored, where a stage begins: places of the
// group's upper half count downwards.
template <bool kMirrored, typename F>
SPILLWAY_HOST_DEVICE inline void for_each_place(const Superstep& pass, const SuperstepTile& tile, unsigned thread,
                                                ThreadKeys& keys, F f) {
  const Rows rows(pass, kBlockLowBit);
  const std::size_t own = tile.row + spread(pass, thread);
  const std::size_t first = tile.group + own;
  const std::size_t mirror = tile.group_end - 1 - own;
  SPILLWAY_UNROLL
  for (unsigned r = 0; r < kThreadKeys; ++r) {
    const bool upper = r >= kThreadKeys / 2;
    f(keys[r], kMirrored && upper ? mirror - rows(r % (kThreadKeys / 2)) : first + rows(r));
  }
}

// The same in layout ByWarp, where places count upwards in both halves and only the row of the upper half is mirrored.
template <bool kMirrored, typename F>
SPILLWAY_HOST_DEVICE inline void for_each_place_by_warp(const Superstep& pass, const SuperstepTile& tile,
                                                        unsigned thread, ThreadKeys& keys, F f) {
  const Rows rows(pass, 5);
  const bool upper = thread >= kTileThreads / 2;
  const std::size_t last_row = (std::size_t{1} << pass.first_bit) - (std::size_t{1} << pass.low_bits);
  const std::size_t row = kMirrored && upper ? last_row - tile.row : tile.row;
  const std::size_t first = tile.group + row + spread(pass, ByWarp::place(thread, 0));
  SPILLWAY_UNROLL
  for (unsigned r = 0; r < kThreadKeys; ++r) f(keys[r], first + rows(r));
}

template <bool kMirrored>
SPILLWAY_HOST_DEVICE inline bool is_full(const Superstep& pass, const SuperstepTile& tile) {
  const std::size_t last =
      kMirrored ? tile.group_end - 1 - tile.row : tile.group + tile.row + spread(pass, kTileKeys - 1);
  return last < pass.count;
}

}  // namespace spillway::bitonic
