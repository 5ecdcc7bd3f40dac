#include "sort/gpu/string_radix/sorter.hpp"

#include <algorithm>
#include <stdexcept>

#include "sort/gpu/device/counter_mailbox.cuh"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/string/order.hpp"
#include "sort/gpu/string_merge/group_sort.hpp"
#include "sort/gpu/string_radix/code_keys.cuh"
#include "sort/gpu/string_radix/finish.cuh"
#include "sort/gpu/string_radix/keys.cuh"
#include "sort/gpu/string_radix/lists.cuh"

namespace spillway {

namespace {

constexpr std::uint32_t kFirstKeyBits = kCodeBits + 1;
constexpr std::size_t kFewStrings = 8;  // fewer than 1/8 of all are few
constexpr unsigned kMostBlocks = 2048;  // of kernels that loop
static_assert(kSmallSegment == kMaxBlockGroup, "each of the sorts of groups takes what the other one does not");

// The most scratch of CUB's steps, which run one after another.
std::size_t cub_bytes(std::uint32_t count) {
  CubScratch narrow, wide, scan;
  PairBuffers<std::uint32_t> narrow_pairs;
  PairBuffers<std::uint64_t> wide_pairs;
  radix_sort_pairs(narrow, narrow_pairs, count, {0, 32}, nullptr);
  radix_sort_pairs(wide, wide_pairs, count, {0, 64}, nullptr);
  exclusive_sum(scan, static_cast<std::uint32_t*>(nullptr), count / 2 + 2, nullptr);
  return std::max({narrow.bytes, wide.bytes, scan.bytes});
}

// The layout of the scratch memory.
struct RadixScratch {
  std::uint64_t* keys[2];
  std::uint32_t* values[2];
  FinishSegments finish[kFinishClasses];
  LargeSegments large[2];
  CodeInterval* code_intervals;
  StringCounters* counters;
  CubScratch cub;
  std::uint8_t* group_sort;
};

RadixScratch lay_out(DeviceArena& arena, std::uint32_t count) {
  RadixScratch scratch{};
  for (auto*& keys : scratch.keys) keys = arena.take<std::uint64_t>(count);
  for (auto*& values : scratch.values) values = arena.take<std::uint32_t>(count);
  std::uint32_t least = 2;  // strings of a segment of the class
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
  scratch.code_intervals = arena.take<CodeInterval>(max_code_intervals(count));
  scratch.counters = arena.take<StringCounters>(1);
  scratch.cub.bytes = cub_bytes(count);
  scratch.cub.d_data = arena.take_bytes(scratch.cub.bytes);
  scratch.group_sort = arena.take_bytes(group_sort_bytes(count));
  return scratch;
}

// One sort of two strings or more.
class StringRadixSort {
 public:
  // out.d_firsts may be null.
  StringRadixSort(const DeviceStrings& strings, const MarkedOrder& out, const RadixScratch& scratch,
                  GpuStreamHandle stream)
      : strings_(strings),
        d_order_(out.d_order),
        d_firsts_(out.d_firsts),
        scratch_(scratch),
        stream_(stream),
        count_(static_cast<std::uint32_t>(strings.count)) {}

  void run() {
    find_digits();
    if (counters_.longest == 0) return keep_equal();
    may_leave_ = counters_.longest > kMostFinishBytes;
    const DigitKey shape = shape_key(digits_.base, kFirstKeyBits, counters_.longest);
    if (shape.is_whole()) return sort_digits(shape);
    has_table_ = is_table_worthwhile(digits_.base, count_) && table_bytes() <= most_shared_bytes(make_codes_kernel);
    sort_codes(has_table_ ? kTableCode : shape);
    sort_large_segments();
    finish_segments({});
  }

 private:
  using FirstPairs = PairBuffers<std::uint32_t>;
  using RoundPairs = PairBuffers<std::uint64_t>;

  void sort_large_segments() {
    for (unsigned slow = 0; counters_.kept.segments > 0;) {
      if (slow == kMostSlowRounds) return sort_by_pivots();
      const ListCounters before = counters_.kept;
      sort_next_bytes();
      const ListCounters& after = counters_.kept;
      slow = RoundProgress{before.segments, before.strings, after.segments, after.strings}.is_slow() ? slow + 1 : 0;
    }
  }

  // Sorts the large segments to the end by gpu-string-merge.
  void sort_by_pivots() {
    const LargeRound round{scratch_.large[1], counters_.kept.segments, counters_.kept.strings};
    const LargeSegments& segments = round.segments;
    sort_string_groups(
        strings_,
        {segments.start, segments.offset, segments.depth, round.segment_count, round.string_count,
         scratch_.counters->used},
        d_order_, {{scratch_.keys[0], scratch_.keys[1]}, {scratch_.values[0], scratch_.values[1]}, scratch_.group_sort},
        stream_);
    if (d_firsts_ == nullptr) return;
    mark_segments_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(strings_, round, d_order_,
                                                                                     d_firsts_);
    check_launch();
  }

