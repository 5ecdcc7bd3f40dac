#include "sort/gpu/string_merge_sorter.hpp"

#include <algorithm>

#include "sort/gpu/cuda_check.cuh"
#include "sort/gpu/string_compare.cuh"
#include "sort/gpu/string_merge_key_sort.cuh"
#include "sort/gpu/string_merge_ties.cuh"
#include "sort/gpu/string_used_bytes.cuh"

namespace spillway {

namespace {

using namespace string_merge;

// Blocks on a multiprocessor: 64 registers a thread. A few spill, but 32 warps run instead of 24: 6.45 ms became 5.58
// for 20 M short strings on an H200; 16 strings a thread in half as many threads took 7.25.
constexpr std::uint32_t kBlocks = 4;
constexpr std::uint32_t kLanes = 16;            // that search for one tile's start together
constexpr std::uint32_t kStartThreads = 128;    // a block of such searches
constexpr std::uint32_t kRootThreads = 256;     // a block of the search for the prefix that all share
constexpr std::uint32_t kRootBlocks = 132 * 8;  // fills an H200; any number does

constexpr std::uint32_t kMostMarked = kThreads * 3 / 4;  // threads with a mark, of a tile that goes on without them

// Where a tile of the output begins in its two runs, and the heads there.
struct TileStart {
  MergeHeads heads;
  std::uint32_t a;
};

// Two neighbouring runs of a pass in device memory.
struct PassRuns {
  std::size_t begin;  // of a; b follows
  RunPair<const MergeRecord*, const MergeRecord*> runs;
  __device__ PassRuns(const MergeRecord* d_from, std::size_t count, std::size_t run, std::size_t at)
      : begin(at / (2 * run) * (2 * run)), runs{} {
    const std::size_t left = count - begin;
    runs.a_count = static_cast<std::uint32_t>(left < run ? left : run);
    runs.b_count = static_cast<std::uint32_t>(left - runs.a_count < run ? left - runs.a_count : run);
    runs.a = d_from + begin;
    runs.b = runs.a + runs.a_count;
  }
};

// Sixteen bytes at once, which the compiler does not see by itself.
__device__ MergeRecord load_record(const MergeRecord* from) {
  const uint4 words = *reinterpret_cast<const uint4*>(from);
  return {std::uint64_t{words.y} << 32 | words.x, words.z, words.w};
}
__device__ void store_record(MergeRecord* to, const MergeRecord& record) {
  *reinterpret_cast<uint4*>(to) = {static_cast<unsigned>(record.key), static_cast<unsigned>(record.key >> 32),
                                   record.lcp, record.index};
}

// What a pass gives: records for the next one, or the result.
struct PassOutput {
  MergeRecord* d_records;
  std::uint32_t *d_order, *d_lcps;  // d_order: null but in the last pass
  __device__ void put(std::size_t at, const MergeRecord& record) const {
    if (d_order == nullptr) {
      store_record(d_records + at, record);
      return;
    }
    d_order[at] = record.index;
    if (d_lcps != nullptr) d_lcps[at] = at == 0 ? 0 : record.lcp;
  }
};

// What is found out about the strings before they are sorted.
struct MergeSet {
  std::uint32_t used[8];  // byte values that occur, as for make_key_symbols
  KeySymbols symbols;
  std::uint32_t root;  // bytes that all strings share
  __device__ KeyAlphabet alphabet() const { return {symbols.symbol_of, symbols.bits}; }
};

__global__ void __launch_bounds__(kRootThreads) find_used_kernel(DeviceStrings strings, MergeSet* d_set) {
  find_used_bytes(strings, d_set->used);
}

// One thread a byte value.
__global__ void __launch_bounds__(256) make_symbols_kernel(MergeSet* d_set) {
  const unsigned byte = threadIdx.x, word = byte / 32;
  std::uint32_t before = __popc(d_set->used[word] & ((1u << (byte % 32)) - 1));
  for (unsigned i = 0; i < word; ++i) before += __popc(d_set->used[i]);
  d_set->symbols.symbol_of[byte] = static_cast<std::uint8_t>(before);
  if (byte == 255) d_set->symbols.bits = symbol_bits(before + (d_set->used[7] >> 31));
}

// Lowers *d_root to what string 0 shares with every `step`-th string.
__global__ void __launch_bounds__(kRootThreads)
    common_prefix_kernel(DeviceStrings strings, std::size_t count, std::size_t step, std::uint32_t* d_root) {
  const volatile std::uint32_t* const root = d_root;
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  const DeviceString first = string_at(strings, 0);
  for (std::size_t i = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) * step; i < count; i += threads * step) {
    const std::uint32_t limit = *root;
    if (limit == 0) return;
    const DeviceString string = string_at(strings, static_cast<std::uint32_t>(i));
    const std::uint32_t shared = shared_prefix({first.data, first.bytes < limit ? first.bytes : limit}, string, 0);
    if (shared < limit) atomicMin(d_root, shared);
  }
}

// With origins found, keys are put out at the root and without marks.
__device__ void put_tile(const TileRecords& records, std::size_t at, std::uint32_t count, const PassOutput& output) {
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    MergeRecord record = records[i];
    if (records.has_origins) record.key = key_of(records, i);
    output.put(at + i, record);
  }
}

