// The end of a round of gpu-string-merge. Strings with equal keys that go on are neighbours now: large groups of them
// are listed for another round, and small ones are sorted here, in shared memory, to the end.
#pragma once

#include "sort/gpu/string_merge/block.cuh"
#include "sort/gpu/string_merge/group_sort.hpp"
#include "sort/gpu/string_merge/pass.cuh"

namespace spillway {

namespace string_merge {

inline constexpr std::uint32_t kMaxRanked = 64;  // strings of a group that is sorted by counting

// The counter of a round has the number of groups from this bit on, and the number of their strings below it.
inline constexpr unsigned kGroupsFrom = 40;

// A sorted round and its results: the order, which changes inside groups of equal keys, and the next round's groups
// with their counter.
struct SortedRound {
  const PrefixKey* d_keys;
  std::size_t count;
  RoundGroups groups;
  std::uint32_t* d_order;
  MergeGroup* d_next;
  unsigned long long* d_counter;
  std::uint32_t block_strings;  // at most kMaxBlockGroup; a block handles the groups that begin in it

  // Returns what is known of the strings with this key, which go on.
  __device__ GroupDepth known(const MergeSet* d_set, PrefixKey key) const {
    if (groups.d_groups == nullptr) return {d_set->root() + known_bytes(key), PivotReach::kStep};
    return depth_beside_pivot(key, groups.bits, groups.of(key).known);
  }
};

// The strings of small groups of a tile, group after group.
struct FinishStorage {
  TileStorage tile;
  std::uint32_t indices[kTile], places[kTile];  // places in the result
  std::uint16_t heads[kTile];                   // number of the group's first string
  // By group: element g belongs to the group whose first string has number 2g or 2g + 1.
  std::uint16_t pivots[kTile / 2];
  std::uint32_t depths[kTile / 2];
  std::uint8_t reaches[kTile / 2];
  std::uint32_t of_warps[kThreads / 32];
  SharedSymbols symbols;