  // All strings are empty.
  void keep_equal() {
    fill_identity(d_order_, count_, stream_);
    if (d_firsts_ == nullptr) return;
    cuda_check(cudaMemsetAsync(d_firsts_, 0, count_, stream_));
    cuda_check(cudaMemsetAsync(d_firsts_, 1, 1, stream_));
  }

  static unsigned blocks(std::size_t threads) { return blocks_for(threads, kStringThreads); }
  static unsigned some_blocks(std::size_t threads) { return std::clamp(blocks(threads), 1u, kMostBlocks); }

  void read_counters() {
    thread_local CounterMailbox<StringCounters> mailbox(1 << 11);
    counters_ = mailbox.read(scratch_.counters, stream_);
  }

  void find_digits() {
    cuda_check(cudaMemsetAsync(scratch_.counters, 0, sizeof(StringCounters), stream_));
    find_used_bytes_kernel<<<some_blocks(std::max(strings_.total_bytes / 16, strings_.count)), kStringThreads, 0,
                             stream_>>>(strings_, scratch_.counters);
    check_launch();
    read_counters();
    digits_ = make_string_digits(counters_.used);
  }

  // Sorts by keys of at most 32 bits that hold every string completely.
  void sort_digits(const DigitKey& shape) {
    FirstPairs pairs = first_pairs(shape.bits);
    make_first_keys(pairs, shape, nullptr);
    sort_first(pairs, shape.bits);
    mark_firsts(RoundKeys<std::uint32_t>{pairs.keys.current(), count_, shape.bits}, {});
  }

  // Sorts by first codes, and strings that share theirs and go on by second codes. These are in memory that the first
  // sort does not use, until the next sort.
  void sort_codes(const DigitKey& shape) {
    FirstPairs pairs = first_pairs(shape.bits);
    std::uint32_t* const second = reinterpret_cast<std::uint32_t*>(scratch_.keys[0]) + count_;
    if (has_table_) {
      make_code_intervals();
      make_codes(pairs, second);
    } else {
      make_first_keys(pairs, shape, second);
    }
    sort_first(pairs, shape.bits);
    const RoundKeys<std::uint32_t> sorted{pairs.keys.current(), count_, kFirstKeyBits};
    mark_firsts(sorted, {});
    list_segments(sorted, {}, shape.digits, scratch_.large[1]);
    number_segments_kernel<<<1, kListThreads, 0, stream_>>>(scratch_.large[1].offset, scratch_.counters);
    check_launch();
    read_counters();
    const auto [segments, strings] = counters_.lists[kFinishClasses];
    finish_by_codes({second, shape.digits});
    if (segments > 0) sort_second_codes({scratch_.large[1], segments, strings}, second, shape);
  }

  // Finishes the short segments by second codes. Few of them wait for those of later rounds, because a launch that does
  // not fill the GPU takes as long as one that does.
  void finish_by_codes(const SecondCodes& second) {
    ListCounters* const lists = counters_.lists;
    const std::size_t strings = std::size_t{lists[0].strings} + lists[1].strings + lists[2].strings;
    const bool is_worthwhile = lists[kFinishClasses].segments == 0 || strings >= count_ / kFewStrings;
    if (is_worthwhile) finish_segments(second);
    const unsigned first = is_worthwhile ? 0 : kFinishClasses, count = kFinishClasses + 1 - first;
    std::fill_n(lists + first, count, ListCounters{});
    cuda_check(cudaMemsetAsync(scratch_.counters->lists + first, 0, count * sizeof(ListCounters), stream_));
  }

  void make_first_keys(FirstPairs& pairs, const DigitKey& shape, std::uint32_t* second) {
    make_first_keys_kernel<<<blocks_for(count_, kFirstKeyItems * kStringThreads), kStringThreads, 0, stream_>>>(
        strings_, digits_, shape, FirstKeys{pairs.keys.current(), second, pairs.values.current()});
    check_launch();
  }

  void make_code_intervals() {
    const std::uint32_t base = digits_.base, sampled = std::min(count_, kSampledStrings);
    cuda_check(cudaMemsetAsync(scratch_.code_intervals, 0, base * base * sizeof(CodeInterval), stream_));
    count_digits_kernel<<<blocks(sampled), kStringThreads, 0, stream_>>>(strings_, digits_, sampled,
                                                                         scratch_.code_intervals);
    check_launch();
    make_code_intervals_kernel<<<base, kIntervalThreads, 0, stream_>>>(base, scratch_.code_intervals);
    check_launch();
  }

