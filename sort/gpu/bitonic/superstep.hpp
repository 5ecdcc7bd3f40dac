// The passes of the bitonic sort over distant keys: which keys a tile holds, and where they stand in device memory.
// What is done with them is in sort/gpu/bitonic/superstep_run.hpp.
//
// Reflected form: stage s merges groups of 2^s keys. Its first step compares a place with its mirror image in the
// group, and all comparators put the smaller key first; so keys beyond the end would never move, and are not there.
#pragma once

#include <cstddef>

#include "sort/gpu/bitonic/tile.hpp"

namespace spillway::bitonic {

// Steps of one stage on places at least 2^low_bits apart, as many as fit a tile: a tile is 2^steps rows of 2^low_bits
// consecutive keys (Capannini's Gamma set with the low bits always in it, so that every access is coalesced). A turn
// first does the last low_bits steps of the stage before, which stay inside a row.
struct Superstep {
  std::uint64_t* keys;
  std::size_t count;   // keys of the array
  unsigned low_bits;   // kTileBits - steps
  unsigned first_bit;  // of a place: the last step's; the first step's is first_bit + steps - 1
  unsigned steps;      // 1 to kMaxSuperstep
};
inline constexpr unsigned kMaxSuperstep = kTileBits - 5;     // rows of 32 keys at least: 256 bytes
inline constexpr unsigned kRegisterSuperstep = kThreadBits;  // steps that need one layout only
inline constexpr unsigned kMaxTurnRow = kWarpBits;           // low_bits of a turn, at most: a row is in one warp

// How many tiles have a key in them. The places of a group's last tiles may lie beyond the end.
inline std::size_t tile_count(const Superstep& pass) {
  const unsigned group_bits = pass.first_bit + pass.steps;
  const unsigned tiles_bits = pass.first_bit - pass.low_bits;
  const std::size_t rest = pass.count & ((std::size_t{1} << group_bits) - 1);
  const std::size_t rest_rows = (rest + (std::size_t{1} << pass.low_bits) - 1) >> pass.low_bits;
  const std::size_t group_tiles = std::size_t{1} << tiles_bits;
  return ((pass.count >> group_bits) << tiles_bits) + (rest_rows < group_tiles ? rest_rows : group_tiles);
}

// Where the keys of one tile of a superstep stand.
struct SuperstepTile {
  std::size_t group;  // first place of the group
  std::size_t row;    // of the tile's first row in the group
  std::size_t group_end;

  SPILLWAY_HOST_DEVICE SuperstepTile(const Superstep& pass, std::size_t tile)
      : group(tile >> (pass.first_bit - pass.low_bits) << (pass.first_bit + pass.steps)),
        row((tile & ((std::size_t{1} << (pass.first_bit - pass.low_bits)) - 1)) << pass.low_bits),
        group_end(group + (std::size_t{1} << (pass.first_bit + pass.steps))) {}
};

// A place of the tile as a place of the group, the tile's own row left out.
SPILLWAY_HOST_DEVICE inline std::size_t spread(const Superstep& pass, unsigned place) {
  const std::size_t low = place & ((1u << pass.low_bits) - 1);
  return low | static_cast<std::size_t>(place >> pass.low_bits) << pass.first_bit;
}

// spread() of r * 2^low for all r, as sums of five strides.
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

// Calls f(key, place) for each key r of a thread, ByBlock; mirrored in the group's upper half if this begins a stage.
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

// The same ByWarp, where places count upwards in both halves: of the upper half only the tile's row is mirrored.
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
