#include "sort/cpu/radix_sorter.hpp"

#include <emmintrin.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "sort/interface/scratch.hpp"

namespace spillway {

namespace {

// 11 bits: 38 M keys/s against 30 with 8 (20 M keys of 64 bits, one Xeon core); fewer than a million keys do not pay
// for the larger tables.
constexpr unsigned kMaxDigitBits = 11, kSmallDigitBits = 8;
constexpr std::size_t kWideDigitMin = std::size_t{1} << 20;
constexpr std::size_t kMaxBuckets = std::size_t{1} << kMaxDigitBits;
constexpr std::size_t kLineKeys = 8;                      // keys of a cache line
constexpr std::size_t kInsertionMax = 32;                 // up to here, insertion sort beats one histogram
constexpr std::size_t kRangeMin = std::size_t{64} << 10;  // keys per range: its counters cost little in comparison
constexpr std::size_t kMaxRanges = 32;                    // bounds the scratch for histograms on any machine
// From this many keys on, a pass does not fit the caches, and non-temporal stores double its speed.
constexpr std::size_t kStreamMin = std::size_t{2} << 20;

using Histogram = std::array<std::size_t, kMaxBuckets>;

void insertion_sort(std::span<std::uint64_t> keys, std::uint64_t mask) {
  for (std::size_t i = 1; i < keys.size(); ++i) {
    const std::uint64_t key = keys[i];
    std::size_t at = i;
    for (; at > 0 && (keys[at - 1] & mask) > (key & mask); --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

struct SeenBits {
  std::uint64_t any = 0, all = ~std::uint64_t{0};
  std::uint64_t differing() const { return any & ~all; }
};

SeenBits seen_bits(std::span<const std::uint64_t> keys) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, keys.size(), kRangeMin), SeenBits{},
      [&](const tbb::blocked_range<std::size_t>& range, SeenBits seen) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          seen.any |= keys[i];
          seen.all &= keys[i];
        }
        return seen;
      },
      [](SeenBits a, SeenBits b) {
        return SeenBits{a.any | b.any, a.all & b.all};
      });
}

struct Digit {
  unsigned shift;
  std::uint64_t mask;
  std::size_t buckets() const { return mask + 1; }
  std::size_t of(std::uint64_t key) const { return key >> shift & mask; }
};

void write_line(std::uint64_t* to, const std::uint64_t* line, bool around_caches) {
  if (!around_caches) {
    std::memcpy(to, line, kLineKeys * sizeof *to);
    return;
  }
  for (std::size_t i = 0; i < kLineKeys; i += 2) {
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_load_si128(reinterpret_cast<const __m128i*>(line + i)));
  }
}

// Moves the keys of `from` to `to`; next[bucket] is the place of the bucket's next key. Keys wait in a buffer for each
// bucket, aligned as the cache line that they go to, so that whole lines are written.
void scatter(std::span<const std::uint64_t> from, std::uint64_t* to, Digit digit, Histogram& next, bool around_caches) {
  alignas(64) std::array<std::uint64_t, kMaxBuckets * kLineKeys> lines;
  const std::size_t skew = reinterpret_cast<std::uintptr_t>(to) / sizeof *to % kLineKeys;
  std::uint64_t* const base = to - skew;  // the start of a cache line; places below count from here
  Histogram first;
  for (std::size_t b = 0; b < digit.buckets(); ++b) first[b] = next[b] += skew;
  for (const std::uint64_t key : from) {
    const std::size_t bucket = digit.of(key);
    const std::size_t place = next[bucket]++;
    std::uint64_t* const line = lines.data() + bucket * kLineKeys;
    line[place % kLineKeys] = key;
    if (place % kLineKeys != kLineKeys - 1) continue;
    const std::size_t start = place - (kLineKeys - 1);
    if (start >= first[bucket]) {
      write_line(base + start, line, around_caches);
    } else {
      for (std::size_t i = first[bucket]; i <= place; ++i) base[i] = line[i % kLineKeys];
    }
  }
  for (std::size_t b = 0; b < digit.buckets(); ++b) {
    const std::size_t start = std::max(next[b] / kLineKeys * kLineKeys, first[b]);
    for (std::size_t i = start; i < next[b]; ++i) base[i] = lines[b * kLineKeys + i % kLineKeys];
  }
  if (around_caches) _mm_sfence();
}