  __device__ GroupDepth known(std::uint32_t group) const { return {depths[group], PivotReach{reaches[group]}}; }
  __device__ void set_known(std::uint32_t group, GroupDepth known) {
    depths[group] = known.depth;
    reaches[group] = static_cast<std::uint8_t>(known.reach);
  }
};

// The thread's own kEach keys of a sorted tile: which go on and equal a neighbour (ties), and which differ from the key
// before (heads).
struct OwnTies {
  std::uint32_t ties = 0, heads = 0;  // one bit a key
  // `before`: the key before the tile.
  __device__ OwnTies(const TileKeys& keys, std::uint32_t count, PrefixKey before) {
    const std::uint32_t begin = threadIdx.x * kEach;
    if (begin >= count) return;
    if (begin > 0) before = keys[begin - 1];
    PrefixKey key = keys[begin];
#pragma unroll
    for (std::uint32_t i = 0; i < kEach; ++i) {
      const PrefixKey next = begin + i + 1 < count ? keys[begin + i + 1] : kNoKey;
      const bool is_there = begin + i < count, is_head = key != before;
      heads |= (is_there && is_head ? 1u : 0u) << i;
      ties |= (is_there && (key & kKeyGoesOn) != 0 && (!is_head || key == next) ? 1u : 0u) << i;
      before = key;
      key = next;
    }
  }
  __device__ bool is_tie(std::uint32_t i) const { return (ties >> i & 1) != 0; }
  __device__ bool is_head(std::uint32_t i) const { return (heads >> i & 1) != 0; }
};

// Lists the large group that begins at place `at` of the sorted round.
inline __device__ void list_large(const SortedRound& round, const MergeSet* d_set, std::size_t at, PrefixKey key) {
  std::size_t same = at + kMaxBlockGroup, end = round.count;  // the end of the group is in (same, end]
  for (std::size_t step = kMaxBlockGroup; same + step < end; step *= 2) {
    if (round.d_keys[same + step] != key) {
      end = same + step;
    } else {
      same += step;
    }
  }
  while (same + 1 < end) {
    const std::size_t middle = same + (end - same) / 2;
    if (round.d_keys[middle] == key) {
      same = middle;
    } else {
      end = middle;
    }
  }
  const auto count = static_cast<std::uint32_t>(same + 1 - at);
  const unsigned long long before = atomicAdd(round.d_counter, (1ull << kGroupsFrom) + count);
  round.d_next[before >> kGroupsFrom] = {static_cast<std::uint32_t>(round.groups.place(key, at)),
                                         static_cast<std::uint32_t>(before & ((1ull << kGroupsFrom) - 1)), count,
                                         round.known(d_set, key)};
}

// The number of strings in the storage, and whether one group has more than kMaxRanked of them.
struct Gathered {
  std::uint32_t count;
  bool has_large;
};

// Brings the strings of small groups that begin among the block's strings, `base` and the following, to the storage,
// and lists the large groups. Requires: the keys of the block's strings and the next kMaxBlockGroup are in `keys`,
// `count` in all.
inline __device__ Gathered gather_small_groups(const SortedRound& round, const MergeSet* d_set, FinishStorage& storage,
                                               std::size_t base, std::uint32_t count) {
  const TileKeys keys{storage.tile};
  const std::uint32_t begin = threadIdx.x * kEach;
  const OwnTies own(keys, count, base == 0 ? kNoKey : round.d_keys[base - 1]);
  const std::uint32_t last = own.heads == 0 ? kNone : begin + 31 - __clz(static_cast<int>(own.heads));
  std::uint32_t head = last_before(last, storage.of_warps), active = 0, all_heads[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if (own.is_head(i)) head = begin + i;
    all_heads[i] = head;
    if (!own.is_tie(i) || head >= round.block_strings) continue;
    const PrefixKey key = keys[begin + i];
    const bool is_large = head + kMaxBlockGroup < count && keys[head + kMaxBlockGroup] == key;
    if (!is_large) {
      active |= 1u << i;
    } else if (own.is_head(i)) {
      list_large(round, d_set, base + begin + i, key);
    }
  }
  const BlockSum sum = sum_before(__popc(active), storage.of_warps);
  std::uint32_t to = sum.before;
  bool has_large = false;
#pragma unroll 1
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if ((active >> i & 1) == 0) continue;
    const PrefixKey key = keys[begin + i];
    const auto place = static_cast<std::uint32_t>(round.groups.place(key, base + begin + i));
    const std::uint32_t first = to - (begin + i - all_heads[i]);
    storage.places[to] = place;
    storage.heads[to] = static_cast<std::uint16_t>(first);
    if (first == to) storage.set_known(first / 2, round.known(d_set, key));
    const bool is_end = begin + i + 1 == count || keys[begin + i + 1] != key;
    if (is_end) storage.pivots[first / 2] = static_cast<std::uint16_t>(pivot_place(first, to + 1 - first));
    has_large |= to - first >= kMaxRanked;
    ++to;
  }
  has_large = __syncthreads_or(has_large) != 0;
  for (std::uint32_t i = threadIdx.x; i < sum.all; i += kThreads) storage.indices[i] = round.d_order[storage.places[i]];
  __syncthreads();
  return {sum.all, has_large};
}

// Sorts as sort_tile() does, where no group has more than kMaxRanked strings: each string counts those of its group
// that come before it.
inline __device__ void rank_keys(FinishStorage& storage, std::uint32_t count) {
  const TileKeys keys{storage.tile};
  PrefixKey own[kEach];
  std::uint32_t ranks[kEach];
#pragma unroll
  for (std::uint32_t e = 0; e < kEach; ++e) {
    const std::uint32_t i = threadIdx.x + e * kThreads;
    if (i >= count) break;
    own[e] = keys[i];
    const PrefixKey end = (own[e] | (~PrefixKey{0} >> kBlockGroupBits));
    ranks[e] = storage.heads[i];
    for (std::uint32_t other = ranks[e]; other < count; ++other) {
      const PrefixKey key = keys[other];
      if (key > end) break;
      if (key < own[e] || (key == own[e] && other < i)) ++ranks[e];
    }
  }
  __syncthreads();
#pragma unroll
  for (std::uint32_t e = 0; e < kEach; ++e) {
    const std::uint32_t i = threadIdx.x + e * kThreads;
    if (i >= count) break;
    keys[ranks[e]] = own[e];
    keys.origin(ranks[e]) = static_cast<std::uint16_t>(i);
  }
  __syncthreads();
}

inline __device__ PivotPair pair_at(const DeviceStrings& strings, const FinishStorage& storage, std::uint32_t i) {
  const std::uint32_t group = storage.heads[i] / 2;
  return {string_at(strings, storage.indices[i]), string_at(strings, storage.indices[storage.pivots[group]]),
          storage.known(group)};
}

// Makes the keys of the storage's strings: a thread one of strings that are compared step by step, a warp one of those
// that are compared as a whole.
inline __device__ void load_group_keys(const DeviceStrings& strings, FinishStorage& storage, std::uint32_t count) {
  const TileKeys keys{storage.tile};
  const KeyAlphabet alphabet = storage.symbols.alphabet();
  const auto put = [&](std::uint32_t i, const PivotPair& pair, std::uint32_t shared) {
    const PrefixKey front = PrefixKey{storage.heads[i] / 2u} << (64 - kBlockGroupBits);
    keys[i] = front | pivot_key(alphabet, pair, shared, kBlockGroupBits);
  };
  bool has_whole = false;
  for (std::uint32_t i = threadIdx.x; i < kTile; i += kThreads) {
    if (i >= count) {
      keys[i] = kNoKey;
      continue;
    }
    const PivotPair pair = pair_at(strings, storage, i);
    has_whole |= pair.group.reach == PivotReach::kWhole;
    if (pair.group.reach == PivotReach::kStep) put(i, pair, pair.shared_bytes());
  }
  if (__syncthreads_or(has_whole) == 0) return;
  for (std::uint32_t i = threadIdx.x / 32; i < count; i += kThreads / 32) {
    const PivotPair pair = pair_at(strings, storage, i);
    if (pair.group.reach == PivotReach::kStep) continue;
    const std::uint32_t shared = warp_shared_bytes<4>(pair);
    if (threadIdx.x % 32 == 0) put(i, pair, shared);
  }
  __syncthreads();
}

// Writes the strings that now differ from all others to the order, and gathers the rest.
inline __device__ Gathered keep_ties(FinishStorage& storage, std::uint32_t count, std::uint32_t* d_order) {
  const TileKeys keys{storage.tile};
  const std::uint32_t begin = threadIdx.x * kEach;
  const OwnTies own(keys, count, kNoKey);
  const std::uint32_t last =
      (own.heads & own.ties) == 0 ? kNone : begin + 31 - __clz(static_cast<int>(own.heads & own.ties));
  std::uint32_t head = last_before(last, storage.of_warps);
  const BlockSum sum = sum_before(__popc(own.ties), storage.of_warps);
  std::uint32_t indices[kEach], places[kEach], firsts[kEach], to = sum.before;
  GroupDepth known[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if (begin + i >= count) break;
    if (own.is_tie(i) && own.is_head(i)) head = begin + i;
    indices[i] = storage.indices[keys.origin(begin + i)];
    places[i] = storage.places[begin + i];
    if (!own.is_tie(i)) {
      d_order[places[i]] = indices[i];
      continue;
    }
    const PrefixKey key = keys[begin + i];
    firsts[i] = to++ - (begin + i - head);
    known[i] = depth_beside_pivot(key, kBlockGroupBits,
                                  storage.known(static_cast<std::uint32_t>(key >> (64 - kBlockGroupBits))));
  }
  __syncthreads();
  to = sum.before;
  bool has_large = false;
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if (!own.is_tie(i)) continue;
    storage.indices[to] = indices[i];
    storage.places[to] = places[i];
    storage.heads[to] = static_cast<std::uint16_t>(firsts[i]);
    if (firsts[i] == to) storage.set_known(to / 2, known[i]);
    const bool is_end = begin + i + 1 == count || keys[begin + i + 1] != keys[begin + i];
    if (is_end) storage.pivots[firsts[i] / 2] = static_cast<std::uint16_t>(pivot_place(firsts[i], to + 1 - firsts[i]));
    has_large |= to - firsts[i] >= kMaxRanked;
    ++to;
  }
  has_large = __syncthreads_or(has_large) != 0;
  return {sum.all, has_large};
}

