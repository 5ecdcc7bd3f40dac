#include "sort/gpu/bitonic_plan.hpp"

#include <bit>

namespace spillway::bitonic {

namespace {

// Keys of the groups that stage `stage` has to merge.
std::size_t merged_count(std::size_t count, unsigned stage) {
  const std::size_t group = std::size_t{1} << stage;
  const std::size_t rest = count & (group - 1);
  return rest <= group / 2 ? count - rest : count;
}

// The steps above the tiles: as few supersteps as can be, of equal size, so that most of them need no exchange.
void append_supersteps(unsigned stage, std::size_t count, std::vector<Pass>& passes) {
  unsigned left = stage - kTileBits;
  bool begins = true;
  while (left > 0) {
    const unsigned supersteps = (left + kMaxSuperstep - 1) / kMaxSuperstep;
    const unsigned steps = (left + supersteps - 1) / supersteps;
    left -= steps;
    passes.push_back({.kind = Pass::Kind::kSuperstep,
                      .count = count,
                      .mirrored = begins,
                      .first_bit = kTileBits + left,
                      .steps = steps});
    begins = false;
  }
}

}  // namespace

std::size_t Pass::tiles() const {
  if (kind == Kind::kSuperstep) return tile_count(superstep(nullptr));
  return (count + kTileKeys - 1) / kTileKeys;
}

std::vector<Pass> plan_passes(std::size_t count, BitRange bits) {
  std::vector<Pass> passes;
  if (count < 2 || bits.begin >= bits.end) return passes;
  passes.push_back({.kind = Pass::Kind::kTileSort, .count = count, .rotation_in = (64 - bits.end) % 64});
  const unsigned stages = static_cast<unsigned>(std::bit_width(count - 1));
  for (unsigned stage = kTileBits + 1; stage <= stages; ++stage) {
    const std::size_t merged = merged_count(count, stage);
    append_supersteps(stage, merged, passes);
    passes.push_back({.kind = Pass::Kind::kTileMerge, .count = merged});
  }
  passes.back().rotation_out = bits.end % 64;
  return passes;
}

}  // namespace spillway::bitonic
