// What a block of `gpu-string-merge` does with a tile of records in shared memory: merging by keys with common
// prefixes, or by keys alone.
#pragma once

#include "sort/gpu/lcp_merge.hpp"
#include "sort/gpu/string_merge_shape.hpp"

namespace spillway {

namespace string_merge {

inline constexpr std::uint32_t kTile = kMergeTile, kThreads = kMergeThreads, kEach = kMergeEach;

// Room in shared memory for a tile: keys apart from the rest, because most searches need no more.
struct TileStorage {
  static constexpr std::uint32_t kRoom = kTile + kTile / 8;
  std::uint64_t keys[kRoom + 2], tails[kRoom];  // the last two keys: of heads, at the root
  std::uint16_t origins[kRoom];                 // of find_origins(), of merge_own_keys()
  std::uint16_t ties[kTile];                    // of settle_ties()
  std::uint32_t tie_count;
  std::uint32_t key_bytes;  // of whole keys
};

// Records of a tile from `first` on. A gap stands after every eight: threads that read or write their own eight records
// at once then do so in different banks.
struct TileRecords {
  TileStorage& storage;
  std::uint32_t first;
  bool has_origins = false;
  __device__ std::uint32_t place(std::uint32_t i) const { return first + i + (first + i) / 8; }
  __device__ MergeRecord operator[](std::uint32_t i) const {
    const std::uint64_t tail = storage.tails[place(i)];
    return {storage.keys[place(i)], static_cast<std::uint32_t>(tail >> 32), static_cast<std::uint32_t>(tail)};
  }
  __device__ void put(std::uint32_t i, const MergeRecord& record) const {
    storage.keys[place(i)] = record.key;
    storage.tails[place(i)] = std::uint64_t{record.lcp} << 32 | record.index;
  }
  __device__ TileRecords behind(std::uint32_t count) const { return {storage, first + count, has_origins}; }
};

// The key at the root where it is known: a marked record has the first bytes of its origin, and goes on.
inline __device__ PrefixKey key_of(const TileRecords& run, std::uint32_t i) {
  const PrefixKey key = run.storage.keys[run.place(i)];
  if ((key & kKeyMark) == 0 || !run.has_origins) return key;
  return (run.storage.keys[run.storage.origins[run.place(i)]] & kKeySymbols) | run.storage.key_bytes | kKeyGoesOn;
}

using TileRuns = RunPair<TileRecords, TileRecords>;

// The thread's part of merging runs that stand in shared memory: strings [begin, begin + kEach) of the merged sequence.
inline __device__ void merge_own(const MergeContext& context, const TileRuns& runs, std::uint32_t begin,
                                 MergeRecord (&merged)[kEach]) {
  MergePoint point = find_merge_point(context, runs, begin);
  MergeHeads heads = heads_at(context, runs, point);
  const std::uint32_t left = runs.a_count + runs.b_count - begin;
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if (i < left) merged[i] = merge_step(context, runs, point, heads);
  }
}

inline __device__ void put_own(const TileRecords& records, std::uint32_t begin, std::uint32_t count,
                               const MergeRecord (&merged)[kEach]) {
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    if (begin + i < count) records.put(begin + i, merged[i]);
  }
}

// Sorts the thread's own strings by merging runs of 1, 2 and 4.
inline __device__ void sort_own(const MergeContext& context, const TileRecords& records, std::uint32_t begin,
                                std::uint32_t count) {
  MergeRecord merged[kEach];
#pragma unroll
  for (std::uint32_t run = 1; run < kEach; run *= 2) {
#pragma unroll
    for (std::uint32_t pair = 0; pair < kEach; pair += 2 * run) {
      if (begin + pair >= count) break;
      const TileRecords a = records.behind(begin + pair);
      const std::uint32_t left = count - begin - pair;
      const std::uint32_t a_count = left < run ? left : run;
      const std::uint32_t b_count = left - a_count < run ? left - a_count : run;
      const TileRuns runs{a, a.behind(a_count), a_count, b_count};
      MergePoint point{0, 0};
      MergeHeads heads = heads_at(context, runs, point);
#pragma unroll
      for (std::uint32_t i = 0; i < 2 * run; ++i) {
        if (i < left) merged[pair + i] = merge_step(context, runs, point, heads);
      }
    }
    put_own(records, begin, count, merged);
  }
}

