#include "sort/gpu/string_radix_sorter.hpp"

#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <stdexcept>

#include "sort/gpu/string_compare.cuh"
#include "sort/gpu/string_finish.cuh"
#include "sort/gpu/string_radix_keys.cuh"
#include "sort/gpu/string_radix_lists.cuh"

namespace spillway {

namespace {

constexpr std::uint32_t kFirstKeyBits = 32;
constexpr unsigned kMostBlocks = 2048;  // of kernels that go round

template <typename Key>
cudaError_t sort_pairs(void* d_temp, std::size_t& bytes, cub::DoubleBuffer<Key>& keys,
                       cub::DoubleBuffer<std::uint32_t>& values, std::uint32_t count, std::uint32_t bits,
                       cudaStream_t stream) {
  return cub::DeviceRadixSort::SortPairs(d_temp, bytes, keys, values, count, 0, static_cast<int>(bits), stream);
}

cudaError_t scan_counts(void* d_temp, std::size_t& bytes, std::uint32_t* d_counts, std::uint32_t count,
                        cudaStream_t stream) {
  return cub::DeviceScan::ExclusiveSum(d_temp, bytes, d_counts, count, stream);
}

// What CUB's steps need, one after another.
std::size_t cub_bytes(std::uint32_t count) {
  cub::DoubleBuffer<std::uint32_t> narrow(nullptr, nullptr), values(nullptr, nullptr);
  cub::DoubleBuffer<std::uint64_t> wide(nullptr, nullptr);
  std::size_t most = 0, bytes = 0;
  cuda_check(sort_pairs(nullptr, bytes, narrow, values, count, 32, nullptr));
  most = std::max(most, bytes);
  cuda_check(sort_pairs(nullptr, bytes, wide, values, count, 64, nullptr));
  most = std::max(most, bytes);
  cuda_check(scan_counts(nullptr, bytes, nullptr, count / 2 + 2, nullptr));
  return std::max(most, bytes);
}

// Where everything stands in the scratch area.
struct RadixScratch {
  std::uint64_t* keys[2];
  std::uint32_t* values[2];
  FinishSegments finish[kFinishClasses];
  LargeSegments large[2];
  StringCounters* counters;
  std::uint8_t* temp;
  std::size_t temp_bytes;
};

RadixScratch lay_out(DeviceArena& arena, std::uint32_t count, std::size_t temp_bytes) {
  RadixScratch scratch;
  for (auto*& keys : scratch.keys) keys = arena.take<std::uint64_t>(count);
  for (auto*& values : scratch.values) values = arena.take<std::uint32_t>(count);
  std::uint32_t least = 2;  // strings of a segment
  for (unsigned i = 0; i < kFinishClasses; ++i) {
    const std::size_t most = count / least + 2;
    scratch.finish[i] = {arena.take<std::uint32_t>(most), arena.take<std::uint32_t>(most),
                         arena.take<std::uint32_t>(most)};
    least = finish_limit(i) + 1;
  }
  const std::size_t large = count / least + 2;
  for (auto& list : scratch.large) {
    for (auto** array : {&list.start, &list.offset, &list.depth, &list.shared, &list.longest}) {
      *array = arena.take<std::uint32_t>(large);
    }
  }
  scratch.counters = arena.take<StringCounters>(1);
  scratch.temp = arena.take_bytes(temp_bytes);
  scratch.temp_bytes = temp_bytes;
  return scratch;
}

// One sort of two strings or more.
class StringRadixRun {
 public:
  StringRadixRun(const DeviceStrings& strings, std::uint32_t* d_order, const RadixScratch& scratch,
                 GpuStreamHandle stream)
      : strings_(strings),
        d_order_(d_order),
        scratch_(scratch),
        stream_(stream),
        count_(static_cast<std::uint32_t>(strings.count)) {}

  void run() {
    find_digits();
    if (counters_.longest == 0) return fill_identity(d_order_, count_, stream_);
    sort_first_bytes();
    while (counters_.kept.segments > 0) sort_next_bytes();
    finish<2>();
    finish<1>();
    finish<0>();
  }

 private:
  static unsigned pieces(std::size_t count, std::size_t of) { return static_cast<unsigned>((count + of - 1) / of); }
  static unsigned blocks(std::size_t threads) { return pieces(threads, kStringThreads); }
  static unsigned some_blocks(std::size_t threads) { return std::clamp(blocks(threads), 1u, kMostBlocks); }

  void read_counters() {
    copy_to_host(&counters_, scratch_.counters, sizeof counters_, stream_);
    cuda_check(cudaStreamSynchronize(stream_));
  }

  void find_digits() {
    cuda_check(cudaMemsetAsync(scratch_.counters, 0, sizeof(StringCounters), stream_));
    find_used_bytes_kernel<<<some_blocks(std::max(strings_.total_bytes / 16, strings_.count)), kStringThreads, 0,
                             stream_>>>(strings_, scratch_.counters);
    check_launch();
    read_counters();
    digits_ = make_string_digits(counters_.used);
  }

