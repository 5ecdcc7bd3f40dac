// The sources of a round of gpu-string-merge: which strings its tiles hold, and their keys.
#pragma once

#include "sort/gpu/string_merge/pass.cuh"

namespace spillway {

namespace string_merge {

// The first round: all strings, by the bytes after their common prefix.
struct AllStrings {
  static constexpr bool kHasPivots = false;
  __device__ std::uint32_t index(std::size_t at) const { return static_cast<std::uint32_t>(at); }
  __device__ void begin_tile(const DeviceStrings&, std::size_t) {}
  __device__ std::uint32_t depth(const MergeSet* d_set, std::size_t) const { return d_set->root(); }
  __device__ static constexpr bool is_whole(std::size_t) { return false; }
  __device__ PrefixKey key(const KeyAlphabet& alphabet, const DeviceString& string, const UnalignedWord& word,
                           std::uint32_t depth, std::size_t) const {
    return load_key(alphabet, string, depth, 0, word);
  }
};

// The groups that a tile can intersect.
struct TileGroups {
  static constexpr std::uint32_t kMost = 3;
  static_assert((kMost - 1) * kMaxBlockGroup >= kTile);
  MergeGroup groups[kMost];
  DeviceString pivots[kMost];
};

// A later round: groups of strings with equal keys, by their relation to the group's pivot.
struct StringsOfGroups {
  static constexpr bool kHasPivots = true;
  RoundGroups all;
  std::uint32_t count;  // of groups
  const std::uint32_t* d_order;
  std::uint32_t first;  // the tile's first group; set by begin_tile()
  TileGroups* s_tile;

