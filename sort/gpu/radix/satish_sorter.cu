#include "sort/gpu/radix/satish_sorter.hpp"

#include <utility>

#include "sort/gpu/device/cuda_check.hpp"
#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/interface/key_order.hpp"
#include "sort/gpu/radix/satish_tile.hpp"

namespace spillway {

namespace {

using satish::DigitPass;
using satish::Items;
using satish::kDigits;
using satish::kThreadKeys;
using satish::kTileThreads;
using satish::Records;

// The zeros of each warp in one byte: at most 32 * kThreadKeys.
struct WarpZeros {
  unsigned words[satish::kTileWarps / 4];
};
static_assert(32 * kThreadKeys < 256 && satish::kTileWarps % 4 == 0);

// A GPU block as the programs of sort/gpu/radix/satish_tile.hpp see it. The host versions are empty.
template <bool kPairs>
class DeviceBlock {
 public:
  SPILLWAY_HOST_DEVICE DeviceBlock(satish::TileMemory<kPairs>& shared, WarpZeros& warp_zeros)
      : shared_(shared), warp_zeros_(warp_zeros) {}

  template <typename F>
  SPILLWAY_HOST_DEVICE __forceinline__ void each(F f) {
#ifdef __CUDA_ARCH__
    f(threadIdx.x, items_);
#endif
  }
  SPILLWAY_HOST_DEVICE __forceinline__ void sync() {
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
  }
  SPILLWAY_HOST_DEVICE __forceinline__ satish::TileMemory<kPairs>& shared() { return shared_; }

  // Ballots rank the keys of a warp; dot products of bytes sum over the warps.
  SPILLWAY_HOST_DEVICE __forceinline__ void count_zeros(unsigned bit, unsigned size) {
#ifdef __CUDA_ARCH__
    const unsigned lane = threadIdx.x % 32;
    const unsigned warp = threadIdx.x / 32;
    unsigned in_warp = 0;
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) {
      const unsigned zeros = __ballot_sync(~0u, satish::goes_first(items_, threadIdx.x, i, bit, size));
      items_.zeros_before[i] = in_warp + __popc(zeros & ((1u << lane) - 1));
      in_warp += __popc(zeros);
    }
    if (lane == 0) reinterpret_cast<unsigned char*>(&warp_zeros_)[warp] = static_cast<unsigned char>(in_warp);
    __syncthreads();
    unsigned before = 0;
    items_.zeros = 0;
    SPILLWAY_UNROLL
    for (unsigned word = 0; word < satish::kTileWarps / 4; ++word) {
      const unsigned earlier = warp >= 4 * word + 4 ? 4 : warp > 4 * word ? warp - 4 * word : 0;
      const unsigned ones = static_cast<unsigned>((1ull << 8 * earlier) - 1) & 0x01010101u;
      before = __dp4a(warp_zeros_.words[word], ones, before);
      items_.zeros = __dp4a(warp_zeros_.words[word], 0x01010101u, items_.zeros);
    }
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < kThreadKeys; ++i) items_.zeros_before[i] += before;
#endif
  }

 private:
  satish::TileMemory<kPairs>& shared_;
  WarpZeros& warp_zeros_;
  Items items_;
};

template <bool kPairs>
__global__ __launch_bounds__(kTileThreads) void tile_sort_kernel(DigitPass pass, Records records,
                                                                 std::uint64_t* d_table) {
  __shared__ satish::TileMemory<kPairs> memory;
  __shared__ WarpZeros warp_zeros;
  DeviceBlock<kPairs> block(memory, warp_zeros);
  satish::sort_tile<kPairs>(block, pass, records, d_table, blockIdx.x);
}

template <bool kPairs>
__global__ __launch_bounds__(kTileThreads) void scatter_kernel(DigitPass pass, Records from, Records to,
                                                               const std::uint64_t* d_table) {
  __shared__ std::uint64_t digit_shift[kDigits];
  const unsigned digit = threadIdx.x;
  if (digit < 32) {
    const bool is_digit = digit < kDigits;
    unsigned end = is_digit ? static_cast<unsigned>(satish::digit_count(pass, d_table, digit, blockIdx.x)) : 0;
    const unsigned own = end;
    SPILLWAY_UNROLL
    for (unsigned step = 1; step < kDigits; step *= 2) {
      const unsigned below = __shfl_up_sync(~0u, end, step);
      if (digit >= step) end += below;
    }
    if (is_digit) digit_shift[digit] = d_table[digit * pass.tiles() + blockIdx.x] - (end - own);
  }
  __syncthreads();
  satish::scatter<kPairs>(pass, from, to, digit_shift, {blockIdx.x, threadIdx.x});
}

std::size_t table_entries(std::size_t count) { return DigitPass{count, {}}.tiles() * kDigits; }

std::size_t scan_bytes(std::size_t count) {
  CubScratch scan;
  exclusive_sum(scan, static_cast<std::uint64_t*>(nullptr), table_entries(count), nullptr);
  return scan.bytes;
}

std::size_t table_bytes(std::size_t count) {
  return device_aligned(table_entries(count) * sizeof(std::uint64_t)) + device_aligned(scan_bytes(count));
}

// Returns the sorted records: `records`, or their second copy in the scratch memory.
template <bool kPairs>
Records sort_records(Records records, std::size_t count, BitRange bits, DeviceArena scratch, cudaStream_t stream) {
  Records other{scratch.take<std::uint64_t>(count), kPairs ? scratch.take<std::uint32_t>(count) : nullptr};
  std::uint64_t* const d_table = scratch.take<std::uint64_t>(table_entries(count));
  CubScratch scan{nullptr, scan_bytes(count)};
  scan.d_data = scratch.take_bytes(scan.bytes);
  satish::for_each_digit(bits, [&](BitRange digit) {
    const DigitPass pass{count, digit};
    const auto tiles = static_cast<unsigned>(pass.tiles());
    tile_sort_kernel<kPairs><<<tiles, kTileThreads, 0, stream>>>(pass, records, d_table);
    check_launch();
    exclusive_sum(scan, d_table, table_entries(count), stream);
    scatter_kernel<kPairs><<<tiles, kTileThreads, 0, stream>>>(pass, records, other, d_table);
    check_launch();
    std::swap(records, other);
  });
  return records;
}

}  // namespace

std::size_t GpuSatishRadixSorter::scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : keys_bytes(count) + table_bytes(count);
}

std::uint64_t* GpuSatishRadixSorter::sort(std::uint64_t* d_keys, std::size_t count, BitRange bits,
                                          std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return d_keys;
  const DeviceArena scratch(d_scratch, scratch_bytes(count, bits));
  return sort_records<false>({d_keys, nullptr}, count, bits, scratch, stream).keys;
}

std::size_t GpuSatishRadixSorter::pairs_scratch_bytes(std::size_t count, BitRange bits) const {
  return is_sorted_already(count, bits) ? 0 : pairs_bytes(count) + table_bytes(count);
}

DeviceRecordSorter::Pairs GpuSatishRadixSorter::sort_pairs(Pairs pairs, std::size_t count, BitRange bits,
                                                           std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  if (is_sorted_already(count, bits)) return pairs;
  const DeviceArena scratch(d_scratch, pairs_scratch_bytes(count, bits));
  const Records sorted = sort_records<true>({pairs.d_keys, pairs.d_values}, count, bits, scratch, stream);
  return {sorted.keys, sorted.values};
}

}  // namespace spillway
