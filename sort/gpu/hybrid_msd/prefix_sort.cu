#include "sort/gpu/hybrid_msd/prefix_sort.hpp"

#include <algorithm>
#include <cub/block/block_merge_sort.cuh>

#include "sort/gpu/device/arena.hpp"
#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/device/sort_lanes.hpp"
#include "sort/gpu/device/staged_copy.hpp"
#include "sort/gpu/hybrid_msd/prefix_msd.hpp"

namespace spillway {

namespace {

constexpr std::uint32_t kThreads = 256;  // of a block
constexpr std::uint32_t kEach = kMsdTile / kThreads;
static_assert(kThreads == kMsdDigits, "each thread handles one digit");

struct ItemArray {
  std::uint64_t* d_prefixes;
  std::uint32_t* d_indices;
};
struct Items {
  ItemArray first, second;
  __device__ ItemArray operator[](std::uint32_t array) const { return array == 0 ? first : second; }
};

// Up to kMsdSlice items of a bucket, from `begin` on: the work of one block.
struct Slice {
  std::uint32_t bucket, begin;
};

// Buckets and slices of the next level, and all tiles so far.
struct Counts {
  std::uint32_t buckets, slices, tiles;
};

struct Lists {
  MsdBucket *d_buckets, *d_next_buckets, *d_tiles;
  Slice *d_slices, *d_next_slices;
  std::uint32_t* d_places;  // for each digit of each bucket: its count, then its place
  Counts* d_counts;
};

__device__ std::uint32_t digit_at(const Items& items, std::uint32_t array, std::uint32_t i, std::uint32_t level) {
  return level < kMsdPrefixLevels ? msd_digit(items[array].d_prefixes[i], 0, level)
                                  : msd_digit(0, items[array].d_indices[i], level);
}

// Increments the counter of each lane's digit and returns its value before this lane. One atomic for all equal digits
// of a warp.
__device__ std::uint32_t add_digit(std::uint32_t* counters, std::uint32_t digit, unsigned active) {
  const unsigned equal = __match_any_sync(active, digit);
  const auto lane = threadIdx.x % 32, leader = static_cast<unsigned>(__ffs(static_cast<int>(equal))) - 1;
  std::uint32_t before = 0;
  if (lane == leader) before = atomicAdd(&counters[digit], static_cast<std::uint32_t>(__popc(equal)));
  before = __shfl_sync(equal, before, static_cast<int>(leader));
  return before + static_cast<std::uint32_t>(__popc(equal & ((1u << lane) - 1)));
}

__device__ std::uint32_t slice_end(const Slice& slice, const MsdBucket& bucket) {
  return bucket.end - slice.begin < kMsdSlice ? bucket.end : slice.begin + kMsdSlice;
}

// Calls use(i, active) for each of the thread's items; `active` is the mask of the warp's lanes that have one.
template <typename Use>
__device__ void for_each_item(std::uint32_t begin, std::uint32_t end, Use use) {
  for (std::uint32_t from = 0; from < end - begin; from += kThreads) {
    const bool has_one = from + threadIdx.x < end - begin;
    const unsigned active = __ballot_sync(0xFFFFFFFF, has_one);
    if (has_one) use(begin + from + threadIdx.x, active);
  }
}

__global__ void __launch_bounds__(kThreads)
    count_digits_kernel(Items items, const MsdBucket* d_buckets, const Slice* d_slices, std::uint32_t level,
                        std::uint32_t* d_places) {
  __shared__ std::uint32_t counts[kMsdDigits];
  const Slice slice = d_slices[blockIdx.x];
  const MsdBucket bucket = d_buckets[slice.bucket];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for_each_item(slice.begin, slice_end(slice, bucket), [&](std::uint32_t i, unsigned active) {
    add_digit(counts, digit_at(items, bucket.array, i, level), active);
  });
  __syncthreads();
  const std::uint32_t count = counts[threadIdx.x];
  if (count != 0) atomicAdd(&d_places[std::size_t{slice.bucket} * kMsdDigits + threadIdx.x], count);
}

// Lists the child buckets and tiles of the block's bucket, and turns its counts into places. Empties the bucket where
// no item has to move.
__global__ void __launch_bounds__(kThreads) plan_buckets_kernel(Lists lists) {
  __shared__ std::uint32_t counts[kMsdDigits];
  __shared__ MsdBucket children[kMsdDigits];
  __shared__ std::uint32_t numbers[kMsdDigits], first_slices[kMsdDigits], child_count;
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
          first_slices[child_count] = atomicAdd(&lists.d_counts->slices, msd_slices(child.size()));
          lists.d_next_buckets[number] = children[child_count++] = child;
        },
        [&](const MsdBucket& tile) { lists.d_tiles[atomicAdd(&lists.d_counts->tiles, 1)] = tile; });
  }
  __syncthreads();
  d_places[threadIdx.x] = counts[threadIdx.x];
  for (std::uint32_t child = 0; child < child_count; ++child) {
    const std::uint32_t slices = msd_slices(children[child].size());
    for (std::uint32_t i = threadIdx.x; i < slices; i += kThreads) {
      lists.d_next_slices[first_slices[child] + i] = {numbers[child], children[child].begin + i * kMsdSlice};
    }
  }
}