  std::uint32_t table_bytes() const {
    return digits_.base * digits_.base * static_cast<std::uint32_t>(sizeof(CodeInterval));
  }

  void make_codes(FirstPairs& pairs, std::uint32_t* second) {
    const std::uint32_t shared_bytes = table_bytes();
    allow_shared_bytes(make_codes_kernel, most_shared_bytes(make_codes_kernel));
    const auto resident = static_cast<unsigned>(resident_blocks(make_codes_kernel, kCodeThreads, shared_bytes));
    make_codes_kernel<<<std::min(blocks_for(count_, kCodeItems * kCodeThreads), resident), kCodeThreads, shared_bytes,
                        stream_>>>(strings_, digits_, scratch_.code_intervals,
                                   FirstKeys{pairs.keys.current(), second, pairs.values.current()});
    check_launch();
  }

  void sort_second_codes(const LargeRound& round, const std::uint32_t* second, const DigitKey& shape) {
    RoundPairs pairs{{{scratch_.keys[1], scratch_.keys[0]}}, {{scratch_.values[0], scratch_.values[1]}}};
    make_second_keys_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(
        second, shape.bits, round, {d_order_, pairs.keys.current(), pairs.values.current()});
    check_launch();
    sort_round(pairs, round, shape);
    list_next_segments(pairs.keys.current(), round, shape);
  }

  void sort_next_bytes() {
    const LargeRound round{scratch_.large[1], counters_.kept.segments, counters_.kept.strings, true};
    const DigitKey digits = shape_key(digits_.base, 64 - bits_below(round.segment_count), counters_.longest);
    const bool by_table = has_table_ && !digits.is_whole();
    const DigitKey shape = by_table ? kTableCode : digits;
    RoundPairs pairs{{{scratch_.keys[0], scratch_.keys[1]}}, {{scratch_.values[0], scratch_.values[1]}}};
    if (by_table) {
      make_round_codes_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(
          strings_, digits_, scratch_.code_intervals, round, {d_order_, pairs.keys.current(), pairs.values.current()});
    } else {
      make_round_keys_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(
          strings_, digits_, shape, round, {d_order_, pairs.keys.current(), pairs.values.current()});
    }
    check_launch();
    sort_round(pairs, round, shape);
    if (shape.is_whole()) {
      counters_.kept = {};
    } else {
      list_next_segments(pairs.keys.current(), round, shape);
    }
  }

  // Buffers of a first sort by `bits` bits, whose last pass writes d_order_.
  FirstPairs first_pairs(std::uint32_t bits) const {
    return {{{reinterpret_cast<std::uint32_t*>(scratch_.keys[0]), reinterpret_cast<std::uint32_t*>(scratch_.keys[1])}},
            {{d_order_, scratch_.values[0]}, static_cast<int>((bits + 7) / 8 % 2)}};
  }
  void sort_first(FirstPairs& pairs, std::uint32_t bits) {
    sort(pairs, count_, bits);
    if (pairs.values.current() == d_order_) return;
    copy_on_device(d_order_, pairs.values.current(), count_ * sizeof(std::uint32_t), stream_);
  }

  // Sorts the pairs of a round, and writes the order and marks.
  void sort_round(RoundPairs& pairs, const LargeRound& round, const DigitKey& shape) {
    sort(pairs, round.string_count, shape.bits + bits_below(round.segment_count));
    const RoundKeys<std::uint64_t> sorted{pairs.keys.current(), round.string_count, shape.bits};
    write_order_kernel<<<blocks(round.string_count), kStringThreads, 0, stream_>>>(round, sorted,
                                                                                   pairs.values.current(), d_order_);
    check_launch();
    mark_firsts(sorted, round);
  }

  template <typename Key>
  void mark_firsts(const RoundKeys<Key>& sorted, const LargeRound& round) {
    if (d_firsts_ == nullptr) return;
    mark_firsts_kernel<<<blocks(sorted.count), kStringThreads, 0, stream_>>>(round, sorted, d_firsts_);
    check_launch();
  }

  void list_next_segments(const std::uint64_t* d_keys, const LargeRound& parent, const DigitKey& shape) {
    list_segments(RoundKeys<std::uint64_t>{d_keys, parent.string_count, shape.bits}, parent, shape.digits,
                  scratch_.large[0]);
    keep_large_segments(parent.string_count);
    read_counters();
    if (counters_.unsplit != 0) throw std::logic_error("a round of gpu-string-radix left a segment as it was");
  }