// One stable pass. Every range counts its digits, gets places after those of the ranges before it, and moves its keys.
void sort_by_digit(std::span<const std::uint64_t> from, std::uint64_t* to, Digit digit, std::span<Histogram> ranges) {
  const std::size_t count = from.size(), range_count = ranges.size();
  const auto range_of = [&](std::size_t i) {
    const std::size_t begin = count / range_count * i,
                      end = i + 1 == range_count ? count : count / range_count * (i + 1);
    return from.subspan(begin, end - begin);
  };
  tbb::parallel_for(std::size_t{0}, range_count, [&](std::size_t i) {
    Histogram& counts = ranges[i];
    std::fill_n(counts.begin(), digit.buckets(), 0);
    for (const std::uint64_t key : range_of(i)) ++counts[digit.of(key)];
  });
  std::size_t place = 0;
  for (std::size_t b = 0; b < digit.buckets(); ++b) {
    for (Histogram& counts : ranges) place += std::exchange(counts[b], place);
  }
  const bool around_caches = count >= kStreamMin;
  tbb::parallel_for(std::size_t{0}, range_count,
                    [&](std::size_t i) { scatter(range_of(i), to, digit, ranges[i], around_caches); });
}

// The width of the next digit: the narrowest that keeps the number of passes over the live bits minimal.
unsigned digit_bits(std::uint64_t live, std::size_t count) {
  const auto left = static_cast<unsigned>(std::bit_width(live) - std::countr_zero(live));
  const unsigned most = count < kWideDigitMin ? kSmallDigitBits : kMaxDigitBits;
  const unsigned passes = (left + most - 1) / most;
  return (left + passes - 1) / passes;
}

}  // namespace

std::size_t RadixSorter::scratch_bytes(std::size_t count, BitRange) const {
  if (count <= kInsertionMax) return 0;
  const std::size_t ranges = std::clamp<std::size_t>(count / kRangeMin, 1, kMaxRanges);
  return round_to_scratch_alignment(count * sizeof(std::uint64_t)) + ranges * sizeof(Histogram) + kScratchAlignment;
}

void RadixSorter::sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const {
  if (keys.size() <= kInsertionMax) {
    insertion_sort(keys, bit_mask(bits));
    return;
  }
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t most = std::clamp<std::size_t>(keys.size() / kRangeMin, 1, kMaxRanges);
  ScratchArrays arrays(scratch);
  const std::span<std::uint64_t> other = arrays.take<std::uint64_t>(keys.size());
  const std::span<Histogram> ranges = arrays.take<Histogram>(std::min(most, threads));

  const std::uint64_t wanted = bit_mask(bits);
  std::uint64_t live = seen_bits(keys).differing() & wanted;
  std::span<std::uint64_t> from = keys, to = other;
  while (live != 0) {
    const auto shift = static_cast<unsigned>(std::countr_zero(live));
    const unsigned width = digit_bits(live, keys.size());
    const std::uint64_t digit_mask = (std::uint64_t{1} << width) - 1;
    sort_by_digit(from, to.data(), {shift, wanted >> shift & digit_mask}, ranges);
    std::swap(from, to);
    live &= ~(digit_mask << shift);
  }
  if (from.data() == keys.data()) return;
  tbb::parallel_for(
      tbb::blocked_range<std::size_t>(0, keys.size(), kRangeMin), [&](const tbb::blocked_range<std::size_t>& range) {
        std::memcpy(keys.data() + range.begin(), from.data() + range.begin(), range.size() * sizeof keys[0]);
      });
}

}  // namespace spillway
