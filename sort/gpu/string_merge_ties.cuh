// How a tile that was merged by keys alone gets the order of strings whose keys are equal and do not tell all. There
// are few of them in most texts: they are gathered, so that a thread has one each, instead of 31 lanes that wait for
// one.
#pragma once

#include "sort/gpu/string_merge_tile.cuh"

namespace spillway {

namespace string_merge {

// Of a tile that is sorted or merged by keys: more are left to merging with LCPs.
inline constexpr std::uint32_t kMostTies = kTile / 4;

// Whether a record without a mark shares its whole key with the string before it in its run, and both go on.
inline __device__ bool is_tie(const MergeRecord& record, std::uint32_t root) {
  return !can_advance_key(record.key, record.lcp - root);
}

// The key of place i of the merged sequence.
inline __device__ PrefixKey merged_key(const TileRecords& records, std::uint32_t i) {
  return records.storage.keys[records.storage.origins[records.place(i)]];
}

// Notes the numbers in the order whose key does not tell all and is that of a neighbour. Requires: tie_count is 0.
template <typename KeyOf>
__device__ void note_ties(const TileRecords& records, std::uint32_t count, KeyOf key_of) {
  TileStorage& storage = records.storage;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const PrefixKey key = key_of(i);
    if ((key & kKeyGoesOn) == 0) continue;
    if ((i > 0 && key_of(i - 1) == key) || (i + 1 < count && key_of(i + 1) == key)) {
      storage.ties[atomicAdd(&storage.tie_count, 1)] = static_cast<std::uint16_t>(i);
    }
  }
}

// The part of a run with this key.
inline __device__ SearchRange equal_keys(const TileRecords& run, std::uint32_t count, PrefixKey key) {
  const auto first_not = [&](auto is_before) {
    SearchRange range{0, count};
    while (range.begin < range.end) {
      const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
      if (is_before(run.storage.keys[run.place(middle)])) {
        range.begin = middle + 1;
      } else {
        range.end = middle;
      }
    }
    return range.begin;
  };
  return {first_not([key](PrefixKey other) { return other < key; }),
          first_not([key](PrefixKey other) { return other <= key; })};
}

// Where a tie belongs, by its places in the merged sequence and in shared memory, and what it shares with the string
// that comes before it there.
struct TieMove {
  std::uint16_t to, from;
  std::uint32_t lcp;
};

// The thread's own. Those of all threads are put when all are known.
struct TieMoves {
  TieMove moves[kEach];
  std::uint32_t count = 0;
  __device__ void add(const TieMove& move) { moves[count++] = move; }
  __device__ void put(const TileRecords& records) const {
    TileStorage& storage = records.storage;
#pragma unroll 1
    for (std::uint32_t i = 0; i < count; ++i) {
      storage.origins[records.place(moves[i].to)] = moves[i].from;
      const std::uint64_t index = storage.tails[moves[i].from] & 0xFFFFFFFF;
      storage.tails[moves[i].from] = std::uint64_t{moves[i].lcp} << 32 | index;
    }
  }
};

// For place `at`: among the other run's strings with the same key by comparing strings, among its own as it stands.
inline __device__ TieMove settled_tie(const MergeContext& context, const TileRuns& runs, std::uint32_t at) {
  const TileStorage& storage = runs.a.storage;
  const std::uint32_t from = storage.origins[runs.a.place(at)];
  const std::uint32_t number = from - from / 9;  // of which `from` is the place
  const bool is_b = number >= runs.a_count;
  const TileRecords other = is_b ? runs.a : runs.b;
  const SearchRange all = equal_keys(other, is_b ? runs.a_count : runs.b_count, storage.keys[from]);
  const auto index = static_cast<std::uint32_t>(storage.tails[from]);
  const std::uint32_t known = context.root + storage.key_bytes;
  auto lcp = static_cast<std::uint32_t>(storage.tails[from] >> 32);
  SearchRange range = all;
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    const std::uint32_t other_index = other[middle].index;
    const StringOrder order = compare_strings(context, is_b ? other_index : index, is_b ? index : other_index, known);
    if (order.is_b_first == is_b) {
      range.end = middle;
    } else {
      range.begin = middle + 1;
      lcp = lcp > order.shared ? lcp : order.shared;
    }
  }
  const std::uint32_t to = is_b ? at - (all.end - range.begin) : at + (range.begin - all.begin);
  return {static_cast<std::uint16_t>(to), static_cast<std::uint16_t>(from), lcp};
}

// Brings the merged sequence of merge_own_keys() into order, and the LCPs of ties up to date: what they share with the
// string before them is the most that they share with one of those that come before. All threads of the block call it.
inline __device__ void settle_ties(const MergeContext& context, const TileRuns& runs) {
  TileStorage& storage = runs.a.storage;
  note_ties(runs.a, runs.a_count + runs.b_count, [&](std::uint32_t i) { return merged_key(runs.a, i); });
  __syncthreads();
  const std::uint32_t count = storage.tie_count;
  if (count == 0) return;
  TieMoves moves;
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    moves.add(settled_tie(context, runs, storage.ties[i]));
  }
  __syncthreads();
  moves.put(runs.a);
  __syncthreads();
}

}  // namespace string_merge

}  // namespace spillway
