#include "sort/gpu/string_radix_paper/sorter.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "sort/gpu/device/counter_mailbox.cuh"
#include "sort/gpu/device/launch_shape.cuh"
#include "sort/gpu/device/step_clock.hpp"
#include "sort/gpu/interface/cub.hpp"
#include "sort/gpu/string/order.hpp"
#include "sort/gpu/string_radix_paper/kernels.cuh"

namespace spillway {

namespace {

constexpr unsigned kMostBlocks = 2048;  // of the kernel that looks for byte values

std::size_t cub_bytes(std::uint32_t count) {
  CubScratch pairs, sums;
  PairBuffers<std::uint64_t> buffers;
  radix_sort_pairs(pairs, buffers, count, {0, 64}, nullptr);
  exclusive_sum(sums, static_cast<std::uint64_t*>(nullptr), std::size_t{count} + 1, nullptr);
  return std::max(pairs.bytes, sums.bytes);
}

struct PaperScratch {
  PairBuffers<std::uint64_t> pairs;
  std::uint32_t* places[2];
  std::uint32_t* segments;
  std::uint64_t* marks;
  SegmentCounters* counters;
  CubScratch cub;
};

PaperScratch lay_out(DeviceArena& arena, std::uint32_t count) {
  PaperScratch scratch{};
  for (auto*& keys : scratch.pairs.keys.buffers) keys = arena.take<std::uint64_t>(count);
  for (auto*& values : scratch.pairs.values.buffers) values = arena.take<std::uint32_t>(count);
  for (auto*& places : scratch.places) places = arena.take<std::uint32_t>(count);
  scratch.segments = arena.take<std::uint32_t>(count);
  scratch.marks = arena.take<std::uint64_t>(std::size_t{count} + 1);
  scratch.counters = arena.take<SegmentCounters>(1);
  scratch.cub.bytes = cub_bytes(count);
  scratch.cub.d_data = arena.take_bytes(scratch.cub.bytes);
  return scratch;
}

// The times of the steps of all rounds.
class RoundClock {
 public:
  explicit RoundClock(GpuStreamHandle stream) : clock_(5, stream) {}

  void pass_border(unsigned border) { clock_.pass_border(border); }
  // Requires: the borders of this round were passed.
  void end_round() {
    clock_.wait_for(4);
    kernels_ += clock_.seconds(0, 1) + clock_.seconds(2, 3);
    sort_ += clock_.seconds(1, 2);
    scan_ += clock_.seconds(3, 4);
    ++rounds_;
  }
  SortSteps steps() const {
    return {{{"sort", sort_, 0}, {"scan and scatter", scan_, 0}, {"other kernels", kernels_, 0}}, rounds_};
  }

 private:
  StepClock clock_;
  double sort_ = 0, scan_ = 0, kernels_ = 0;
  unsigned rounds_ = 0;
};

// One sort of two strings or more.
class SegmentSort {
 public:
  SegmentSort(const DeviceStrings& strings, std::uint32_t* d_order, const PaperScratch& scratch,
              const SegmentSortForm& form, GpuStreamHandle stream)
      : strings_(strings), d_order_(d_order), scratch_(scratch), form_(form), stream_(stream) {}

  void run(std::optional<RoundClock>& clock) {
    if (clock) clock->pass_border(0);
    prepare();
    do {
      if (rounds_ > 0 && clock) clock->pass_border(0);
      sort_round(clock);
      if (clock) clock->end_round();
      ++rounds_;
    } while (counters_.open > 0);
  }

 private:
  static unsigned blocks(std::uint32_t count) { return blocks_for(count, kSegmentThreads); }

  void read_counters() {
    thread_local CounterMailbox<SegmentCounters> mailbox(1 << 11);
    counters_ = mailbox.read(scratch_.counters, stream_);
  }

  void prepare() {
    cuda_check(cudaMemsetAsync(scratch_.counters, 0, sizeof(SegmentCounters), stream_));
    const std::uint64_t threads = std::max<std::uint64_t>(strings_.total_bytes / 16, 1);
    find_bytes_kernel<<<std::min(blocks_for(threads, kSegmentThreads), kMostBlocks), kSegmentThreads, 0, stream_>>>(
        strings_, scratch_.counters);
    check_launch();
    read_counters();
    shape_.count_bytes = counters_.used[0] & 1;
    round_ = {scratch_.places[0], scratch_.segments, static_cast<std::uint32_t>(strings_.count)};
    fill_identity(scratch_.pairs.values.current(), strings_.count, stream_);
    fill_identity(round_.d_places, strings_.count, stream_);
    cuda_check(cudaMemsetAsync(round_.d_segments, 0, strings_.count * sizeof(std::uint32_t), stream_));
    counters_.segments = 1;
  }