// Puts out a tile that was sorted or merged by keys, with LCPs from neighbouring keys where these tell them. `key_of`:
// of a number in the order.
template <typename KeyOf>
__device__ void put_tile_by_keys(const TileRecords& records, std::size_t at, std::uint32_t count,
                                 const MergeContext& context, const PassOutput& output, KeyOf key_of) {
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const PrefixKey key = key_of(i);
    const std::uint64_t tail = records.storage.tails[records.storage.origins[records.place(i)]];
    auto lcp = static_cast<std::uint32_t>(tail >> 32);
    if (i != 0) {
      const KeyOrder order = compare_whole_keys(context.alphabet, key_of(i - 1), key);
      if (order.is_settled) lcp = context.root + order.shared;
    }
    output.put(at + i, {key, lcp, static_cast<std::uint32_t>(tail)});
  }
}

__device__ std::uint32_t tile_count(std::size_t count) {
  const std::size_t left = count - std::size_t{blockIdx.x} * kTile;
  return left < kTile ? static_cast<std::uint32_t>(left) : kTile;
}

// Sorts the strings of a tile.
__global__ void __launch_bounds__(kThreads, kBlocks)
    sort_tiles_kernel(DeviceStrings strings, std::size_t all, const MergeSet* d_set, PassOutput output) {
  __shared__ TileStorage storage;
  TileRecords records{storage, 0};
  const std::uint32_t count = tile_count(all), begin = threadIdx.x * kEach, root = d_set->root;
  const std::size_t at = std::size_t{blockIdx.x} * kTile;
  const MergeContext context{strings, d_set->alphabet(), root, root};
  if (threadIdx.x == 0) {
    storage.key_bytes = context.alphabet.key_bytes();
    storage.tie_count = 0;
  }
  for (std::uint32_t i = threadIdx.x; i < kTile; i += kThreads) {
    const auto index = static_cast<std::uint32_t>(at + i);
    const bool is_there = i < count;
    const PrefixKey key = is_there ? load_key(context.alphabet, string_at(strings, index), root) : kNoKey;
    records.put(i, {key, root, index});
  }
  __syncthreads();
  sort_keys(records, count);
  if (settle_equal_keys(context, records, count)) {
    put_tile_by_keys(records, at, count, context, output, [&](std::uint32_t i) { return sorted_key(records, i); });
    return;
  }
  undo_key_sort(records);
  sort_own(context, records, begin, count);
  MergeRecord merged[kEach];
#pragma unroll 1
  for (std::uint32_t run = kEach; run < kTile && run < count; run *= 2) {
    records.has_origins = __syncthreads_or(has_own_marks(records, begin, count)) != 0;
    if (records.has_origins) {
      find_origins(context, records, count, count);
      __syncthreads();
    }
    const std::uint32_t pair = begin / (2 * run) * (2 * run);
    if (begin < count) {
      const std::uint32_t left = count - pair, a_count = left < run ? left : run;
      const std::uint32_t b_count = left - a_count < run ? left - a_count : run;
      merge_own(context, {records.behind(pair), records.behind(pair + a_count), a_count, b_count}, begin - pair,
                merged);
    }
    __syncthreads();
    put_own(records, begin, count, merged);
  }
  __syncthreads();
  const int marked = __syncthreads_count(has_own_marks(records, begin, count));
  records.has_origins = marked != 0 && marked <= static_cast<int>(kMostMarked);
  if (records.has_origins) {
    find_origins(context, records, count, count);
    __syncthreads();
  }
  put_tile(records, at, count, output);
}

