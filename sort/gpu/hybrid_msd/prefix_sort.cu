#include "sort/gpu/hybrid_msd/prefix_sort.hpp"

#include <algorithm>
#include <cub/block/block_merge_sort.cuh>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/first_gpu.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/hybrid_msd/prefix_msd.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kThreads = 256;          // a block
constexpr std::uint32_t kChunk = 64 * kThreads;  // items of a bucket that a block counts or moves
constexpr std::uint32_t kEach = kMsdTile / kThreads;
static_assert(kThreads == kMsdDigits, "a thread a digit");

struct ItemArray {
  std::uint64_t* d_prefixes;
  std::uint32_t* d_indices;
};
struct Items {
  ItemArray first, second;
  __device__ ItemArray operator[](std::uint32_t array) const { return array == 0 ? first : second; }
};

// A part of a bucket.
struct Chunk {
  std::uint32_t bucket, begin;
};

// How many there are of each; those of the level to come, and all tiles.
struct Counts {
  std::uint32_t buckets, chunks, tiles;
};

struct Lists {
  MsdBucket *d_buckets, *d_next_buckets, *d_tiles;
  Chunk *d_chunks, *d_next_chunks;
  std::uint32_t* d_places;  // a count, then a place, for each digit of each bucket
  Counts* d_counts;
};

__device__ std::uint32_t digit_at(const Items& items, std::uint32_t array, std::uint32_t i, std::uint32_t level) {
  return level < kMsdPrefixLevels ? msd_digit(items[array].d_prefixes[i], 0, level)
                                  : msd_digit(0, items[array].d_indices[i], level);
}

// Adds to a counter of each lane's digit; returns what it was before this lane's. One atomic for equal digits of a
// warp.
__device__ std::uint32_t add_digit(std::uint32_t* counters, std::uint32_t digit, unsigned active) {
  const unsigned equal = __match_any_sync(active, digit);
  const auto lane = threadIdx.x % 32, leader = static_cast<unsigned>(__ffs(static_cast<int>(equal))) - 1;
  std::uint32_t before = 0;
  if (lane == leader) before = atomicAdd(&counters[digit], static_cast<std::uint32_t>(__popc(equal)));
  before = __shfl_sync(equal, before, static_cast<int>(leader));
  return before + static_cast<std::uint32_t>(__popc(equal & ((1u << lane) - 1)));
}

__device__ std::uint32_t chunk_end(const Chunk& chunk, const MsdBucket& bucket) {
  return bucket.end - chunk.begin < kChunk ? bucket.end : chunk.begin + kChunk;
}

// Calls use(i, active) for a thread's items of a chunk, by whole warps: `active` are the lanes that have one.
template <typename Use>
__device__ void for_each_item(std::uint32_t begin, std::uint32_t end, Use use) {
  for (std::uint32_t from = 0; from < end - begin; from += kThreads) {
    const bool has_one = from + threadIdx.x < end - begin;
    const unsigned active = __ballot_sync(0xFFFFFFFF, has_one);
    if (has_one) use(begin + from + threadIdx.x, active);
  }
}

__global__ void __launch_bounds__(kThreads)
    count_digits_kernel(Items items, const MsdBucket* d_buckets, const Chunk* d_chunks, std::uint32_t level,
                        std::uint32_t* d_places) {
  __shared__ std::uint32_t counts[kMsdDigits];
  const Chunk chunk = d_chunks[blockIdx.x];
  const MsdBucket bucket = d_buckets[chunk.bucket];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for_each_item(chunk.begin, chunk_end(chunk, bucket), [&](std::uint32_t i, unsigned active) {
    add_digit(counts, digit_at(items, bucket.array, i, level), active);
  });
  __syncthreads();
  const std::uint32_t count = counts[threadIdx.x];
  if (count != 0) atomicAdd(&d_places[std::size_t{chunk.bucket} * kMsdDigits + threadIdx.x], count);
}

