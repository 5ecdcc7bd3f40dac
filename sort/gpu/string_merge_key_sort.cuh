// How a block sorts a tile of strings by their keys alone, and what it does about the few whose keys are equal and do
// not tell all.
#pragma once

#include "sort/gpu/string_merge_ties.cuh"

namespace spillway {

namespace string_merge {

inline constexpr PrefixKey kNoKey = ~PrefixKey{0};  // behind all
// Equal keys of a tile whose strings are compared each with each.
inline constexpr std::uint32_t kMostEqual = 32;

// A key and the number in the tile of the record that it came with.
struct NumberedKey {
  PrefixKey key;
  std::uint32_t number;
};

// The key of place i behind sort_keys().
inline __device__ PrefixKey sorted_key(const TileRecords& records, std::uint32_t i) {
  return records.storage.keys[records.place(i)];
}

// The thread's own keys in order, equal ones as they stand.
inline __device__ void sort_own_keys(NumberedKey (&own)[kEach]) {
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

// Of two neighbouring runs of `run` keys each, the merged sequence's that belong to this thread.
inline __device__ void merge_sorted_keys(const TileRecords& records, std::uint32_t run, std::uint32_t begin,
                                         NumberedKey (&own)[kEach]) {
  const TileStorage& storage = records.storage;
  const std::uint32_t first = begin / (2 * run) * (2 * run), diagonal = begin - first;
  const TileRecords a = records.behind(first), b = records.behind(first + run);
  SearchRange range{diagonal > run ? diagonal - run : 0, diagonal < run ? diagonal : run};
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    const bool is_b_first = storage.keys[b.place(diagonal - 1 - middle)] < storage.keys[a.place(middle)];
    range = is_b_first ? SearchRange{range.begin, middle} : SearchRange{middle + 1, range.end};
  }
  MergePoint point{range.begin, diagonal - range.begin};
  const auto at = [&](const TileRecords& keys, std::uint32_t i) {
    return i < run ? NumberedKey{storage.keys[keys.place(i)], storage.origins[keys.place(i)]} : NumberedKey{kNoKey, 0};
  };
  NumberedKey a_head = at(a, point.a), b_head = at(b, point.b);
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const bool is_b = point.a == run || b_head.key < a_head.key;
    own[i] = is_b ? b_head : a_head;
    if (is_b) {
      b_head = at(b, ++point.b);
    } else {
      a_head = at(a, ++point.a);
    }
  }
}

// Sorts the keys of a tile, kNoKey behind its end, and equal ones as they stand; `origins` gets the places of the
// records that they came with. All threads of the block call it.
inline __device__ void sort_keys(const TileRecords& records, std::uint32_t count) {
  TileStorage& storage = records.storage;
  const std::uint32_t begin = threadIdx.x * kEach;
  NumberedKey own[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) own[i] = {storage.keys[records.place(begin + i)], records.place(begin + i)};
  sort_own_keys(own);
#pragma unroll 1
  for (std::uint32_t run = kEach;; run *= 2) {
    __syncthreads();
#pragma unroll
    for (std::uint32_t i = 0; i < kEach; ++i) {
      storage.keys[records.place(begin + i)] = own[i].key;
      storage.origins[records.place(begin + i)] = static_cast<std::uint16_t>(own[i].number);
    }
    __syncthreads();
    if (run >= kTile || run >= count) return;
    merge_sorted_keys(records, run, begin, own);
  }
}

// The places around `at` with its key, `most` + 1 of them at most.
inline __device__ SearchRange same_keys(const TileRecords& records, std::uint32_t count, std::uint32_t at,
                                        std::uint32_t most) {
  const PrefixKey key = sorted_key(records, at);
  SearchRange range{at, at + 1};
  const auto size = [&] { return range.end - range.begin; };
  while (range.begin > 0 && size() <= most && sorted_key(records, range.begin - 1) == key) --range.begin;
  while (range.end < count && size() <= most && sorted_key(records, range.end) == key) ++range.end;
  return range;
}

// Where a string belongs among those of `range`, which have its key, and what it shares with the one before it.
inline __device__ TieMove ranked_tie(const MergeContext& context, const TileRecords& records, SearchRange range,
                                     std::uint32_t at) {
  const TileStorage& storage = records.storage;
  const auto index = [&](std::uint32_t i) {
    return static_cast<std::uint32_t>(storage.tails[storage.origins[records.place(i)]]);
  };
  const std::uint32_t own = index(at), known = context.root + storage.key_bytes;
  std::uint32_t to = range.begin, lcp = context.root;
  for (std::uint32_t i = range.begin; i < range.end; ++i) {
    if (i == at) continue;
    const StringOrder order =
        i < at ? compare_strings(context, index(i), own, known) : compare_strings(context, own, index(i), known);
    if (order.is_b_first != i > at) continue;
    ++to;
    lcp = lcp > order.shared ? lcp : order.shared;
  }
  return {static_cast<std::uint16_t>(to), storage.origins[records.place(at)], lcp};
}

// Brings strings with equal keys into order behind sort_keys(), with LCPs. False, and nothing is changed, where there
// are too many of them for that. All threads of the block call it. Requires: tie_count is 0.
inline __device__ bool settle_equal_keys(const MergeContext& context, const TileRecords& records, std::uint32_t count) {
  TileStorage& storage = records.storage;
  note_ties(records, count, [&](std::uint32_t i) { return sorted_key(records, i); });
  __syncthreads();
  const std::uint32_t ties = storage.tie_count;
  if (ties == 0) return true;
  bool has_large = ties > kMostTies;
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < ties && !has_large; i += kThreads) {
    const SearchRange range = same_keys(records, count, storage.ties[i], kMostEqual);
    has_large = range.end - range.begin > kMostEqual;
  }
  if (__syncthreads_or(has_large) != 0) return false;
  TieMoves moves;
#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < ties; i += kThreads) {
    const std::uint32_t at = storage.ties[i];
    moves.add(ranked_tie(context, records, same_keys(records, count, at, kMostEqual), at));
  }
  __syncthreads();
  moves.put(records);
  __syncthreads();
  return true;
}

// Gives the records their keys back. All threads of the block call it.
inline __device__ void undo_key_sort(const TileRecords& records) {
  TileStorage& storage = records.storage;
  const std::uint32_t begin = threadIdx.x * kEach;
  NumberedKey own[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    own[i] = {storage.keys[records.place(begin + i)], storage.origins[records.place(begin + i)]};
  }
  __syncthreads();
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) storage.keys[own[i].number] = own[i].key;
  __syncthreads();
}

}  // namespace string_merge

}  // namespace spillway