// Moves the items of a slice to the places of their digits in the other array, and advances `d_places`.
__global__ void __launch_bounds__(kThreads)
    move_items_kernel(Items items, const MsdBucket* d_buckets, const Slice* d_slices, std::uint32_t level,
                      std::uint32_t* d_places) {
  __shared__ std::uint32_t places[kMsdDigits];
  const Slice slice = d_slices[blockIdx.x];
  const MsdBucket bucket = d_buckets[slice.bucket];
  if (bucket.size() == 0) return;
  const std::uint32_t end = slice_end(slice, bucket);
  const ItemArray from = items[bucket.array], to = items[1 - bucket.array];
  places[threadIdx.x] = 0;
  __syncthreads();
  for_each_item(slice.begin, end, [&](std::uint32_t i, unsigned active) {
    add_digit(places, digit_at(items, bucket.array, i, level), active);
  });
  __syncthreads();
  const std::uint32_t count = places[threadIdx.x];
  if (count != 0) {
    places[threadIdx.x] = atomicAdd(&d_places[std::size_t{slice.bucket} * kMsdDigits + threadIdx.x], count);
  }
  __syncthreads();
  for_each_item(slice.begin, end, [&](std::uint32_t i, unsigned active) {
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

// Sorts a tile from its array into the first array.
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

// Writes the bucket of the first level and its slices.
__global__ void __launch_bounds__(kThreads) first_bucket_kernel(Lists lists, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i == 0) lists.d_buckets[0] = {0, count, 0};
  if (i < msd_slices(count)) lists.d_slices[i] = {0, i * kMsdSlice};
}

class GpuPrefixSort final : public PrefixSort {
 public:
  GpuPrefixSort(std::size_t count, std::span<std::uint8_t> memory, std::span<const int> gpus)
      : count_(count), turn_(gpu_sort_lanes().take(gpus)), stream_(turn_.stream()), copy_(memory, stream_) {
    DeviceArena counting = DeviceArena::for_counting();
    lay_out(counting);
    DeviceArena arena(turn_.memory(counting.used_bytes()));
    lay_out(arena);
  }

  void load(const std::function<void(std::span<std::uint64_t>, std::size_t)>& fill) override {
    stream_.make_current();
    number_kernel<<<blocks_for(count_, kThreads), kThreads, 0, stream_.handle()>>>(items_.first.d_indices, count_);
    check_launch();
    copy_.up(items_.first.d_prefixes, count_ * sizeof(std::uint64_t),
             [&](std::span<std::uint8_t> staged, std::size_t from) {
               fill({reinterpret_cast<std::uint64_t*>(staged.data()), staged.size() / sizeof(std::uint64_t)},
                    from / sizeof(std::uint64_t));
             });
  }

  void sort() override {
    stream_.make_current();  // while strings were loaded, this thread may have sorted others on another GPU
    cuda_check(cudaMemsetAsync(lists_.d_counts, 0, sizeof(Counts), stream_.handle()));
    const auto all = static_cast<std::uint32_t>(count_);
    Counts counts{1, msd_slices(all), 0};
    first_bucket_kernel<<<blocks_for(counts.slices, kThreads), kThreads, 0, stream_.handle()>>>(lists_, all);
    check_launch();
    if (count_ <= kMsdTile) {
      finish_tiles(lists_.d_buckets, 1);
    } else {
      for (std::uint32_t level = 0; counts.buckets != 0; ++level) counts = split(counts, level);
      finish_tiles(lists_.d_tiles, counts.tiles);
    }
    find_ties_kernel<<<blocks_for(count_, kThreads), kThreads, 0, stream_.handle()>>>(items_.first.d_prefixes, count_,
                                                                                      d_ties_);
    check_launch();
  }

  void take_ties(std::span<std::uint32_t> words) override {
    copy_.down(d_ties_, words.size_bytes(), [&](std::span<const std::uint8_t> staged, std::size_t from) {
      std::copy(staged.begin(), staged.end(), reinterpret_cast<std::uint8_t*>(words.data()) + from);
    });
  }
  void take_order(const std::function<void(std::span<const std::uint32_t>, std::size_t)>& take) override {
    copy_.down(items_.first.d_indices, count_ * sizeof(std::uint32_t),
               [&](std::span<const std::uint8_t> staged, std::size_t from) {
                 take({reinterpret_cast<const std::uint32_t*>(staged.data()), staged.size() / sizeof(std::uint32_t)},
                      from / sizeof(std::uint32_t));
               });
    stream_.synchronize();
    turn_.done();
  }

 private:
  // Upper bounds. Buckets of a level are larger than a tile. The tiles between two buckets, and before and after all of
  // them, are such that any two neighbours together exceed a tile. There are 12 levels.
  static std::size_t most_buckets(std::size_t count) { return count / kMsdTile + 1; }
  static std::size_t most_slices(std::size_t count) { return count / kMsdSlice + most_buckets(count); }
  static std::size_t most_tiles(std::size_t count) { return 26 * most_buckets(count); }
  static std::size_t tie_words(std::size_t count) { return (count + 31) / 32; }

  void lay_out(DeviceArena& arena) {
    for (ItemArray* array : {&items_.first, &items_.second}) {
      array->d_prefixes = arena.take<std::uint64_t>(count_);
      array->d_indices = arena.take<std::uint32_t>(count_);
    }
    lists_.d_buckets = arena.take<MsdBucket>(most_buckets(count_));
    lists_.d_next_buckets = arena.take<MsdBucket>(most_buckets(count_));
    lists_.d_tiles = arena.take<MsdBucket>(most_tiles(count_));
    lists_.d_slices = arena.take<Slice>(most_slices(count_));
    lists_.d_next_slices = arena.take<Slice>(most_slices(count_));
    lists_.d_places = arena.take<std::uint32_t>(most_buckets(count_) * kMsdDigits);
    lists_.d_counts = arena.take<Counts>(1);
    d_ties_ = arena.take<std::uint32_t>(tie_words(count_));
  }

  Counts split(const Counts& counts, std::uint32_t level) {
    const cudaStream_t stream = stream_.handle();
    cuda_check(cudaMemsetAsync(lists_.d_places, 0, counts.buckets * kMsdDigits * sizeof(std::uint32_t), stream));
    cuda_check(cudaMemsetAsync(lists_.d_counts, 0, offsetof(Counts, tiles), stream));
    count_digits_kernel<<<counts.slices, kThreads, 0, stream>>>(items_, lists_.d_buckets, lists_.d_slices, level,
                                                                lists_.d_places);
    check_launch();
    plan_buckets_kernel<<<counts.buckets, kThreads, 0, stream>>>(lists_);
    check_launch();
    move_items_kernel<<<counts.slices, kThreads, 0, stream>>>(items_, lists_.d_buckets, lists_.d_slices, level,
                                                              lists_.d_places);
    check_launch();
    std::swap(lists_.d_buckets, lists_.d_next_buckets);
    std::swap(lists_.d_slices, lists_.d_next_slices);
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
  GpuSortLanes::Turn turn_;
  const GpuStream& stream_;
  StagedCopy copy_;
  Items items_{};
  Lists lists_{};
  std::uint32_t* d_ties_ = nullptr;
};

}  // namespace

std::unique_ptr<PrefixSort> gpu_prefix_sort(std::size_t count, std::span<std::uint8_t> memory,
                                            std::span<const int> gpus) {
  return std::make_unique<GpuPrefixSort>(count, memory, gpus);
}

}  // namespace spillway
