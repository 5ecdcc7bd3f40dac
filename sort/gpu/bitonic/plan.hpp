// Plans the passes of a bitonic sort over device memory: which supersteps cover the network of a given size.
// Source: Capannini, Silvestri, Baraglia 2012, section 5.
#pragma once

#include <cstddef>
#include <vector>

#include "sort/gpu/bitonic/superstep.hpp"
#include "sort/gpu/bitonic/tile_pass.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway::bitonic {

// One pass, which reads and writes the first `count` keys of the array.
struct Pass {
  enum class Kind { kTileSort, kSuperstep, kTurn, kTileMerge };
  Kind kind = Kind::kTileSort;
  std::size_t count = 0;
  bool mirrored = false;     // the superstep begins a stage
  unsigned first_bit = 0;    // of a superstep or turn: as in Superstep
  unsigned steps = 0;        // of a superstep or turn
  unsigned rotation_in = 0;  // of a tile pass: as in TilePass
  unsigned rotation_out = 0;

  TilePass tile_pass(std::uint64_t* keys) const { return {keys, count, rotation_in, rotation_out}; }
  Superstep superstep(std::uint64_t* keys) const { return {keys, count, kTileBits - steps, first_bit, steps}; }
  // Returns the blocks to launch: one for each tile that has a key.
  std::size_t tiles() const;
};

// Returns the fewest passes that sort `count` keys, in order; none for fewer than two keys. A stage leaves out a last
// group without an upper half, because it is sorted.
std::vector<Pass> plan_passes(std::size_t count, BitRange bits);

}  // namespace spillway::bitonic