// Sorts the strings of the storage to the end.
inline __device__ void finish_gathered(const DeviceStrings& strings, FinishStorage& storage, Gathered ties,
                                       std::uint32_t* d_order) {
  while (ties.count != 0) {
    load_group_keys(strings, storage, ties.count);
    if (ties.has_large) {
      sort_tile({storage.tile}, ties.count);
    } else {
      rank_keys(storage, ties.count);
    }
    ties = keep_ties(storage, ties.count, d_order);
  }
}

// One block for each `block_strings` sorted strings: handles the groups that begin among them.
__global__ void __launch_bounds__(kThreads, 3)
    finish_groups_kernel(DeviceStrings strings, const MergeSet* d_set, SortedRound round) {
  extern __shared__ uint4 dynamic_storage[];
  FinishStorage& storage = *reinterpret_cast<FinishStorage*>(dynamic_storage);
  const std::size_t begin = std::size_t{blockIdx.x} * round.block_strings, left = round.count - begin;
  const std::uint32_t most = round.block_strings + kMaxBlockGroup;
  const std::uint32_t count = left < most ? static_cast<std::uint32_t>(left) : most;
  const TileKeys keys{storage.tile};
  bool has_ties = false;
  for (std::uint32_t i = threadIdx.x; i < round.block_strings && i < count; i += kThreads) {
    const PrefixKey key = round.d_keys[begin + i];
    keys[i] = key;
    has_ties |= (key & kKeyGoesOn) != 0 && i + 1 < count && round.d_keys[begin + i + 1] == key;
  }
  if (__syncthreads_or(has_ties) == 0) return;
  for (std::uint32_t i = round.block_strings + threadIdx.x; i < count; i += kThreads) keys[i] = round.d_keys[begin + i];
  storage.symbols.make(d_set->used);
  __syncthreads();
  finish_gathered(strings, storage, gather_small_groups(round, d_set, storage, begin, count), round.d_order);
}