// Finds the start of every tile of the merged sequences: kLanes probes a round.
__global__ void __launch_bounds__(kStartThreads)
    find_starts_kernel(DeviceStrings strings, std::size_t count, std::size_t run, const MergeSet* d_set,
                       const MergeRecord* d_from, TileStart* d_starts) {
  const std::size_t thread = std::size_t{blockIdx.x} * kStartThreads + threadIdx.x;
  const std::size_t tile = thread / kLanes, at = tile * kTile;
  const auto lane = static_cast<std::uint32_t>(thread % kLanes);
  const unsigned group = ((1u << kLanes) - 1) << (threadIdx.x % 32 / kLanes * kLanes);
  if (at >= count) return;
  const PassRuns pass(d_from, count, run, at);
  const std::uint32_t root = d_set->root;
  const MergeContext context{strings, d_set->alphabet(), root, root};
  const auto diagonal = static_cast<std::uint32_t>(at - pass.begin);
  SearchRange range = search_range(pass.runs, diagonal);
  while (range.begin < range.end) {
    // Probes cut the range into kLanes + 1 parts; those that are before come first.
    const std::uint32_t size = range.end - range.begin;
    const auto probe = range.begin + static_cast<std::uint32_t>(std::uint64_t{size} * (lane + 1) / (kLanes + 1));
    const bool is_one = probe < range.end && is_before(context, pass.runs, diagonal, probe);
    const std::uint32_t before = __popc(__ballot_sync(group, is_one) & group);
    const auto border = [&](std::uint32_t i) {
      return range.begin + static_cast<std::uint32_t>(std::uint64_t{size} * i / (kLanes + 1));
    };
    range = {before == 0 ? range.begin : border(before) + 1, before == kLanes ? range.end : border(before + 1)};
  }
  const MergePoint point{range.begin, diagonal - range.begin};
  if (lane == 0) d_starts[tile] = {heads_at(context, pass.runs, point), point.a};
}

// A tile of the output, by where it begins in its two runs.
struct PassTile {
  PassRuns pass;
  TileStart start;
  std::uint32_t b, a_count, count;  // its first string of run b, and how many it has of a and in all

  // As the run has it, but for what it shares with the string put out last.
  __device__ MergeRecord record(std::uint32_t i) const {
    MergeRecord record = load_record(i < a_count ? pass.runs.a + start.a + i : pass.runs.b + b + (i - a_count));
    if (i == 0 && a_count != 0) record.lcp = start.heads.a.lcp;
    if (i == a_count) record.lcp = start.heads.b.lcp;
    return record;
  }
};

// What is found out about a tile when it is loaded.
struct TileFacts {
  std::uint32_t shared;  // bytes that all of its strings share
  std::uint32_t ties;    // kTile for each mark
};

__device__ void load_tile(const PassTile& tile, const TileRecords& records, std::uint32_t root, TileFacts& facts) {
  std::uint32_t least = 0xFFFFFFFF, ties = 0;
  const std::uint32_t whole = root + records.storage.key_bytes;
  for (std::uint32_t i = threadIdx.x; i < tile.count; i += kThreads) {
    const MergeRecord record = tile.record(i);
    records.put(i, record);
    ties += (record.key & kKeyMark) != 0 ? kTile : record.lcp >= whole ? 1 : 0;
    least = record.lcp < least ? record.lcp : least;
  }
  for (int step = 16; step != 0; step /= 2) {
    least = min(least, __shfl_xor_sync(0xFFFFFFFF, least, step));
    ties += __shfl_xor_sync(0xFFFFFFFF, ties, step);
  }
  if (threadIdx.x % 32 != 0) return;
  atomicMin(&facts.shared, least);
  atomicAdd(&facts.ties, ties);
}

// Takes the heads as they are in the tile, and marks ties: what merging with LCPs wants.
__device__ void mark_ties(const PassTile& tile, const TileRecords& records, const MergeContext& context) {
  for (std::uint32_t i = threadIdx.x; i < tile.count; i += kThreads) {
    const MergeRecord record = i == 0 && tile.a_count != 0 ? tile.start.heads.a
                               : i == tile.a_count         ? tile.start.heads.b
                                                           : records[i];
    const bool is_open = (record.key & kKeyMark) == 0 && is_tie(record, context.root);
    records.put(i, is_open ? move_on(context, record, record.lcp) : record);
  }
}