  template <typename Key>
  void list_segments(const RoundKeys<Key>& sorted, const LargeRound& parent, std::uint32_t digits,
                     const LargeSegments& large) {
    list_segments_kernel<<<blocks_for(sorted.count, kListKeys), kStringThreads, 0, stream_>>>(
        sorted, parent, digits, {{scratch_.finish[0], scratch_.finish[1], scratch_.finish[2]}, large},
        scratch_.counters);
    check_launch();
  }

  // Copies the large segments that need another round from large[0] to large[1], advanced past their common prefixes.
  void keep_large_segments(std::uint32_t most_strings) {
    number_segments_kernel<<<1, kListThreads, 0, stream_>>>(scratch_.large[0].offset, scratch_.counters);
    check_launch();
    find_shared_prefixes_kernel<<<some_blocks(most_strings), kStringThreads, 0, stream_>>>(strings_, scratch_.large[0],
                                                                                           d_order_, scratch_.counters);
    check_launch();
    keep_segments_kernel<<<1, kListThreads, 0, stream_>>>(scratch_.large[0], scratch_.large[1], scratch_.counters);
    check_launch();
  }

  // Replaces counts by offsets, with their sum after them.
  void scan(std::uint32_t* d_counts, std::uint32_t count) {
    cuda_check(cudaMemsetAsync(d_counts + count, 0, sizeof(std::uint32_t), stream_));
    CubScratch own = scratch_.cub;
    exclusive_sum(own, d_counts, count + 1, stream_);
  }

  template <typename Key>
  void sort(PairBuffers<Key>& pairs, std::uint32_t count, std::uint32_t bits) {
    CubScratch own = scratch_.cub;
    radix_sort_pairs(own, pairs, count, {0, bits}, stream_);
  }

  // Sorts the listed segments of up to kSmallSegment strings to the end. Requires: scratch_.keys[1] is free.
  void finish_segments(const SecondCodes& second) {
    LeftSegments left;
    if (may_leave_) {
      auto* const d_lists = reinterpret_cast<std::uint32_t*>(scratch_.keys[1]);
      const std::uint32_t most = count_ / 2;
      left = {d_lists, d_lists + most, d_lists + std::size_t{2} * most, &scratch_.counters->left};
      cuda_check(cudaMemsetAsync(left.segments, 0, sizeof *left.segments, stream_));
    }
    finish<2>(second, left);
    finish<1>(second, left);
    finish<0>(second, left);
    if (!may_leave_) return;
    sort_small_string_groups(strings_, {left.start, left.count, left.depth, left.segments, scratch_.counters->used},
                             {d_order_, d_firsts_}, stream_);
  }

  template <unsigned segment_class>
  void finish(const SecondCodes& second, const LeftSegments& left) {
    using Policy = FinishPolicyOf<segment_class>;
    const auto [segment_count, string_count] = counters_.lists[segment_class];
    const FinishSegments& segments = scratch_.finish[segment_class];
    if (segment_count == 0) return;
    scan(segments.offset, segment_count);
    constexpr auto kernel = &finish_segments_kernel<Policy>;
    constexpr auto shared_bytes = static_cast<int>(sizeof(typename FinishTile<Policy>::Shared));
    cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    const unsigned tiles = blocks_for(string_count, Policy::kStride);
    kernel<<<tiles, Policy::kThreads, shared_bytes, stream_>>>(strings_, segments, segment_count, second, left,
                                                               MarkedOrder{d_order_, d_firsts_});
    check_launch();
  }

  const DeviceStrings& strings_;
  std::uint32_t* d_order_;
  std::uint8_t* d_firsts_;
  const RadixScratch& scratch_;
  GpuStreamHandle stream_;
  std::uint32_t count_;
  StringCounters counters_{};
  StringDigits digits_{};
  bool has_table_ = false;  // codes come from a table, not from digits
  bool may_leave_ = false;  // finishing kernels may leave segments to comparisons with pivots
};

}  // namespace

std::size_t GpuStringRadixSorter::scratch_bytes(std::size_t count, std::size_t) const {
  if (count < 2) return 0;
  check_string_count(count);
  DeviceArena arena = DeviceArena::for_counting();
  lay_out(arena, static_cast<std::uint32_t>(count));
  return arena.used_bytes();
}

void GpuStringRadixSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  sort_and_mark(strings, {d_order, nullptr}, d_scratch, stream);
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

void GpuStringRadixSorter::sort_and_mark(const DeviceStrings& strings, const MarkedOrder& out, std::uint8_t* d_scratch,
                                         GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(out.d_order, strings.count, stream);
    if (out.d_firsts != nullptr) cuda_check(cudaMemsetAsync(out.d_firsts, 1, strings.count, stream));
    return;
  }
  DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
  const RadixScratch scratch = lay_out(arena, static_cast<std::uint32_t>(strings.count));
  StringRadixSort(strings, out, scratch, stream).run();
}

}  // namespace spillway
