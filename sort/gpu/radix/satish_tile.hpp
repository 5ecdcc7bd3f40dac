// Step logic of one pass of Satish's radix sort inside a tile: sorts by a digit with splits of one bit, counts the
// digits, and scatters the keys. Source: Satish, Harris, Garland 2009, section III, steps 1, 2 and 4.
//
// The programs are templates of a Block: a GPU block (sort/gpu/radix/satish_sorter.cu) or, in tests, its stand-in on
// the CPU. A Block has each(f), which calls f(thread, items) for every thread; sync(), a barrier between calls of
// each(); shared(), a TileMemory; and count_zeros(bit, size), which sets zeros_before and zeros.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway::satish {

inline constexpr unsigned kThreadKeys = 4;
inline constexpr unsigned kTileThreads = 256;
inline constexpr unsigned kTileKeys = kThreadKeys * kTileThreads;
inline constexpr unsigned kTileWarps = kTileThreads / 32;
inline constexpr unsigned kDigitBits = 4;
inline constexpr unsigned kDigits = 1u << kDigitBits;

// The items of one thread. `values` is not used without values.
struct Items {
  std::uint64_t keys[kThreadKeys];
  std::uint32_t values[kThreadKeys];
  unsigned zeros_before[kThreadKeys];  // at smaller places of the tile
  unsigned zeros;                      // in the tile
};

template <bool kPairs>
struct TileMemory {
  std::uint64_t keys[kTileKeys];
  std::uint32_t values[kPairs ? kTileKeys : 1];
  unsigned digit_begin[kDigits];  // places of the sorted tile
  unsigned digit_end[kDigits];
};

// Keys and values (null without values) in device memory.
struct Records {
  std::uint64_t* keys;
  std::uint32_t* values;
};

// A pass over one digit: bits [begin, end), at most kDigitBits.
struct DigitPass {
  std::size_t count;
  BitRange bits;

  SPILLWAY_HOST_DEVICE std::size_t tiles() const { return (count + kTileKeys - 1) / kTileKeys; }
  // Returns the number of keys of a tile.
  SPILLWAY_HOST_DEVICE unsigned size(std::size_t tile) const {
    const std::size_t left = count - tile * kTileKeys;
    return left < kTileKeys ? static_cast<unsigned>(left) : kTileKeys;
  }
  SPILLWAY_HOST_DEVICE unsigned digit(std::uint64_t key) const {
    return static_cast<unsigned>(key >> bits.begin) & ((1u << (bits.end - bits.begin)) - 1);
  }
};

// Returns the place in the tile of key i of a thread. A warp's keys are in rows of 32, so that it moves a row at once.
SPILLWAY_HOST_DEVICE constexpr unsigned place_of(unsigned thread, unsigned i) {
  return thread / 32 * (32 * kThreadKeys) + i * 32 + thread % 32;
}

// Returns whether a split sends key i of a thread to the front. Places beyond the tile's size stay after all keys.
SPILLWAY_HOST_DEVICE inline bool goes_first(const Items& items, unsigned thread, unsigned i, unsigned bit,
                                            unsigned size) {
  return (items.keys[i] >> bit & 1) == 0 && place_of(thread, i) < size;
}

// Stable split: moves the keys whose bit is 0 before those whose bit is 1.
template <bool kPairs, typename Block>
SPILLWAY_HOST_DEVICE inline void split(Block& block, unsigned bit, unsigned size) {
  block.count_zeros(bit, size);
  TileMemory<kPairs>& shared = block.shared();
  block.each([&shared, bit, size](unsigned thread, Items& items) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      const unsigned before = items.zeros_before[i];
      const unsigned place =
          goes_first(items, thread, i, bit, size) ? before : items.zeros + place_of(thread, i) - before;
      shared.keys[place] = items.keys[i];
      if constexpr (kPairs) shared.values[place] = items.values[i];
    }
  });
  block.sync();
  block.each([&shared](unsigned thread, Items& items) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      items.keys[i] = shared.keys[place_of(thread, i)];
      if constexpr (kPairs) items.values[i] = shared.values[place_of(thread, i)];
    }
  });
}

