// Finds lines in device memory, and gathers sorted ones. Bytes are mapped so that a line end is the least byte, and no
// line is a prefix of another one with its end: then lines compare as they stand, ends included.
#pragma once

#include <cstdint>
#include <cub/block/block_scan.cuh>

#include "sort/gpu/device/warp.cuh"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway::line_device {

inline constexpr unsigned kThreads = 256;
inline constexpr std::size_t kTileBytes = std::size_t{16} * kThreads;  // one word of 16 bytes for each thread
inline constexpr std::size_t kGatherBytes = 8192;                      // of the output of a block

struct TextRange {
  std::uint8_t* d_text;  // aligned to 16
  std::size_t begin, end;
  std::uint8_t line_end;
};

__device__ inline unsigned repeat(std::uint8_t byte) { return byte * 0x01010101u; }

// The line end becomes 0, and the bytes less than it become one more.
__device__ inline unsigned map_bytes(unsigned word, unsigned line_end) {
  return (word & ~__vcmpeq4(word, line_end)) + (__vcmpltu4(word, line_end) & 0x01010101u);
}
__device__ inline std::uint8_t unmap_byte(std::uint8_t byte, std::uint8_t line_end) {
  if (byte == 0) return line_end;
  return static_cast<std::uint8_t>(byte <= line_end ? byte - 1 : byte);
}

// A bit for each byte of a word of 16 bytes, at `at`, that is a line end inside the range.
__device__ inline unsigned find_ends(const TextRange& text, std::size_t at, const uint4& word) {
  const unsigned wanted = repeat(text.line_end), parts[4] = {word.x, word.y, word.z, word.w};
  unsigned found = 0;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned bits = __vcmpeq4(parts[i], wanted) & 0x08040201u;
    found |= ((bits | bits >> 8 | bits >> 16 | bits >> 24) & 0xFu) << (4 * i);
  }
  if (at < text.begin) found &= 0xFFFFu << (text.begin - at < 16 ? text.begin - at : 16);
  if (at + 16 > text.end) found &= (1u << (text.end > at ? text.end - at : 0)) - 1;
  return found & 0xFFFFu;
}

__device__ inline uint4 load_word(const TextRange& text, std::size_t at) {
  return at < text.end ? *reinterpret_cast<const uint4*>(text.d_text + at) : uint4{};
}

// Adds the line ends of the range to a counter.
__global__ void count_ends_kernel(TextRange text, unsigned long long* d_count) {
  unsigned count = 0;
  const std::size_t first = text.begin / 16 * 16 + (blockIdx.x * std::size_t{kThreads} + threadIdx.x) * 16;
  for (std::size_t at = first; at < text.end; at += std::size_t{gridDim.x} * kTileBytes) {
    count += static_cast<unsigned>(__popc(find_ends(text, at, load_word(text, at))));
  }
  count = warp_sum(count);
  if (threadIdx.x % 32 == 0 && count != 0) atomicAdd(d_count, count);
}

// Counts the line ends of each tile. Requires: the range begins at 0.
__global__ void count_tiles_kernel(TextRange text, std::uint32_t* d_counts) {
  const std::size_t at = blockIdx.x * kTileBytes + threadIdx.x * 16;
  const unsigned count = warp_sum(static_cast<unsigned>(__popc(find_ends(text, at, load_word(text, at)))));
  if (threadIdx.x % 32 == 0 && count != 0) atomicAdd(d_counts + blockIdx.x, count);
}

