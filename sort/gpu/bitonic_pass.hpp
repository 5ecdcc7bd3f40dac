// What one kernel of the bitonic sort does between device memory and a block's registers: which keys a tile holds, and
// the programs that load, step and store them. The steps inside a tile are in bitonic_tile.hpp.
//
// Reflected form: stage s merges groups of 2^s keys. Its first step compares a place with its mirror image in the
// group, and all comparators put the smaller key first; so keys beyond the end would never move, and are not there.
#pragma once

#include <cstddef>

#include "sort/gpu/bitonic_tile.hpp"

namespace spillway::bitonic {

// Keys compare as numbers after a rotation to the left by `bits`, which brings the highest bit of a bit range to the
// front: then the range decides, and all other bits break ties. Only the first pass turns keys, and the last one back.
SPILLWAY_HOST_DEVICE inline std::uint64_t rotated_left(std::uint64_t key, unsigned bits) {
  return key << (bits & 63) | key >> (-bits & 63);
}
SPILLWAY_HOST_DEVICE inline KeyPair rotated_left(KeyPair pair, unsigned bits) {
  if (bits == 0) return pair;
  return {rotated_left(pair.first, bits), rotated_left(pair.second, bits)};
}

// What stands for a key beyond the end, in registers only: no key is above it, so none changes its place for it.
inline constexpr std::uint64_t kBeyondEnd = ~std::uint64_t{0};

// A tile of consecutive keys: the tile sort of the first pass and the last steps of every later stage.
struct TilePass {
  std::uint64_t* keys;
  std::size_t count;      // keys of the array
  unsigned rotation_in;   // to the left, after loading
  unsigned rotation_out;  // to the left, before storing
};

// Steps of one stage on places at least 2^low_bits apart, as many as fit a tile: a tile is 2^steps rows of 2^low_bits
// consecutive keys (Capannini's Gamma set with the low bits always in it, so that every access is coalesced).
struct Superstep {
  std::uint64_t* keys;
  std::size_t count;   // keys of the array
  unsigned low_bits;   // kTileBits - steps
  unsigned first_bit;  // of a place: the last step's; the first step's is first_bit + steps - 1
  unsigned steps;      // 1 to kMaxSuperstep
};
inline constexpr unsigned kMaxSuperstep = kTileBits - 5;     // rows of 32 keys at least: 256 bytes
inline constexpr unsigned kRegisterSuperstep = kThreadBits;  // steps that need no exchange

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

// The same after an exchange, ByWarp; the upper half is no longer mirrored inside the tile, but its row is.
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

template <bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void load(Block& block, const Superstep& pass, const SuperstepTile& tile) {
  const bool full = is_full<kMirrored>(pass, tile);
  block.each([&pass, &tile, full](unsigned thread, ThreadKeys& keys) {
    if (full) {
      for_each_place<kMirrored>(pass, tile, thread, keys,
                                [&pass](std::uint64_t& key, std::size_t place) { key = pass.keys[place]; });
    } else {
      for_each_place<kMirrored>(pass, tile, thread, keys, [&pass](std::uint64_t& key, std::size_t place) {
        key = place < pass.count ? pass.keys[place] : kBeyondEnd;
      });
    }
  });
}

// A superstep of at most kRegisterSuperstep steps: no thread needs another one's keys.
template <bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void run_register_superstep(Block& block, const Superstep& pass, std::size_t tile_number) {
  const SuperstepTile tile(pass, tile_number);
  load<kMirrored>(block, pass, tile);
  const bool full = is_full<kMirrored>(pass, tile);
  block.each([&pass, &tile, full](unsigned thread, ThreadKeys& keys) {
    merge_steps<4, 5, kMirrored>(keys, pass.steps);
    if (full) {
      for_each_place<kMirrored>(pass, tile, thread, keys,
                                [&pass](std::uint64_t& key, std::size_t place) { pass.keys[place] = key; });
    } else {
      for_each_place<kMirrored>(pass, tile, thread, keys, [&pass](std::uint64_t& key, std::size_t place) {
        if (place < pass.count) pass.keys[place] = key;
      });
    }
  });
}

// A superstep of more: five steps, an exchange, the others.
template <bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void run_shared_superstep(Block& block, const Superstep& pass, std::size_t tile_number) {
  const SuperstepTile tile(pass, tile_number);
  load<kMirrored>(block, pass, tile);
  step_all<4, 5, kMirrored>(block);
  if constexpr (kMirrored) {
    put<Mirrored<ByBlock, 4>>(block);
  } else {
    put<ByBlock>(block);
  }
  block.sync();
  take<ByWarp>(block);
  const bool full = is_full<kMirrored>(pass, tile);
  block.each([&pass, &tile, full](unsigned thread, ThreadKeys& keys) {
    constexpr unsigned kSteps = kMaxSuperstep - kRegisterSuperstep;
    merge_steps<kSteps - 1, kSteps, false>(keys, pass.steps - kRegisterSuperstep);
    if (full) {
      for_each_place_by_warp<kMirrored>(pass, tile, thread, keys,
                                        [&pass](std::uint64_t& key, std::size_t place) { pass.keys[place] = key; });
    } else {
      for_each_place_by_warp<kMirrored>(pass, tile, thread, keys, [&pass](std::uint64_t& key, std::size_t place) {
        if (place < pass.count) pass.keys[place] = key;
      });
    }
  });
}

// The i-th pair of keys of a thread when a warp moves its 2^10 keys in rows of 64: place in the tile.
SPILLWAY_HOST_DEVICE constexpr unsigned pair_place(unsigned thread, unsigned i) {
  return thread / 32 * kWarpKeys + i * 64 + thread % 32 * 2;
}
SPILLWAY_HOST_DEVICE constexpr unsigned pair_slot(unsigned thread, unsigned i) {
  return thread / 32 * kWarpKeys + i * 64 + ((thread % 32 * 2 ^ thread % 32 / 16 * 2) ^ (i & 3) << 2);
}

// A tile's keys to shared memory, in rows.
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
