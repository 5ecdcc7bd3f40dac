// The planned passes of the bitonic sort do each step of the network once and in order; its layouts are permutations
// that touch every bank of shared memory once.
#include "sort/gpu/bitonic/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace spillway::bitonic {
namespace {

template <typename Layout>
void check_layout() {
  std::set<unsigned> places;
  for (unsigned thread = 0; thread < kTileThreads; ++thread) {
    for (unsigned r = 0; r < kThreadKeys; ++r) {
      EXPECT_EQ(Layout::slot(thread, r), shared_slot(Layout::place(thread, r)));
      places.insert(Layout::place(thread, r));
    }
  }
  EXPECT_EQ(places.size(), kTileKeys);
  EXPECT_EQ(*places.rbegin(), kTileKeys - 1);
}

TEST(BitonicTile, LayoutsArePermutationsOfTheTile) {
  check_layout<ByBlock>();
  check_layout<ByWarp>();
  check_layout<ByThread>();
}

TEST(BitonicTile, MirroredLayoutsFlipAllLowerBitsOfTheUpperHalf) {
  constexpr unsigned kTop = 3;
  for (unsigned thread = 0; thread < kTileThreads; ++thread) {
    for (unsigned r = 0; r < kThreadKeys; ++r) {
      const unsigned place = ByBlock::place(thread, r);
      const unsigned top = 1u << (kBlockLowBit + kTop);
      const unsigned expected = (place & top) != 0 ? place ^ (top - 1) : place;
      EXPECT_EQ((Mirrored<ByBlock, kTop>::slot(thread, r)), shared_slot(expected));
    }
  }
}

// A bank holds 4 bytes: 16 threads with one key each, or 8 with a pair, are served at once if their banks differ.
template <typename Slot>
void check_banks(unsigned threads, unsigned keys_each, Slot slot) {
  for (unsigned first = 0; first < kTileThreads; first += threads) {
    for (unsigned r = 0; r < kThreadKeys; r += keys_each) {
      std::set<unsigned> banks;
      for (unsigned thread = first; thread < first + threads; ++thread) banks.insert(slot(thread, r) % 16 / keys_each);
      ASSERT_EQ(banks.size(), threads) << "threads from " << first << ", key " << r;
    }
  }
}

TEST(BitonicTile, NoTwoThreadsMeetInABank) {
  check_banks(16, 1, ByBlock::slot);
  check_banks(16, 1, Mirrored<ByBlock, 4>::slot);
  check_banks(16, 1, ByWarp::slot);
  check_banks(16, 1, Mirrored<ByWarp, 2>::slot);
  check_banks(8, 2, ByThread::slot);
  check_banks(8, 2, [](unsigned thread, unsigned r) { return pair_slot(thread, r / 2); });
  for (unsigned thread = 0; thread < kTileThreads; ++thread) {
    for (unsigned i = 0; i < kThreadKeys / 2; ++i) {
      EXPECT_EQ(pair_slot(thread, i), shared_slot(pair_place(thread, i)));
    }
  }
}

// Follows the network: `bit` steps of `stage` remain.
void check_network(unsigned stages) {
  const std::vector<Pass> passes = plan_passes(std::size_t{1} << stages, {});
  ASSERT_EQ(passes.front().kind, Pass::Kind::kTileSort);
  unsigned stage = kTileBits + 1, bit = stage;
  for (std::size_t i = 1; i < passes.size(); ++i) {
    const Pass& pass = passes[i];
    ASSERT_LE(stage, stages);
    if (pass.kind == Pass::Kind::kTileMerge) {
      EXPECT_LE(bit, kTileBits);
      bit = ++stage;
      continue;
    }
    EXPECT_LE(pass.steps, kMaxSuperstep);
    EXPECT_GE(pass.first_bit, kTileBits - pass.steps);
    if (pass.kind == Pass::Kind::kTurn) {
      EXPECT_EQ(bit, pass.superstep(nullptr).low_bits);
      EXPECT_LE(bit, kMaxTurnRow);
      bit = ++stage;
    } else {
      ASSERT_EQ(pass.kind, Pass::Kind::kSuperstep);
      EXPECT_EQ(pass.mirrored, bit == stage);
    }
    EXPECT_EQ(pass.first_bit + pass.steps, bit);
    bit = pass.first_bit;
  }
  EXPECT_EQ(stage, stages + 1);
}

TEST(BitonicPlan, TakesEveryStepOfEveryStageOnceAndInOrder) {
  for (unsigned stages = kTileBits + 1; stages <= 40; ++stages) check_network(stages);
}

TEST(BitonicPlan, TakesThirtyTwoPassesForTwoToThe28) {
  EXPECT_EQ(plan_passes(std::size_t{1} << 28, {}).size(), 32u);
  EXPECT_EQ(plan_passes((std::size_t{1} << 27) + 1, {}).size(), 32u);
}

TEST(BitonicPlan, LeavesOutGroupsWithoutAnUpperHalf) {
  // Stage 14 merges tiles 0 and 1, and tile 2 with the keys of tile 3 that exist; stage 15 merges all.
  const std::vector<Pass> all = plan_passes(3 * kTileKeys + 1, {});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].count, 3 * kTileKeys + 1);
  const std::vector<Pass> fewer = plan_passes(3 * kTileKeys, {});
  ASSERT_EQ(fewer.size(), 4u);
  ASSERT_EQ(fewer[1].kind, Pass::Kind::kSuperstep);
  EXPECT_EQ(fewer[1].count, 2 * kTileKeys);
  EXPECT_EQ(fewer[1].tiles(), 2u);
  ASSERT_EQ(fewer[2].kind, Pass::Kind::kTurn);
  EXPECT_EQ(fewer[2].count, 3 * kTileKeys);
  EXPECT_EQ(fewer[3].count, 3 * kTileKeys);
}