// Sets d_offsets[1 + i] to the place after the i-th line end, and maps the bytes. `d_before`: line ends before each
// tile.
__global__ void take_lines_kernel(TextRange text, const std::uint32_t* d_before, std::uint64_t* d_offsets) {
  using Scan = cub::BlockScan<unsigned, kThreads>;
  __shared__ typename Scan::TempStorage s_scan;
  const std::size_t at = blockIdx.x * kTileBytes + threadIdx.x * 16;
  const uint4 word = load_word(text, at);
  unsigned ends = find_ends(text, at, word), before = 0;
  Scan(s_scan).ExclusiveSum(static_cast<unsigned>(__popc(ends)), before);
  std::uint64_t* next = d_offsets + 1 + d_before[blockIdx.x] + before;
  for (; ends != 0; ends &= ends - 1) *next++ = at + static_cast<unsigned>(__ffs(static_cast<int>(ends)));
  if (at >= text.end) return;
  const unsigned end = repeat(text.line_end);
  *reinterpret_cast<uint4*>(text.d_text + at) = {map_bytes(word.x, end), map_bytes(word.y, end), map_bytes(word.z, end),
                                                 map_bytes(word.w, end)};
}

// The sorted lines. d_lcps: null if all lines are kept.
struct SortedLines {
  DeviceStrings lines;
  const std::uint32_t *d_order, *d_lcps;
  bool is_descending;

  __device__ std::uint32_t line(std::size_t i) const { return d_order[is_descending ? lines.count - 1 - i : i]; }
  __device__ std::uint64_t bytes(std::uint32_t line) const {
    return lines.d_offsets[line + std::size_t{1}] - lines.d_offsets[line];
  }
  // Lines include their ends, so none is a prefix of another one.
  __device__ bool is_dropped(std::size_t i) const {
    const std::size_t at = is_descending ? lines.count - 1 - i : i;
    return d_lcps != nullptr && at != 0 && d_lcps[at] == bytes(d_order[at]);
  }
};

// d_bytes[i]: of the i-th line of the output; 0 if it is dropped, and for the last number.
__global__ void measure_lines_kernel(SortedLines sorted, std::uint64_t* d_bytes) {
  const std::size_t i = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (i > sorted.lines.count) return;
  d_bytes[i] = i == sorted.lines.count || sorted.is_dropped(i) ? 0 : sorted.bytes(sorted.line(i));
}

// The first place in sorted numbers that is not less than `value`.
__device__ inline std::size_t lower_bound(const std::uint64_t* d_numbers, std::size_t count, std::uint64_t value) {
  std::size_t begin = 0, end = count;
  while (begin != end) {
    const std::size_t middle = (begin + end) / 2;
    if (d_numbers[middle] < value) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

// d_borders[k]: where the first line begins that begins at k * step or after it. d_places: where lines begin, and the
// end, count + 1 numbers.
__global__ void find_borders_kernel(const std::uint64_t* d_places, std::size_t count, std::uint64_t step,
                                    std::size_t borders, std::uint64_t* d_borders) {
  const std::size_t k = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (k < borders) d_borders[k] = d_places[min(lower_bound(d_places, count + 1, k * step), count)];
}

// Copies bytes [begin, end) of the output, unmapped, to d_out. Each block of threads copies kGatherBytes, each warp a
// line at a time.
__global__ void gather_kernel(SortedLines sorted, const std::uint64_t* d_places, std::uint64_t begin, std::uint64_t end,
                              std::uint8_t line_end, std::uint8_t* d_out) {
  __shared__ std::size_t s_first;
  const std::uint64_t from = begin + blockIdx.x * kGatherBytes, to = min(from + kGatherBytes, end);
  // The first line that ends after `from`.
  if (threadIdx.x == 0) s_first = lower_bound(d_places + 1, sorted.lines.count, from + 1);
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  for (std::size_t i = s_first + threadIdx.x / 32; i < sorted.lines.count; i += kThreads / 32) {
    const std::uint64_t place = d_places[i], place_end = d_places[i + 1];
    if (place >= to) return;
    if (place == place_end) continue;
    const std::uint8_t* const line = sorted.lines.d_bytes + sorted.lines.d_offsets[sorted.line(i)];
    const std::uint64_t first = max(place, from), last = min(place_end, to);
    for (std::uint64_t at = first + lane; at < last; at += 32)
      d_out[at - begin] = unmap_byte(line[at - place], line_end);
  }
}

}  // namespace spillway::line_device
