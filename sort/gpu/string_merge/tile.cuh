// Sorts and merges the keys of a tile of gpu-string-merge in shared memory.
#pragma once

#include "sort/gpu/string_merge/set.cuh"

namespace spillway {

namespace string_merge {

inline constexpr PrefixKey kNoKey = ~PrefixKey{0};  // after all keys

// The keys of a tile, and the numbers that they had in the tile before they moved.
struct TileStorage {
  static constexpr std::uint32_t kRoom = kTile + kTile / 8;
  PrefixKey keys[kRoom];
  std::uint16_t origins[kRoom];
};

// The keys of a tile from `first` on. A gap follows every eight keys, so that threads that access their own eight keys
// at the same time use different banks.
struct TileKeys {
  TileStorage& storage;
  std::uint32_t first = 0;
  __device__ std::uint32_t place(std::uint32_t i) const { return first + i + (first + i) / 8; }
  __device__ PrefixKey& operator[](std::uint32_t i) const { return storage.keys[place(i)]; }
  __device__ std::uint16_t& origin(std::uint32_t i) const { return storage.origins[place(i)]; }
  __device__ TileKeys behind(std::uint32_t count) const { return {storage, first + count}; }
};

// Two sorted runs; of equal keys, those of run a come first.
struct TileRuns {
  TileKeys a, b;
  std::uint32_t a_count, b_count;
};

// Returns how many of the first `diagonal` merged keys come from run a. O(log diagonal).
inline __device__ std::uint32_t taken_from_a(const TileRuns& runs, std::uint32_t diagonal) {
  std::uint32_t low = diagonal > runs.b_count ? diagonal - runs.b_count : 0;
  std::uint32_t high = diagonal < runs.a_count ? diagonal : runs.a_count;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    const bool is_b_first = runs.b[diagonal - 1 - middle] < runs.a[middle];
    high = is_b_first ? middle : high;
    low = is_b_first ? low : middle + 1;
  }
  return low;
}

// Calls take(i, key, number) for the kEach keys of the merged sequence from `begin` on, in order, with their numbers in
// the tile; after the end of the sequence with kNoKey.
template <typename Take>
__device__ void merge_own(const TileRuns& runs, std::uint32_t begin, Take take) {
  const std::uint32_t taken = taken_from_a(runs, begin);
  const TileKeys keys{runs.a.storage};
  std::uint32_t a = runs.a.first + taken, b = runs.b.first + (begin - taken);
  const std::uint32_t a_end = runs.a.first + runs.a_count, b_end = runs.b.first + runs.b_count;
  PrefixKey a_key = a < a_end ? keys[a] : kNoKey, b_key = b < b_end ? keys[b] : kNoKey;
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const bool is_b = b_key < a_key;
    take(i, is_b ? b_key : a_key, is_b ? b : a);
    if (is_b) {
      ++b;
      b_key = b < b_end ? keys[b] : kNoKey;
    } else {
      ++a;
      a_key = a < a_end ? keys[a] : kNoKey;
    }
  }
}

struct NumberedKey {
  PrefixKey key;
  std::uint32_t number;
};

// Sorts the thread's own keys by odd-even transposition. Stable.
inline __device__ void sort_own(NumberedKey (&own)[kEach]) {
#pragma unroll
  for (std::uint32_t round = 0; round < kEach; ++round) {
#pragma unroll
    for (std::uint32_t i = round % 2; i + 1 < kEach; i += 2) {
      if (own[i + 1].key < own[i].key) {
        const NumberedKey kept = own[i];
        own[i] = own[i + 1];
        own[i + 1] = kept;
      }
    }
  }
}

// Sorts the keys of a tile, with kNoKey after its end, and sets their origins. Stable. Skips the merge of neighbouring
// runs that are already in order. Requires: all threads of the block call it; the keys are in place.
inline __device__ void sort_tile(const TileKeys& keys, std::uint32_t count) {
  const std::uint32_t begin = threadIdx.x * kEach;
  NumberedKey own[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) own[i] = {keys[begin + i], begin + i};
  sort_own(own);
#pragma unroll 1
  for (std::uint32_t run = kEach;; run *= 2) {
    __syncthreads();
#pragma unroll
    for (std::uint32_t i = 0; i < kEach; ++i) {
      keys[begin + i] = own[i].key;
      keys.origin(begin + i) = static_cast<std::uint16_t>(own[i].number);
    }
    __syncthreads();
    if (run >= kTile || run >= count) return;
    const std::uint32_t pair = begin / (2 * run) * (2 * run);
    if (keys[pair + run - 1] <= keys[pair + run]) continue;
    merge_own({keys.behind(pair), keys.behind(pair + run), run, run}, begin - pair,
              [&](std::uint32_t i, PrefixKey key, std::uint32_t number) {
                own[i] = {key, keys.origin(number)};
              });
  }
}

}  // namespace string_merge

}  // namespace spillway