  // Keys of 32 bits: most sets need few bytes, and the finishing kernel takes what is left.
  void sort_first_bytes() {
    const DigitKey shape = digits_within(digits_.base, kFirstKeyBits, counters_.longest);
    const std::uint32_t longest = counters_.longest;
    cub::DoubleBuffer<std::uint32_t> keys(reinterpret_cast<std::uint32_t*>(scratch_.keys[0]),
                                          reinterpret_cast<std::uint32_t*>(scratch_.keys[1]));
    cub::DoubleBuffer<std::uint32_t> values(d_order_, scratch_.values[0]);
    values.selector = (shape.bits + 7) / 8 % 2;  // so that the last pass writes d_order
    make_first_keys_kernel<<<pieces(count_, kFirstKeyItems * kStringThreads), kStringThreads, 0, stream_>>>(
        strings_, digits_, shape.digits, keys.Current(), values.Current());
    check_launch();
    sort(keys, values, count_, shape.bits);
    if (values.Current() != d_order_) {
      copy_on_device(d_order_, values.Current(), count_ * sizeof(std::uint32_t), stream_);
    }
    if (shape.digits < longest) list_segments(keys, {}, {count_, digits_.base, kFirstKeyBits}, shape);
  }

  void sort_next_bytes() {
    const LargeRound round{scratch_.large[1], counters_.kept.segments, counters_.kept.strings};
    const std::uint32_t segment_bits = bits_below(round.segment_count);
    const DigitKey shape = digits_within(digits_.base, 64 - segment_bits, counters_.longest);
    cub::DoubleBuffer<std::uint64_t> keys(scratch_.keys[0], scratch_.keys[1]);
    cub::DoubleBuffer<std::uint32_t> values(scratch_.values[0], scratch_.values[1]);
    make_round_keys_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(
        strings_, digits_, shape, round, d_order_, keys.Current(), values.Current());
    check_launch();
    sort(keys, values, round.string_count, shape.bits + segment_bits);
    const RoundKeys<std::uint64_t> sorted{keys.Current(), round.string_count, digits_.base, shape.bits};
    write_order_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(round, sorted, values.Current(),
                                                                                   d_order_);
    check_launch();
    list_segments(keys, round, {round.string_count, digits_.base, shape.bits}, shape);
  }

  struct KeyShape {
    std::uint32_t count, base, digit_bits;
  };
  template <typename Key>
  void list_segments(cub::DoubleBuffer<Key>& keys, const LargeRound& parent, KeyShape round, DigitKey shape) {
    const RoundKeys<Key> sorted{keys.Current(), round.count, round.base, round.digit_bits};
    list_segments_kernel<<<pieces(round.count, kListKeys), kStringThreads, 0, stream_>>>(
        sorted, parent, shape.digits, {{scratch_.finish[0], scratch_.finish[1], scratch_.finish[2]}, scratch_.large[0]},
        scratch_.counters);
    check_launch();
    keep_large_segments(round.count);
    read_counters();
    if (counters_.unsplit != 0) throw std::logic_error("a round of gpu-string-radix left a segment as it was");
  }

  // The large segments without those of equal strings, behind what they share, to large[1].
  void keep_large_segments(std::uint32_t most_strings) {
    number_segments_kernel<<<1, kListThreads, 0, stream_>>>(scratch_.large[0].offset, scratch_.counters);
    check_launch();
    find_shared_prefixes_kernel<<<some_blocks(most_strings), kStringThreads, 0, stream_>>>(strings_, scratch_.large[0],
                                                                                           d_order_, scratch_.counters);
    check_launch();
    keep_segments_kernel<<<1, kListThreads, 0, stream_>>>(scratch_.large[0], scratch_.large[1], scratch_.counters);
    check_launch();
  }

  // Counts become offsets, with their sum behind them.
  void scan(std::uint32_t* d_counts, std::uint32_t count) {
    cuda_check(cudaMemsetAsync(d_counts + count, 0, sizeof(std::uint32_t), stream_));
    std::size_t bytes = scratch_.temp_bytes;
    cuda_check(scan_counts(scratch_.temp, bytes, d_counts, count + 1, stream_));
  }

  template <typename Key>
  void sort(cub::DoubleBuffer<Key>& keys, cub::DoubleBuffer<std::uint32_t>& values, std::uint32_t count,
            std::uint32_t bits) {
    std::size_t bytes = scratch_.temp_bytes;
    cuda_check(sort_pairs(scratch_.temp, bytes, keys, values, count, bits, stream_));
  }

  template <unsigned segment_class>
  void finish() {
    using Policy = FinishPolicyOf<segment_class>;
    const auto [segment_count, string_count] = counters_.lists[segment_class];
    const FinishSegments& segments = scratch_.finish[segment_class];
    if (segment_count == 0) return;
    scan(segments.offset, segment_count);
    constexpr auto kernel = &finish_segments_kernel<Policy>;
    constexpr auto shared_bytes = static_cast<int>(sizeof(typename FinishTile<Policy>::Shared));
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    const unsigned tiles = pieces(string_count, Policy::kStride);
    kernel<<<tiles, Policy::kThreads, shared_bytes, stream_>>>(strings_, segments, segment_count, d_order_);
    check_launch();
  }

  const DeviceStrings& strings_;
  std::uint32_t* d_order_;
  const RadixScratch& scratch_;
  GpuStreamHandle stream_;
  std::uint32_t count_;
  StringCounters counters_{};
  StringDigits digits_{};
};

}  // namespace

std::size_t GpuStringRadixSorter::scratch_bytes(std::size_t count, std::size_t) const {
  if (count < 2) return 0;
  check_string_count(count);
  DeviceArena arena(nullptr, ~std::size_t{0});
  lay_out(arena, static_cast<std::uint32_t>(count), cub_bytes(static_cast<std::uint32_t>(count)));
  return arena.used_bytes();
}

void GpuStringRadixSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(d_order, strings.count, stream);
  } else {
    DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
    const auto count = static_cast<std::uint32_t>(strings.count);
    const RadixScratch scratch = lay_out(arena, count, cub_bytes(count));
    StringRadixRun(strings, d_order, scratch, stream).run();
  }
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

}  // namespace spillway
