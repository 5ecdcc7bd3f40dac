#include "sort/gpu/bitonic/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace spillway::bitonic {

namespace {

// The next pass where `left` steps of a stage remain, and the number of passes from it to the end.
struct Choice {
  Pass::Kind kind = Pass::Kind::kTileMerge;
  unsigned steps = 0;  // of a superstep
  unsigned passes = ~0u;
};

// Finds the fewest passes for stages kTileBits + 1 to `stages` by dynamic programming from the last stage backwards.
// O(stages^2 * kMaxSuperstep).
class PassPlanner {
 public:
  explicit PassPlanner(unsigned stages) : stages_(stages) {
    for (unsigned stage = stages; stage > kTileBits; --stage) {
      for (unsigned left = 1; left <= stage; ++left) choices_[stage][left] = best(stage, left);
    }
  }

  const Choice& choice(unsigned stage, unsigned left) const { return choices_[stage][left]; }
  // Returns how many steps of the next stage remain after a turn.
  static unsigned left_after_turn(unsigned stage, unsigned left) { return stage + 1 - (kTileBits - left); }

 private:
  Choice best(unsigned stage, unsigned left) const {
    Choice best;
    const auto consider = [&best](Pass::Kind kind, unsigned steps, unsigned passes_after) {
      if (passes_after + 1 < best.passes) best = {kind, steps, passes_after + 1};
    };
    if (left <= kTileBits) {
      consider(Pass::Kind::kTileMerge, 0, stage == stages_ ? 0 : choices_[stage + 1][stage + 1].passes);
      if (left >= kThreadBits && left <= kMaxTurnRow && stage < stages_) {
        consider(Pass::Kind::kTurn, 0, choices_[stage + 1][left_after_turn(stage, left)].passes);
      }
      return best;
    }
    for (unsigned steps = 1; steps <= std::min(kMaxSuperstep, left - kThreadBits); ++steps) {
      consider(Pass::Kind::kSuperstep, steps, choices_[stage][left - steps].passes);
    }
    return best;
  }

  unsigned stages_;
  std::array<std::array<Choice, 65>, 65> choices_;
};

// Returns the keys up to the end of the last group that stage `stage` has to merge.
std::size_t merged_count(std::size_t count, unsigned stage) {
  const std::size_t group = std::size_t{1} << stage;
  const std::size_t rest = count & (group - 1);
  return rest <= group / 2 ? count - rest : count;
}

}  // namespace

std::size_t Pass::tiles() const {
  if (kind == Kind::kSuperstep || kind == Kind::kTurn) return tile_count(superstep(nullptr));
  return (count + kTileKeys - 1) / kTileKeys;
}

std::vector<Pass> plan_passes(std::size_t count, BitRange bits) {
  std::vector<Pass> passes;
  if (count < 2 || bits.begin >= bits.end) return passes;
  passes.push_back({.kind = Pass::Kind::kTileSort, .count = count, .rotation_in = (64 - bits.end) % 64});
  const unsigned stages = static_cast<unsigned>(std::bit_width(count - 1));
  const PassPlanner planner(stages);
  unsigned left = kTileBits + 1;
  for (unsigned stage = kTileBits + 1; stage <= stages;) {
    const Choice& choice = planner.choice(stage, left);
    Pass pass{.kind = choice.kind, .count = merged_count(count, stage)};
    if (choice.kind == Pass::Kind::kSuperstep) {
      pass.mirrored = left == stage;
      left -= choice.steps;
      pass.first_bit = left;
      pass.steps = choice.steps;
    } else if (choice.kind == Pass::Kind::kTurn) {
      pass.count = std::max(pass.count, merged_count(count, stage + 1));
      pass.steps = kTileBits - left;
      left = PassPlanner::left_after_turn(stage++, left);
      pass.first_bit = left;
    } else {
      left = ++stage;
    }
    passes.push_back(pass);
  }
  passes.back().rotation_out = bits.end % 64;
  return passes;
}

}  // namespace spillway::bitonic
