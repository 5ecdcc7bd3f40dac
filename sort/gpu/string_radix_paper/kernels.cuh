// The kernels of gpu-string-radix:paper: keys of a round, marks of what stays, and the compaction by their sums.
#pragma once

#include "sort/gpu/string/used_bytes.cuh"
#include "sort/gpu/string_radix_paper/key.hpp"

namespace spillway {

inline constexpr unsigned kSegmentThreads = 256;

// The device reports these counts of a round to the host.
struct SegmentCounters {
  std::uint32_t kept;      // strings of the next round
  std::uint32_t segments;  // among them
  std::uint32_t open;      // strings whose place is not final
  std::uint32_t used[8];   // byte values that occur, by find_used_bytes()
};

// The strings of a round, in the order so far: number, place in the result, and segment, which ascends from 0.
struct SegmentRound {
  std::uint32_t* d_places;
  std::uint32_t* d_segments;
  std::uint32_t count;
};

__global__ void find_bytes_kernel(DeviceStrings strings, SegmentCounters* counters) {
  find_used_bytes(strings, counters->used);
}

__global__ void make_segment_keys_kernel(DeviceStrings strings, SegmentKey shape, SegmentRound round,
                                         const std::uint32_t* d_numbers, std::uint64_t* d_keys) {
  const std::uint32_t i = blockIdx.x * kSegmentThreads + threadIdx.x;
  if (i < round.count) d_keys[i] = segment_key(shape, string_at(strings, d_numbers[i]), round.d_segments[i]);
}

// Marks of a string in the sorted round: whether it stays (low word) and begins a segment that stays (high word).
struct SegmentMarks {
  const std::uint64_t* d_keys;
  const std::uint32_t* d_numbers;
  std::uint64_t* d_marks;  // round.count
  std::uint32_t* d_order;
  bool keeps_all;
};

__global__ void mark_segments_kernel(DeviceStrings strings, SegmentKey shape, SegmentRound round, SegmentMarks marks,
                                     SegmentCounters* counters) {
  const std::uint32_t i = blockIdx.x * kSegmentThreads + threadIdx.x;
  bool is_open = false;
  if (i < round.count) {
    const std::uint64_t key = marks.d_keys[i];
    const bool is_first = i == 0 || marks.d_keys[i - 1] != key;
    const bool is_last = i + 1 == round.count || marks.d_keys[i + 1] != key;
    const std::uint32_t number = marks.d_numbers[i];
    // Strings that end inside the key are equal to all of their segment.
    is_open = !(is_first && is_last) && string_at(strings, number).bytes >= shape.end();
    const bool stays = is_open || marks.keeps_all;
    marks.d_marks[i] = (stays ? 1 : 0) | std::uint64_t{stays && is_first ? 1u : 0u} << 32;
    if (!is_open || marks.keeps_all) marks.d_order[round.d_places[i]] = number;
  }
  const int open = __syncthreads_count(is_open);
  if (threadIdx.x == 0 && open != 0) atomicAdd(&counters->open, static_cast<std::uint32_t>(open));
}

// `d_sums`: the sums of the marks before each, and of all after the last.
__global__ void compact_segments_kernel(SegmentRound round, const std::uint64_t* d_sums, const std::uint32_t* d_numbers,
                                        SegmentRound next, std::uint32_t* d_next_numbers, SegmentCounters* counters) {
  const std::uint32_t i = blockIdx.x * kSegmentThreads + threadIdx.x;
  if (i >= round.count) return;
  const std::uint64_t sum = d_sums[i], mark = d_sums[i + std::size_t{1}] - sum;
  if ((mark & 1) != 0) {
    const auto to = static_cast<std::uint32_t>(sum);
    d_next_numbers[to] = d_numbers[i];
    next.d_places[to] = round.d_places[i];
    next.d_segments[to] = static_cast<std::uint32_t>((sum >> 32) + (mark >> 32)) - 1;
  }
  if (i == 0) {
    counters->kept = static_cast<std::uint32_t>(d_sums[round.count]);
    counters->segments = static_cast<std::uint32_t>(d_sums[round.count] >> 32);
  }
}

}  // namespace spillway