// Sorts the groups of a list to the end, one after another in each block, and marks their strings as
// DeviceStringSorter::sort_and_mark() does where out.d_firsts is not null.
__global__ void __launch_bounds__(kThreads, 3)
    finish_list_kernel(DeviceStrings strings, SmallStringGroups groups, MarkedOrder out) {
  extern __shared__ uint4 dynamic_storage[];
  FinishStorage& storage = *reinterpret_cast<FinishStorage*>(dynamic_storage);
  const std::uint32_t group_count = *groups.d_count;
  if (blockIdx.x >= group_count) return;
  storage.symbols.make(groups.d_used);
  for (std::uint32_t group = blockIdx.x; group < group_count; group += gridDim.x) {
    const std::uint32_t begin = groups.d_begins[group], count = groups.d_counts[group];
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
      storage.indices[i] = out.d_order[begin + i];
      storage.places[i] = begin + i;
      storage.heads[i] = 0;
    }
    if (threadIdx.x == 0) {
      storage.pivots[0] = static_cast<std::uint16_t>(pivot_place(0, count));
      storage.set_known(0, {groups.d_depths[group], PivotReach::kWhole});
    }
    __syncthreads();
    finish_gathered(strings, storage, {count, count > kMaxRanked}, out.d_order);
    if (out.d_firsts == nullptr) continue;
    __syncthreads();
    for (std::uint32_t i = begin + 1 + threadIdx.x; i < begin + count; i += kThreads) {
      const DeviceString string = string_at(strings, out.d_order[i]), before = string_at(strings, out.d_order[i - 1]);
      const bool is_equal =
          string.bytes == before.bytes && shared_prefix(before, string, groups.d_depths[group]) == string.bytes;
      out.d_firsts[i] = is_equal ? 0 : 1;
    }
  }
}

}  // namespace string_merge

}  // namespace spillway