// Finds where each digit begins and ends in the sorted tile, which is in shared memory and in registers.
template <bool kPairs, typename Block>
SPILLWAY_HOST_DEVICE inline void find_digits(Block& block, const DigitPass& pass, unsigned size) {
  TileMemory<kPairs>& shared = block.shared();
  block.each([&shared](unsigned thread, Items&) {
    if (thread < kDigits) shared.digit_begin[thread] = shared.digit_end[thread] = 0;
  });
  block.sync();
  block.each([&shared, &pass, size](unsigned thread, Items& items) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      const unsigned place = place_of(thread, i);
      if (place >= size) continue;
      const unsigned digit = pass.digit(items.keys[i]);
      if (place + 1 == size) shared.digit_end[digit] = size;
      if (place == 0) continue;
      const unsigned previous = pass.digit(shared.keys[place - 1]);
      if (previous == digit) continue;
      shared.digit_end[previous] = place;
      shared.digit_begin[digit] = place;
    }
  });
  block.sync();
}

// Steps 1 and 2: sorts a tile in place by the digit and writes its histogram to column `tile` of the table, which has a
// row of pass.tiles() counts for each digit.
template <bool kPairs, typename Block>
SPILLWAY_HOST_DEVICE inline void sort_tile(Block& block, const DigitPass& pass, Records records, std::uint64_t* table,
                                           std::size_t tile) {
  const unsigned size = pass.size(tile);
  const std::size_t first = tile * kTileKeys;
  block.each([&](unsigned thread, Items& items) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      const unsigned place = place_of(thread, i);
      items.keys[i] = place < size ? records.keys[first + place] : 0;
      if constexpr (kPairs) items.values[i] = place < size ? records.values[first + place] : 0;
    }
  });
  for (unsigned bit = pass.bits.begin; bit < pass.bits.end; ++bit) split<kPairs>(block, bit, size);
  find_digits<kPairs>(block, pass, size);
  TileMemory<kPairs>& shared = block.shared();
  block.each([&](unsigned thread, Items& items) {
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      const unsigned place = place_of(thread, i);
      if (place >= size) continue;
      records.keys[first + place] = items.keys[i];
      if constexpr (kPairs) records.values[first + place] = items.values[i];
    }
    if (thread < kDigits) {
      table[thread * pass.tiles() + tile] = shared.digit_end[thread] - shared.digit_begin[thread];
    }
  });
}

struct TileThread {
  std::size_t tile;
  unsigned thread;  // of the tile's block
};

// Step 4: copies a sorted tile to the places of its digits. digit_shift[d] is the begin of the tile's digit d in the
// output, minus its begin in the tile.
template <bool kPairs>
SPILLWAY_HOST_DEVICE inline void scatter(const DigitPass& pass, Records from, Records to,
                                         const std::uint64_t* digit_shift, TileThread at) {
  const unsigned size = pass.size(at.tile);
  const std::size_t first = at.tile * kTileKeys;
  SPILLWAY_UNROLL
  for (unsigned i = 0; i < kThreadKeys; ++i) {
    const unsigned place = place_of(at.thread, i);
    if (place >= size) continue;
    const std::uint64_t key = from.keys[first + place];
    const std::size_t target = digit_shift[pass.digit(key)] + place;
    to.keys[target] = key;
    if constexpr (kPairs) to.values[target] = from.values[first + place];
  }
}

// Returns a tile's count of a digit from the scanned table: the difference to the next entry.
SPILLWAY_HOST_DEVICE inline std::uint64_t digit_count(const DigitPass& pass, const std::uint64_t* table, unsigned digit,
                                                      std::size_t tile) {
  const std::size_t at = digit * pass.tiles() + tile;
  const std::uint64_t next = at + 1 < kDigits * pass.tiles() ? table[at + 1] : pass.count;
  return next - table[at];
}

// Calls f(bits) for each digit from the lowest to the highest; the last one may be narrower.
template <typename F>
inline void for_each_digit(BitRange bits, F f) {
  for (unsigned begin = bits.begin; begin < bits.end; begin += kDigitBits) {
    f(BitRange{begin, begin + kDigitBits < bits.end ? begin + kDigitBits : bits.end});
  }
}

}  // namespace spillway::satish
