// The passes of a bitonic sort over device memory: which supersteps cover the network of a given size.
// Source: Capannini, Silvestri, Baraglia 2012, section 5.
#pragma once

#include <cstddef>
#include <vector>

#include "sort/gpu/bitonic/superstep.hpp"
#include "sort/gpu/bitonic/tile_pass.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway::bitonic {

// One pass reads and writes `count` keys (of the array's first).
struct Pass {
  enum class Kind { kTileSort, kSuperstep, kTurn, kTileMerge };
  Kind kind = Kind::kTileSort;
  std::size_t count = 0;
  bool mirrored = false;     // a superstep that begins a stage
  unsigned first_bit = 0;    // of a superstep or turn, as Superstep
  unsigned steps = 0;        // of a superstep or turn
  unsigned rotation_in = 0;  // of a tile pass, as TilePass
  unsigned rotation_out = 0;

  TilePass tile_pass(std::uint64_t* keys) const { return {keys, count, rotation_in, rotation_out}; }
  Superstep superstep(std::uint64_t* keys) const { return {keys, count, kTileBits - steps, first_bit, steps}; }
  // Blocks to launch, one for each tile that has a key.
  std::size_t tiles() const;
};

// In order; empty where there is nothing to sort. As few passes as can be. A stage leaves out a last group that has no
// upper half: it is sorted.
std::vector<Pass> plan_passes(std::size_t count, BitRange bits);

}  // namespace spillway::bitonic
