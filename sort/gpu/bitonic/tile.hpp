// A tile of the bitonic sort: 2^kTileBits keys that the threads of one block hold in registers, 2^5 keys a thread, and
// exchange through shared memory after every 5 steps. The programs are templates of a Block: a GPU block
// (sort/gpu/bitonic/device_block.cuh) or, in tests, its stand-in on the CPU.
//
// A Block has each(f), which calls f(thread, keys) for every thread; sync() and sync_warp(), barriers between calls of
// each(); and shared(), memory for kTileKeys keys.
#pragma once

#include "sort/gpu/bitonic/key_pair.hpp"
#include "sort/gpu/bitonic/network.hpp"

namespace spillway::bitonic {

// 64 KiB of shared memory: every architecture from 7.5 on has them, and three such blocks fit into 228 KiB.
inline constexpr unsigned kTileBits = 13;
inline constexpr unsigned kTileKeys = 1u << kTileBits;
inline constexpr unsigned kTileThreads = kTileKeys / kThreadKeys;
inline constexpr unsigned kWarpKeys = 32 * kThreadKeys;
inline constexpr unsigned kWarpBits = 10;
inline constexpr unsigned kBlockLowBit = kTileBits - kThreadBits;  // the lowest bit that ByBlock spreads over r

// Represents a place beyond the end, in registers only. No key is greater, so no key moves past it.
inline constexpr std::uint64_t kBeyondEnd = ~std::uint64_t{0};

// Returns the slot of key `place` in shared memory. Rows have 32 keys; pairs of keys stay together and are rotated from
// row to row, so that a row and a column each touch every bank once.
SPILLWAY_HOST_DEVICE constexpr unsigned shared_slot(unsigned place) { return place ^ (place >> 5 & 7) << 1; }

// The three layouts: which key of the tile is key r of a thread. place() defines the layout; slot() equals
// shared_slot(place()), written so that r contributes only a constant to add or one of eight constants to flip.
// kMirror: the bits of the thread number that are below those of r in the place.
struct ByBlock {  // bits 8 to 12: steps across the block
  static constexpr unsigned kMirror = kTileThreads - 1;
  SPILLWAY_HOST_DEVICE static constexpr unsigned place(unsigned thread, unsigned r) {
    return r * kTileThreads + thread;
  }
  SPILLWAY_HOST_DEVICE static constexpr unsigned slot(unsigned thread, unsigned r) {
    return r * kTileThreads + (shared_slot(thread) ^ (r * kTileThreads >> 5 & 7) << 1);
  }
};
struct ByWarp {  // bits 5 to 9: steps across the warp
  static constexpr unsigned kMirror = 31;
  SPILLWAY_HOST_DEVICE static constexpr unsigned place(unsigned thread, unsigned r) {
    return thread / 32 * kWarpKeys + r * 32 + thread % 32;
  }
  SPILLWAY_HOST_DEVICE static constexpr unsigned slot(unsigned thread, unsigned r) {
    return thread / 32 * kWarpKeys + r * 32 + (thread % 32 ^ (r & 7) << 1);
  }
};
struct ByThread {  // bits 0 to 4: consecutive keys
  SPILLWAY_HOST_DEVICE static constexpr unsigned place(unsigned thread, unsigned r) { return thread * kThreadKeys + r; }
  SPILLWAY_HOST_DEVICE static constexpr unsigned slot(unsigned thread, unsigned r) {
    return thread * kThreadKeys + (r & ~14u) + ((r & 14) ^ (thread & 7) << 1);
  }
};

// The layout in which the reflected first step of a stage is a plain step: where bit kTop of r is 1, all lower bits of
// the place are flipped.
template <typename Layout, unsigned kTop>
struct Mirrored {
  SPILLWAY_HOST_DEVICE static constexpr unsigned slot(unsigned thread, unsigned r) {
    const bool upper = (r >> kTop & 1) != 0;
    return upper ? Layout::slot(thread ^ Layout::kMirror, r ^ ((1u << kTop) - 1)) : Layout::slot(thread, r);
  }
};

// Copies to and from shared memory. A thread writes the slots that it read last, so one barrier before each take() is
// enough.
template <typename Layout, typename Block>
SPILLWAY_HOST_DEVICE inline void put(Block& block) {
  std::uint64_t* const shared = block.shared();
  block.each([shared](unsigned thread, ThreadKeys& keys) {
    SPILLWAY_UNROLL
    for (unsigned r = 0; r < kThreadKeys; ++r) shared[Layout::slot(thread, r)] = keys[r];
  });
}
template <typename Layout, typename Block>
SPILLWAY_HOST_DEVICE inline void take(Block& block) {
  const std::uint64_t* const shared = block.shared();
  block.each([shared](unsigned thread, ThreadKeys& keys) {
    SPILLWAY_UNROLL
    for (unsigned r = 0; r < kThreadKeys; ++r) keys[r] = shared[Layout::slot(thread, r)];
  });
}
template <typename Block>
SPILLWAY_HOST_DEVICE inline void put_by_thread(Block& block) {
  std::uint64_t* const shared = block.shared();
  block.each([shared](unsigned thread, ThreadKeys& keys) {
    SPILLWAY_UNROLL
    for (unsigned r = 0; r < kThreadKeys; r += 2) {
      store_pair(shared + ByThread::slot(thread, r), {keys[r], keys[r + 1]});
    }
  });
}
template <typename Block>
SPILLWAY_HOST_DEVICE inline void take_by_thread(Block& block) {
  const std::uint64_t* const shared = block.shared();
  block.each([shared](unsigned thread, ThreadKeys& keys) {
    SPILLWAY_UNROLL
    for (unsigned r = 0; r < kThreadKeys; r += 2) {
      const KeyPair pair = load_pair(shared + ByThread::slot(thread, r));
      keys[r] = pair.first;
      keys[r + 1] = pair.second;
    }
  });
}

template <unsigned kTop, unsigned kCount, bool kMirrored, typename Block>
SPILLWAY_HOST_DEVICE inline void step_all(Block& block) {
  block.each([](unsigned, ThreadKeys& keys) { merge_steps<kTop, kCount, kMirrored>(keys); });
}

// The first steps of a stage inside a warp: bits kTop + 5 to 5.
template <unsigned kTop, typename Block>
SPILLWAY_HOST_DEVICE inline void begin_warp_stage(Block& block) {
  take<Mirrored<ByWarp, kTop>>(block);
  step_all<kTop, kTop + 1, true>(block);
  put<Mirrored<ByWarp, kTop>>(block);
}

// The first steps of a stage across the block: its highest bit to bit kWarpBits.
template <unsigned kStage, typename Block>
SPILLWAY_HOST_DEVICE inline void begin_block_stage(Block& block) {
  constexpr unsigned kTop = kStage - 1 - kBlockLowBit;
  take<Mirrored<ByBlock, kTop>>(block);
  step_all<kTop, kStage - kWarpBits, true>(block);
  put<Mirrored<ByBlock, kTop>>(block);
}

template <typename Block>
SPILLWAY_HOST_DEVICE inline void begin_block_stage(Block& block, unsigned stage) {
  static_assert(kTileBits >= 12 && kTileBits <= 14);
  if (stage == 11) return begin_block_stage<11>(block);
  if (stage == 12) return begin_block_stage<12>(block);
  if constexpr (kTileBits >= 13) {
    if (stage == 13) return begin_block_stage<13>(block);
  }
  if constexpr (kTileBits >= 14) {
    if (stage == 14) return begin_block_stage<14>(block);
  }
}

template <typename Block>
SPILLWAY_HOST_DEVICE inline void begin_warp_stage(Block& block, unsigned stage) {
  switch (stage) {
    case 6:
      return begin_warp_stage<0>(block);
    case 7:
      return begin_warp_stage<1>(block);
    case 8:
      return begin_warp_stage<2>(block);
    case 9:
      return begin_warp_stage<3>(block);
    default:
      return begin_warp_stage<4>(block);
  }
}

// Sorts the tile (stages 1 to kTileBits), with keys in layout ByThread before and after. 91 steps and 20 exchanges for
// 2^13 keys.
template <typename Block>
SPILLWAY_HOST_DEVICE inline void sort_tile(Block& block) {
  block.each([](unsigned, ThreadKeys& keys) { sort_thread_keys(keys); });
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned stage = kThreadBits + 1; stage <= kTileBits; ++stage) {
    put_by_thread(block);
    if (stage > kWarpBits) {
      block.sync();
      begin_block_stage(block, stage);
      block.sync();
      take<ByWarp>(block);
      step_all<4, 5, false>(block);
      put<ByWarp>(block);
    } else {
      block.sync_warp();
      begin_warp_stage(block, stage);
    }
    block.sync_warp();
    take_by_thread(block);
    step_all<4, 5, false>(block);
  }
}

// Does the last kTileBits steps of a stage. Keys are in layout ByBlock before and ByThread after.
template <typename Block>
SPILLWAY_HOST_DEVICE inline void merge_tile(Block& block) {
  step_all<4, 5, false>(block);
  put<ByBlock>(block);
  block.sync();
  take<ByWarp>(block);
  step_all<kBlockLowBit - kThreadBits - 1, kBlockLowBit - kThreadBits, false>(block);
  put<ByWarp>(block);
  block.sync_warp();
  take_by_thread(block);
  step_all<4, 5, false>(block);
}

}  // namespace spillway::bitonic