// Lists what the bucket of this block falls into; turns its counts into places. Empties it where nothing is to move.
__global__ void __launch_bounds__(kThreads) plan_buckets_kernel(Lists lists) {
  __shared__ std::uint32_t counts[kMsdDigits];
  __shared__ MsdBucket children[kMsdDigits];
  __shared__ std::uint32_t numbers[kMsdDigits], first_chunks[kMsdDigits], child_count;
  const MsdBucket bucket = lists.d_buckets[blockIdx.x];
  std::uint32_t* const d_places = lists.d_places + std::size_t{blockIdx.x} * kMsdDigits;
  counts[threadIdx.x] = d_places[threadIdx.x];
  if (counts[threadIdx.x] == bucket.size()) lists.d_buckets[blockIdx.x].end = bucket.begin;
  __syncthreads();
  if (threadIdx.x == 0) {
    child_count = 0;
    plan_buckets(
        bucket, counts,
        [&](const MsdBucket& child) {
          const std::uint32_t number = numbers[child_count] = atomicAdd(&lists.d_counts->buckets, 1);
          first_chunks[child_count] = atomicAdd(&lists.d_counts->chunks, (child.size() + kChunk - 1) / kChunk);
          lists.d_next_buckets[number] = children[child_count++] = child;
        },
        [&](const MsdBucket& tile) { lists.d_tiles[atomicAdd(&lists.d_counts->tiles, 1)] = tile; });
  }
  __syncthreads();
  d_places[threadIdx.x] = counts[threadIdx.x];
  for (std::uint32_t child = 0; child < child_count; ++child) {
    const std::uint32_t chunks = (children[child].size() + kChunk - 1) / kChunk;
    for (std::uint32_t i = threadIdx.x; i < chunks; i += kThreads) {
      lists.d_next_chunks[first_chunks[child] + i] = {numbers[child], children[child].begin + i * kChunk};
    }
  }
}

// Moves a chunk's items to the other array, to the places of their digits. `d_places` moves on as room is taken.
__global__ void __launch_bounds__(kThreads)
    move_items_kernel(Items items, const MsdBucket* d_buckets, const Chunk* d_chunks, std::uint32_t level,
                      std::uint32_t* d_places) {
  __shared__ std::uint32_t places[kMsdDigits];
  const Chunk chunk = d_chunks[blockIdx.x];
  const MsdBucket bucket = d_buckets[chunk.bucket];
  if (bucket.size() == 0) return;
  const std::uint32_t end = chunk_end(chunk, bucket);
  const ItemArray from = items[bucket.array], to = items[1 - bucket.array];
  places[threadIdx.x] = 0;
  __syncthreads();
  for_each_item(chunk.begin, end, [&](std::uint32_t i, unsigned active) {
    add_digit(places, digit_at(items, bucket.array, i, level), active);
  });
  __syncthreads();
  const std::uint32_t count = places[threadIdx.x];
  if (count != 0) {
    places[threadIdx.x] = atomicAdd(&d_places[std::size_t{chunk.bucket} * kMsdDigits + threadIdx.x], count);
  }
  __syncthreads();
  for_each_item(chunk.begin, end, [&](std::uint32_t i, unsigned active) {
    const std::uint64_t prefix = from.d_prefixes[i];
    const std::uint32_t index = from.d_indices[i];
    const std::uint32_t place = add_digit(places, msd_digit(prefix, index, level), active);
    to.d_prefixes[place] = prefix;
    to.d_indices[place] = index;
  });
}

struct Item {
  std::uint64_t prefix;
  std::uint32_t index;
};
struct ItemLess {
  __device__ bool operator()(const Item& a, const Item& b) const {
    return is_prefix_before(a.prefix, a.index, b.prefix, b.index);
  }
};

// Sorts a tile from the array where it stands to the first one.
__global__ void __launch_bounds__(kThreads) sort_tile_kernel(Items items, const MsdBucket* d_tiles) {
  using Sort = cub::BlockMergeSort<Item, kThreads, kEach>;
  __shared__ typename Sort::TempStorage storage;
  const MsdBucket tile = d_tiles[blockIdx.x];
  const std::uint32_t count = tile.size(), first = threadIdx.x * kEach;
  const ItemArray from = items[tile.array];
  Item own[kEach];
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const std::uint32_t at = tile.begin + first + i;
    if (first + i < count) own[i] = {from.d_prefixes[at], from.d_indices[at]};
  }
  Sort(storage).Sort(own, ItemLess{}, static_cast<int>(count), Item{~std::uint64_t{0}, ~std::uint32_t{0}});
