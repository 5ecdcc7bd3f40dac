#include "io/checksum/position_sums.hpp"

#include <algorithm>

#include "io/checksum/content_checksum.hpp"
#include "io/checksum/vector_scans.hpp"

namespace spillway {

namespace {

// Continues at distance `begin`: `sum` is the sum of all values before it, and `to` takes the next sum.
void scan_each(PositionScan& scan, std::size_t begin, std::uint64_t sum, std::uint64_t* to) {
  std::uint32_t position = scan.last;
  bool ascends = scan.ascends;
  for (std::size_t i = begin; i < scan.distances.size(); ++i) {
    const std::uint32_t distance = scan.distances[i];
    const bool starts = (scan.starts[i / 64] >> i % 64 & 1) != 0;
    const std::uint64_t ends = scan.starts[(i + 1) / 64] >> (i + 1) % 64 & 1;
    position = distance + (starts ? 0 : position);
    ascends &= starts || (distance != 0 && position >= distance);
    *to = sum += position_value(position);
    to += ends;
  }
  scan.last = position;
  scan.ascends = ascends;
}

void scan_portable(PositionScan& scan) { scan_each(scan, 0, 0, scan.sums); }

// Processes 16 distances at a time: computes running sums over all lanes, then subtracts in each lane the sum before
// its posting.
__attribute__((target("avx512f,avx512cd,popcnt"))) void scan_avx512(PositionScan& scan) {
  constexpr std::size_t kLanes = 16;
  const __m512i up_to_lane = _mm512_sub_epi32(
      _mm512_sllv_epi32(_mm512_set1_epi32(2), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
      _mm512_set1_epi32(1));
  const __m512i last_lane = _mm512_set1_epi32(15);
  const std::size_t whole = scan.distances.size() / kLanes * kLanes;
  __mmask16 wrong = 0;
  __m512i last = _mm512_setzero_si512(), sum = last;
  std::uint64_t* to = scan.sums;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m512i distances = _mm512_loadu_si512(scan.distances.data() + i);
    const __mmask16 starts = sixteen_bits(scan.starts, i);
    const __m512i all = scan_epi32(distances);
    const __m512i starts_before = _mm512_and_si512(_mm512_set1_epi32(starts), up_to_lane);
    const __mmask16 starts_here = _mm512_test_epi32_mask(starts_before, starts_before);
    const __m512i start_lane = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(starts_before));
    const __m512i before = _mm512_permutexvar_epi32(start_lane, _mm512_sub_epi32(all, distances));
    const __m512i positions = _mm512_mask_sub_epi32(_mm512_add_epi32(all, last), starts_here, all, before);
    const auto follows = static_cast<__mmask16>(~starts);
    wrong |= _mm512_mask_testn_epi32_mask(follows, distances, distances);
    wrong |= _mm512_mask_cmplt_epu32_mask(follows, positions, distances);
    last = _mm512_permutexvar_epi32(last_lane, positions);
    scan_position_values(positions, sixteen_bits(scan.starts, i + 1), sum, &to);
  }
  scan.ascends = wrong == 0;
  scan.last = static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm512_castsi512_si128(last)));
  scan_each(scan, whole, static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm512_castsi512_si128(sum))), to);
}

std::span<const ScanPositions> paths() {
  static const std::vector<ScanPositions> kPaths = [] {
    std::vector<ScanPositions> result{scan_portable};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("popcnt"))
      result.push_back(scan_avx512);
    return result;
  }();
  return kPaths;
}

}  // namespace

std::span<const ScanPositions> all_position_scans() { return paths(); }

void PositionSums::mark_starts(std::span<const std::uint32_t> frequencies, std::size_t count) {
  starts_.assign(count / 64 + 1, 0);
  std::size_t first = 0;
  for (const std::uint32_t frequency : frequencies) {
    starts_[first / 64] |= std::uint64_t{1} << first % 64;
    first += frequency;
  }
  starts_[count / 64] |= std::uint64_t{1} << count % 64;
}

void PositionSums::take(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> distances) {
  static const ScanPositions kScan = paths().back();
  mark_starts(frequencies, distances.size());
  // scan_each() writes one sum past the last, the vector path up to eight.
  sum_count_ = frequencies.size() + 1;
  if (sums_.size() < sum_count_ + PositionScan::kSlack) sums_.resize(sum_count_ + PositionScan::kSlack);
  PositionScan scan{distances, starts_.data(), sums_.data() + 1};
  kScan(scan);
  ascends_ = scan.ascends;
  last_ = scan.last;
}

}  // namespace spillway