  unsigned segment_bytes() const {
    if (form_.ids == SegmentIds::kFourBytes) return 4;
    return static_cast<unsigned>(std::bit_width(counters_.segments - 1) + 7) / 8;
  }

  void sort_round(std::optional<RoundClock>& clock) {
    shape_.segment_bytes = segment_bytes();
    PairBuffers<std::uint64_t>& pairs = scratch_.pairs;
    make_segment_keys_kernel<<<blocks(round_.count), kSegmentThreads, 0, stream_>>>(
        strings_, shape_, round_, pairs.values.current(), pairs.keys.current());
    check_launch();
    if (clock) clock->pass_border(1);
    CubScratch own = scratch_.cub;
    radix_sort_pairs(own, pairs, round_.count, {0, 64}, stream_);
    if (clock) clock->pass_border(2);
    mark();
    if (clock) clock->pass_border(3);
    compact();
    if (clock) clock->pass_border(4);
    read_counters();
    round_.count = counters_.kept;
    shape_.depth = shape_.end();
  }

  void mark() {
    cuda_check(cudaMemsetAsync(&scratch_.counters->open, 0, sizeof(std::uint32_t), stream_));
    cuda_check(cudaMemsetAsync(scratch_.marks + round_.count, 0, sizeof(std::uint64_t), stream_));
    mark_segments_kernel<<<blocks(round_.count), kSegmentThreads, 0, stream_>>>(
        strings_, shape_, round_,
        {scratch_.pairs.keys.current(), scratch_.pairs.values.current(), scratch_.marks, d_order_,
         form_.singletons == Singletons::kKept},
        scratch_.counters);
    check_launch();
  }

  void compact() {
    CubScratch own = scratch_.cub;
    exclusive_sum(own, scratch_.marks, std::size_t{round_.count} + 1, stream_);
    auto& values = scratch_.pairs.values;
    const int other = 1 - values.selector;
    SegmentRound next = round_;
    next.d_places = scratch_.places[round_.d_places == scratch_.places[0] ? 1 : 0];
    compact_segments_kernel<<<blocks(round_.count), kSegmentThreads, 0, stream_>>>(
        round_, scratch_.marks, values.current(), next, values.buffers[other], scratch_.counters);
    check_launch();
    values.selector = other;
    round_ = next;
  }

  const DeviceStrings& strings_;
  std::uint32_t* d_order_;
  PaperScratch scratch_;
  const SegmentSortForm& form_;
  GpuStreamHandle stream_;
  SegmentKey shape_{};
  SegmentRound round_{};
  SegmentCounters counters_{};
  unsigned rounds_ = 0;
};

}  // namespace

std::size_t GpuStringRadixPaperSorter::scratch_bytes(std::size_t count, std::size_t) const {
  if (count < 2) return 0;
  check_string_count(count);
  DeviceArena arena = DeviceArena::for_counting();
  lay_out(arena, static_cast<std::uint32_t>(count));
  return arena.used_bytes();
}

void GpuStringRadixPaperSorter::sort(const DeviceStrings& strings, std::uint32_t* d_order, std::uint32_t* d_lcps,
                                     std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(d_order, strings.count, stream);
  } else {
    DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
    std::optional<RoundClock> none;
    SegmentSort(strings, d_order, lay_out(arena, static_cast<std::uint32_t>(strings.count)), form_, stream).run(none);
  }
  if (d_lcps != nullptr) compute_lcps(strings, d_order, d_lcps, stream);
}

SortSteps GpuStringRadixPaperSorter::sort_in_steps(const DeviceStrings& strings, std::uint32_t* d_order,
                                                   std::uint8_t* d_scratch, GpuStreamHandle stream) const {
  check_string_count(strings.count);
  if (strings.count < 2) {
    fill_identity(d_order, strings.count, stream);
    return {};
  }
  DeviceArena arena(d_scratch, scratch_bytes(strings.count, strings.total_bytes));
  std::optional<RoundClock> clock(std::in_place, stream);
  SegmentSort(strings, d_order, lay_out(arena, static_cast<std::uint32_t>(strings.count)), form_, stream).run(clock);
  return clock->steps();
}

}  // namespace spillway