#pragma unroll
  for (std::uint32_t i = 0; i < kEach; ++i) {
    const std::uint32_t at = tile.begin + first + i;
    if (first + i >= count) continue;
    items.first.d_prefixes[at] = own[i].prefix;
    items.first.d_indices[at] = own[i].index;
  }
}

__global__ void __launch_bounds__(kThreads) number_kernel(std::uint32_t* d_indices, std::size_t count) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) d_indices[i] = static_cast<std::uint32_t>(i);
}

__global__ void __launch_bounds__(kThreads)
    find_ties_kernel(const std::uint64_t* d_prefixes, std::size_t count, std::uint32_t* d_words) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const bool is_tie = i != 0 && i < count && d_prefixes[i] == d_prefixes[i - 1];
  const unsigned word = __ballot_sync(0xFFFFFFFF, is_tie);
  if (threadIdx.x % 32 == 0 && i < count) d_words[i / 32] = word;
}

// The first level's bucket and its chunks.
__global__ void __launch_bounds__(kThreads) first_bucket_kernel(Lists lists, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i == 0) lists.d_buckets[0] = {0, count, 0};
  if (i < (count + kChunk - 1) / kChunk) lists.d_chunks[i] = {0, i * kChunk};
}

unsigned blocks_for(std::size_t items) { return static_cast<unsigned>((items + kThreads - 1) / kThreads); }

class GpuPrefixSort final : public PrefixSort {
 public:
  GpuPrefixSort(std::size_t count, std::span<std::uint8_t> memory)
      : count_(count),
        stream_(first_usable_gpu()),
        buffer_(stream_.gpu(), bytes(count)),
        arena_(buffer_),
        copy_(memory, stream_) {
    for (ItemArray* array : {&items_.first, &items_.second}) {
      array->d_prefixes = arena_.take<std::uint64_t>(count);
      array->d_indices = arena_.take<std::uint32_t>(count);
    }
    lists_.d_buckets = arena_.take<MsdBucket>(most_buckets(count));
    lists_.d_next_buckets = arena_.take<MsdBucket>(most_buckets(count));
    lists_.d_tiles = arena_.take<MsdBucket>(most_tiles(count));
    lists_.d_chunks = arena_.take<Chunk>(most_chunks(count));
    lists_.d_next_chunks = arena_.take<Chunk>(most_chunks(count));
    lists_.d_places = arena_.take<std::uint32_t>(most_buckets(count) * kMsdDigits);
    lists_.d_counts = arena_.take<Counts>(1);
    d_ties_ = arena_.take<std::uint32_t>(tie_words(count));
  }

  void load(const std::function<void(std::span<std::uint64_t>, std::size_t)>& fill) override {
    number_kernel<<<blocks_for(count_), kThreads, 0, stream_.handle()>>>(items_.first.d_indices, count_);
    check_launch();
    copy_.up(items_.first.d_prefixes, count_ * sizeof(std::uint64_t),
             [&](std::span<std::uint8_t> piece, std::size_t from) {
               fill({reinterpret_cast<std::uint64_t*>(piece.data()), piece.size() / sizeof(std::uint64_t)},
                    from / sizeof(std::uint64_t));
             });
  }

  void sort() override {
    cuda_check(cudaMemsetAsync(lists_.d_counts, 0, sizeof(Counts), stream_.handle()));
    const auto all = static_cast<std::uint32_t>(count_);
    Counts counts{1, (all - 1) / kChunk + 1, 0};
    first_bucket_kernel<<<blocks_for(counts.chunks), kThreads, 0, stream_.handle()>>>(lists_, all);
    check_launch();
    if (count_ <= kMsdTile) {
      finish_tiles(lists_.d_buckets, 1);
    } else {
      for (std::uint32_t level = 0; counts.buckets != 0; ++level) counts = split(counts, level);
      finish_tiles(lists_.d_tiles, counts.tiles);
    }
    find_ties_kernel<<<blocks_for(count_), kThreads, 0, stream_.handle()>>>(items_.first.d_prefixes, count_, d_ties_);
    check_launch();
  }