TEST(BitonicPlan, TurnsKeysByTheEndOfTheRangeAndBack) {
  for (const std::size_t count : {std::size_t{2}, std::size_t{100000}}) {
    const std::vector<Pass> passes = plan_passes(count, {5, 29});
    EXPECT_EQ(passes.front().rotation_in, 35u);
    EXPECT_EQ(passes.back().rotation_out, 29u);
    EXPECT_EQ(plan_passes(count, {}).front().rotation_in, 0u);
    EXPECT_EQ(plan_passes(count, {}).back().rotation_out, 0u);
  }
  EXPECT_TRUE(plan_passes(100, {7, 7}).empty());
  EXPECT_TRUE(plan_passes(1, {}).empty());
}

// Every place below the count is in exactly one tile, mirrored or not.
template <bool kMirrored>
void check_superstep(std::size_t count, unsigned first_bit, unsigned steps) {
  const Superstep pass{nullptr, count, kTileBits - steps, first_bit, steps};
  std::vector<unsigned> visits(count);
  for (std::size_t number = 0; number < tile_count(pass); ++number) {
    const SuperstepTile tile(pass, number);
    for (unsigned thread = 0; thread < kTileThreads; ++thread) {
      ThreadKeys keys{};
      for_each_place<kMirrored>(pass, tile, thread, keys, [&](std::uint64_t&, std::size_t place) {
        if (place < count) ++visits[place];
      });
    }
  }
  EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](unsigned n) { return n == 1; }))
      << count << " keys, bits " << first_bit << " to " << first_bit + steps - 1;
}

TEST(BitonicPlan, SuperstepsVisitEveryKeyOnce) {
  for (const unsigned steps : {1u, 3u, 5u, 8u}) {
    const std::size_t group = std::size_t{1} << (kTileBits + 1 + steps);
    for (const std::size_t count : {group, group + group / 2 + 1, group + group * 5 / 8 + 777, 3 * group - 1}) {
      check_superstep<true>(count, kTileBits + 1, steps);
      check_superstep<false>(count - group / 4, kTileBits + 1, steps);
    }
  }
}

}  // namespace
}  // namespace spillway::bitonic