// The last value of the lanes and warps before this thread that is not kNone. All threads of the block call it.
inline constexpr std::uint32_t kNone = 0xFFFF;
inline __device__ std::uint32_t last_before(std::uint32_t value) {
  __shared__ std::uint32_t of_warps[kThreads / 32];
  const std::uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned having = __ballot_sync(0xFFFFFFFF, value != kNone);
  const unsigned before = having & ((1u << lane) - 1);
  const std::uint32_t last = __shfl_sync(0xFFFFFFFF, value, 31 - __clz(static_cast<int>(having | 1)));
  if (lane == 0) of_warps[warp] = having == 0 ? kNone : last;
  const std::uint32_t in_warp = __shfl_sync(0xFFFFFFFF, value, 31 - __clz(static_cast<int>(before | 1)));
  __syncthreads();
  if (before != 0) return in_warp;
  for (std::uint32_t i = warp; i-- > 0;) {
    if (of_warps[i] != kNone) return of_warps[i];
  }
  return kNone;
}

inline __device__ bool has_own_marks(const TileRecords& records, std::uint32_t begin, std::uint32_t count) {
  bool has_marks = false;
  for (std::uint32_t i = begin; i < begin + kEach && i < count; ++i) {
    has_marks |= (records.storage.keys[records.place(i)] & kKeyMark) != 0;
  }
  return has_marks;
}

// Notes for each record of a tile where the last one at the root stands that is not behind it in its run: a marked
// record shares its bytes there, because it shares all of them with the string before it. The first one of a whole run
// is never marked; of the heads of a tile, at 0 and a_count, those that are get a key of their own.
inline __device__ void find_origins(const MergeContext& context, const TileRecords& records, std::uint32_t a_count,
                                    std::uint32_t count) {
  TileStorage& storage = records.storage;
  const std::uint32_t begin = threadIdx.x * kEach;
  const auto origin = [&](std::uint32_t i, std::uint32_t last) {
    if ((storage.keys[records.place(i)] & kKeyMark) == 0) return records.place(i);
    return i == 0 ? TileStorage::kRoom : i == a_count ? TileStorage::kRoom + 1 : last;
  };
  std::uint32_t last = kNone;
  for (std::uint32_t i = begin; i < begin + kEach && i < count; ++i) last = origin(i, last);
  last = last_before(last);
  for (std::uint32_t i = begin; i < begin + kEach && i < count; ++i) {
    last = origin(i, last);
    storage.origins[records.place(i)] = static_cast<std::uint16_t>(last);
    if (last >= TileStorage::kRoom && (i == 0 || i == a_count)) {
      storage.keys[last] = load_key(context.alphabet, context[records[i].index], context.root);
    }
  }
}

// merge_own() for a tile without marks, by the keys alone: `origins` gets the place of each record of the merged
// sequence, a's before b's where keys are equal. True where two are that do not tell all: one of the block's threads
// sees every such key of both runs. No key is all ones.
inline __device__ bool merge_own_keys(const TileRuns& runs, std::uint32_t begin) {
  TileStorage& storage = runs.a.storage;
  SearchRange range = search_range(runs, begin);
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    const bool is_b_first = storage.keys[runs.b.place(begin - 1 - middle)] < storage.keys[runs.a.place(middle)];
    range = is_b_first ? SearchRange{range.begin, middle} : SearchRange{middle + 1, range.end};
  }
  MergePoint point{range.begin, begin - range.begin};
  const auto key_or_end = [&](const TileRecords& run, std::uint32_t i, std::uint32_t count) {
    return i < count ? storage.keys[run.place(i)] : ~PrefixKey{0};
  };
  PrefixKey a = key_or_end(runs.a, point.a, runs.a_count), b = key_or_end(runs.b, point.b, runs.b_count);
  bool has_ties = false;
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const bool is_b = b < a;
    has_ties |= a == b && (a & kKeyGoesOn) != 0 && a != ~PrefixKey{0};
    storage.origins[runs.a.place(begin + i)] =
        static_cast<std::uint16_t>(is_b ? runs.b.place(point.b) : runs.a.place(point.a));
    if (is_b) {
      b = key_or_end(runs.b, ++point.b, runs.b_count);
    } else {
      a = key_or_end(runs.a, ++point.a, runs.a_count);
    }
  }
  return has_ties;
}

}  // namespace string_merge

}  // namespace spillway