  void take_ties(std::span<std::uint32_t> words) override {
    copy_.down(d_ties_, words.size_bytes(), [&](std::span<const std::uint8_t> piece, std::size_t from) {
      std::copy(piece.begin(), piece.end(), reinterpret_cast<std::uint8_t*>(words.data()) + from);
    });
  }
  void take_order(const std::function<void(std::span<const std::uint32_t>, std::size_t)>& take) override {
    copy_.down(items_.first.d_indices, count_ * sizeof(std::uint32_t),
               [&](std::span<const std::uint8_t> piece, std::size_t from) {
                 take({reinterpret_cast<const std::uint32_t*>(piece.data()), piece.size() / sizeof(std::uint32_t)},
                      from / sizeof(std::uint32_t));
               });
  }

 private:
  // Buckets of a level are larger than a tile; between two of them, and before and behind all, are tiles of which any
  // two neighbours are larger than one; twelve levels.
  static std::size_t most_buckets(std::size_t count) { return count / kMsdTile + 1; }
  static std::size_t most_chunks(std::size_t count) { return count / kChunk + most_buckets(count); }
  static std::size_t most_tiles(std::size_t count) { return 26 * most_buckets(count); }
  static std::size_t tie_words(std::size_t count) { return (count + 31) / 32; }
  static std::size_t bytes(std::size_t count) {
    return 2 * (device_aligned(count * sizeof(std::uint64_t)) + device_aligned(count * sizeof(std::uint32_t)) +
                device_aligned(most_buckets(count) * sizeof(MsdBucket)) +
                device_aligned(most_chunks(count) * sizeof(Chunk))) +
           device_aligned(most_tiles(count) * sizeof(MsdBucket)) +
           device_aligned(most_buckets(count) * kMsdDigits * sizeof(std::uint32_t)) + device_aligned(sizeof(Counts)) +
           device_aligned(tie_words(count) * sizeof(std::uint32_t));
  }

  Counts split(const Counts& counts, std::uint32_t level) {
    const cudaStream_t stream = stream_.handle();
    cuda_check(cudaMemsetAsync(lists_.d_places, 0, counts.buckets * kMsdDigits * sizeof(std::uint32_t), stream));
    cuda_check(cudaMemsetAsync(lists_.d_counts, 0, offsetof(Counts, tiles), stream));
    count_digits_kernel<<<counts.chunks, kThreads, 0, stream>>>(items_, lists_.d_buckets, lists_.d_chunks, level,
                                                                lists_.d_places);
    check_launch();
    plan_buckets_kernel<<<counts.buckets, kThreads, 0, stream>>>(lists_);
    check_launch();
    move_items_kernel<<<counts.chunks, kThreads, 0, stream>>>(items_, lists_.d_buckets, lists_.d_chunks, level,
                                                              lists_.d_places);
    check_launch();
    std::swap(lists_.d_buckets, lists_.d_next_buckets);
    std::swap(lists_.d_chunks, lists_.d_next_chunks);
    Counts next{};
    copy_to_host(&next, lists_.d_counts, sizeof next, stream);
    stream_.synchronize();
    return next;
  }

  void finish_tiles(const MsdBucket* d_tiles, std::uint32_t count) {
    if (count == 0) return;
    sort_tile_kernel<<<count, kThreads, 0, stream_.handle()>>>(items_, d_tiles);
    check_launch();
  }

  std::size_t count_;
  GpuStream stream_;
  DeviceBuffer buffer_;
  DeviceArena arena_;
  StagedCopy copy_;
  Items items_{};
  Lists lists_{};
  std::uint32_t* d_ties_ = nullptr;
};

}  // namespace

std::unique_ptr<PrefixSort> gpu_prefix_sort(std::size_t count, std::span<std::uint8_t> memory) {
  return std::make_unique<GpuPrefixSort>(count, memory);
}

}  // namespace spillway