  // Requires: all threads of the block call it, and synchronize before they use the source.
  __device__ void begin_tile(const DeviceStrings& strings, std::size_t at) {
    __shared__ TileGroups tile;
    __shared__ std::uint32_t shared_first;
    s_tile = &tile;
    if (threadIdx.x < 32) {
      const std::uint32_t next =
          warp_partition_point(0, count, [&](std::uint32_t i) { return all.d_groups[i].first <= at; });
      if (threadIdx.x == 0) shared_first = next - 1;
      const std::uint32_t number = next - 1 + threadIdx.x;
      if (threadIdx.x < TileGroups::kMost) {
        if (number < count) {
          const MergeGroup group = all.d_groups[number];
          tile.groups[threadIdx.x] = group;
          tile.pivots[threadIdx.x] = string_at(strings, d_order[pivot_place(group.begin, group.count)]);
        } else {
          tile.groups[threadIdx.x] = {0, 0xFFFFFFFF, 0, {0, PivotReach::kStep}};
        }
      }
    }
    __syncthreads();
    first = shared_first;
  }
  // Returns the number in the tile of the group of string `at` of the round.
  __device__ std::uint32_t group_of(std::size_t at) const {
    std::uint32_t group = 0;
    while (group + 1 < TileGroups::kMost && s_tile->groups[group + 1].first <= at) ++group;
    return group;
  }
  __device__ std::uint32_t index(std::size_t at) const {
    const MergeGroup& group = s_tile->groups[group_of(at)];
    return d_order[group.begin + (at - group.first)];
  }
  __device__ std::uint32_t depth(const MergeSet*, std::size_t at) const {
    return s_tile->groups[group_of(at)].known.depth;
  }
  // Returns whether string `at`, or one of the tile, is compared with its pivot as a whole.
  __device__ bool is_whole(std::size_t at) const {
    return s_tile->groups[group_of(at)].known.reach == PivotReach::kWhole;
  }
  __device__ bool has_whole() const {
    bool has = false;
    for (const MergeGroup& group : s_tile->groups) has |= group.known.reach == PivotReach::kWhole;
    return has;
  }
  __device__ PrefixKey key(const KeyAlphabet& alphabet, const DeviceString& string, const UnalignedWord&, std::uint32_t,
                           std::size_t at) const {
    const PivotPair beside = pair(string, at);
    return key(alphabet, beside, beside.shared_bytes(), at);
  }
  __device__ PivotPair pair(const DeviceString& string, std::size_t at) const {
    const std::uint32_t group = group_of(at);
    return {string, s_tile->pivots[group], s_tile->groups[group].known};
  }
  // `shared`: beside.shared_bytes().
  __device__ PrefixKey key(const KeyAlphabet& alphabet, const PivotPair& beside, std::uint32_t shared,
                           std::size_t at) const {
    const PrefixKey front = all.bits == 0 ? 0 : PrefixKey{first + group_of(at)} << (64 - all.bits);
    return front | pivot_key(alphabet, beside, shared, all.bits);
  }
};

// The strings of a round: `count` of `all`, which the source selects.
struct RoundStrings {
  DeviceStrings all;
  std::size_t count;
  const MergeSet* d_set;
};

// The block's tile: strings [at, at + count) of the round.
struct RoundTile {
  std::size_t at;
  std::uint32_t count;
};

// Makes the keys of a tile, but for strings that are compared as a whole. A thread has the loads of two strings in
// flight.
template <typename Source>
__device__ void make_keys(const RoundStrings& strings, const Source& source, const KeyAlphabet& alphabet,
                          const RoundTile& tile, const TileKeys& keys) {
  constexpr std::uint32_t kAtOnce = 2;
#pragma unroll 1
  for (std::uint32_t begin = threadIdx.x; begin < kTile; begin += kAtOnce * kThreads) {
    DeviceString some[kAtOnce];
    UnalignedWord words[kAtOnce];
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t number = begin + i * kThreads;
      if (number < tile.count) some[i] = string_at(strings.all, source.index(tile.at + number));
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t number = begin + i * kThreads;
      if (number >= tile.count) continue;
      const std::uint32_t depth = source.depth(strings.d_set, tile.at + number);
      words[i] = load_unaligned(some[i].data + depth, some[i].bytes - depth);
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const std::uint32_t number = begin + i * kThreads;
      const std::size_t at = tile.at + number;
      if (number < tile.count && source.is_whole(at)) continue;
      keys[number] =
          number >= tile.count ? kNoKey : source.key(alphabet, some[i], words[i], source.depth(strings.d_set, at), at);
    }
  }
}

// Makes the keys that make_keys() leaves out, one string a warp, because these strings share many bytes.
template <typename Source>
__device__ void make_whole_keys(const RoundStrings& strings, const Source& source, const KeyAlphabet& alphabet,
                                const RoundTile& tile, const TileKeys& keys) {
  for (std::uint32_t number = threadIdx.x / 32; number < tile.count; number += kThreads / 32) {
    const std::size_t at = tile.at + number;
    if (!source.is_whole(at)) continue;
    const PivotPair beside = source.pair(string_at(strings.all, source.index(at)), at);
    const std::uint32_t shared = warp_shared_bytes<2>(beside);
    if (threadIdx.x % 32 == 0) keys[number] = source.key(alphabet, beside, shared, at);
  }
}

// Makes and sorts the keys of a tile. The first thread also clears *d_counter, which will count the groups of this
// round.
template <typename Source>
__global__ void __launch_bounds__(kThreads, blocks_at_once(6))
    sort_tiles_kernel(const __grid_constant__ RoundStrings strings, Source source,
                      const __grid_constant__ RoundOutput output, unsigned long long* d_counter) {
  __shared__ TileStorage storage;
  __shared__ SharedSymbols symbols;
  const RoundTile tile{std::size_t{blockIdx.x} * kTile, tile_count(strings.count)};
  if (blockIdx.x == 0 && threadIdx.x == 0) *d_counter = 0;
  symbols.make(strings.d_set->used);
  source.begin_tile(strings.all, tile.at);
  __syncthreads();
  const KeyAlphabet alphabet = symbols.alphabet();
  const TileKeys keys{storage};
  make_keys(strings, source, alphabet, tile, keys);
  if constexpr (Source::kHasPivots) {
    if (source.has_whole()) make_whole_keys(strings, source, alphabet, tile, keys);
  }
  __syncthreads();
  sort_tile(keys, tile.count);
  // All indices of the tile are read before the first is written: a round of one tile writes them to where it reads
  // them.
  std::uint32_t indices[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const std::uint32_t number = threadIdx.x + i * kThreads;
    if (number < tile.count) indices[i] = source.index(tile.at + keys.origin(number));
  }
  __syncthreads();
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const std::uint32_t number = threadIdx.x + i * kThreads;
    if (number < tile.count) output.put(tile.at + number, keys[number], indices[i]);
  }
}

}  // namespace string_merge

}  // namespace spillway