// Merges the runs of a pass, a tile of the output a block.
__global__ void __launch_bounds__(kThreads, kBlocks)
    merge_tiles_kernel(DeviceStrings strings, std::size_t all, std::size_t run, const MergeSet* d_set,
                       const MergeRecord* d_from, const TileStart* d_starts, PassOutput output) {
  __shared__ TileStorage storage;
  __shared__ TileFacts facts;
  const std::size_t at = std::size_t{blockIdx.x} * kTile;
  const std::uint32_t count = tile_count(all), begin = threadIdx.x * kEach;
  const PassRuns pass(d_from, all, run, at);
  const TileStart start = d_starts[blockIdx.x];
  const auto diagonal = static_cast<std::uint32_t>(at - pass.begin);
  const bool is_last = diagonal + count == pass.runs.a_count + pass.runs.b_count;
  const std::uint32_t a_count = (is_last ? pass.runs.a_count : d_starts[blockIdx.x + 1].a) - start.a;
  const PassTile tile{pass, start, diagonal - start.a, a_count, count};
  TileRecords records{storage, 0};
  const KeyAlphabet alphabet = d_set->alphabet();
  if (threadIdx.x == 0) {
    facts = {0xFFFFFFFF, 0};
    storage.key_bytes = alphabet.key_bytes();
    storage.tie_count = 0;
  }
  __syncthreads();
  load_tile(tile, records, d_set->root, facts);
  __syncthreads();
  const MergeContext context{strings, alphabet, d_set->root, facts.shared};
  if (facts.ties <= kMostTies) {
    const TileRuns runs{records, records.behind(a_count), a_count, count - a_count};
    const bool has_ties = begin < count && merge_own_keys(runs, begin);
    if (__syncthreads_or(has_ties) != 0) settle_ties(context, runs);
    put_tile_by_keys(records, at, count, context, output, [&](std::uint32_t i) { return merged_key(records, i); });
    return;
  }
  mark_ties(tile, records, context);
  __syncthreads();
  records.has_origins = true;
  find_origins(context, records, a_count, count);
  __syncthreads();
  MergeRecord merged[kEach];
  const TileRuns runs{records, records.behind(a_count), a_count, count - a_count};
  if (begin < count) merge_own(context, runs, begin, merged);
  __syncthreads();
  put_own(records, begin, count, merged);
  __syncthreads();
  records.has_origins = false;
  put_tile(records, at, count, output);
}

std::size_t tiles_of(std::size_t count) { return (count + kTile - 1) / kTile; }

struct Scratch {
  MergeRecord *d_first, *d_second;
  TileStart* d_starts;
  MergeSet* d_set;
  explicit Scratch(DeviceArena arena, std::size_t count)
      : d_first(arena.take<MergeRecord>(count)),
        d_second(arena.take<MergeRecord>(count)),
        d_starts(arena.take<TileStart>(tiles_of(count))),
        d_set(arena.take<MergeSet>(1)) {}
};

void find_set(const DeviceStrings& strings, std::size_t count, MergeSet* d_set, cudaStream_t stream) {
  cuda_check(cudaMemsetAsync(d_set->used, 0, sizeof d_set->used, stream));
  cuda_check(cudaMemsetAsync(&d_set->root, 0xFF, sizeof d_set->root, stream));
  find_used_kernel<<<kRootBlocks, kRootThreads, 0, stream>>>(strings, d_set);
  check_launch();
  make_symbols_kernel<<<1, 256, 0, stream>>>(d_set);
  check_launch();
  const std::size_t step = count / kRootThreads + 1;
  common_prefix_kernel<<<1, kRootThreads, 0, stream>>>(strings, count, step, &d_set->root);
  check_launch();
  common_prefix_kernel<<<kRootBlocks, kRootThreads, 0, stream>>>(strings, count, 1, &d_set->root);
  check_launch();
}

}  // namespace

std::size_t GpuStringMergeSorter::scratch_bytes(std::size_t count, std::size_t) const {
  if (count == 0) return 0;
  return 2 * device_aligned(count * sizeof(MergeRecord)) + device_aligned(tiles_of(count) * sizeof(TileStart)) +
         device_aligned(sizeof(MergeSet));
}

void GpuStringMergeSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  const std::size_t count = strings.count, tiles = tiles_of(count);
  if (count == 0) return;
  Scratch scratch(DeviceArena(d_scratch, scratch_bytes(count, strings.total_bytes)), count);
  find_set(strings, count, scratch.d_set, stream);
  const auto grid = static_cast<unsigned>(tiles);
  const auto output = [&](bool is_last) { return PassOutput{scratch.d_second, is_last ? d_order : nullptr, d_lcps}; };
  sort_tiles_kernel<<<grid, kThreads, 0, stream>>>(strings, count, scratch.d_set, output(tiles == 1));
  check_launch();
  for (std::size_t run = kTile; run < count; run *= 2) {
    std::swap(scratch.d_first, scratch.d_second);
    const auto start_blocks = static_cast<unsigned>((tiles * kLanes + kStartThreads - 1) / kStartThreads);
    find_starts_kernel<<<start_blocks, kStartThreads, 0, stream>>>(strings, count, run, scratch.d_set, scratch.d_first,
                                                                   scratch.d_starts);
    check_launch();
    merge_tiles_kernel<<<grid, kThreads, 0, stream>>>(strings, count, run, scratch.d_set, scratch.d_first,
                                                      scratch.d_starts, output(2 * run >= count));
    check_launch();
  }
}

}  // namespace spillway
