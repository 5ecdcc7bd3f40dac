#include "io/position_sums.hpp"

#include <algorithm>

#include "io/occurrence_sum.hpp"
#include "io/vector_scans.hpp"

namespace spillway {

namespace {

void scan_each(PositionScan& scan, std::size_t begin) {
  std::uint32_t position = scan.last;
  std::uint64_t sum = scan.sums[begin];
  bool ascends = scan.ascends;
  for (std::size_t i = begin; i < scan.distances.size(); ++i) {
    const std::uint32_t distance = scan.distances[i];
    const bool starts = (scan.starts[i / 64] >> i % 64 & 1) != 0;
    position = distance + (starts ? 0 : position);
    ascends &= starts || (distance != 0 && position >= distance);
    scan.sums[i + 1] = sum += position_value(position);
  }
  scan.last = position;
  scan.ascends = ascends;
}

void scan_portable(PositionScan& scan) { scan_each(scan, 0); }

// Sixteen at a time: running sums over all lanes, from which each lane takes what was before its own posting.
__attribute__((target("avx512f,avx512cd"))) void scan_avx512(PositionScan& scan) {
  constexpr std::size_t kLanes = 16;
  const __m512i up_to_lane = _mm512_sub_epi32(
      _mm512_sllv_epi32(_mm512_set1_epi32(2), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
      _mm512_set1_epi32(1));
  const std::size_t whole = scan.distances.size() / kLanes * kLanes;
  __mmask16 wrong = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const __m512i distances = _mm512_loadu_si512(scan.distances.data() + i);
    const auto starts = static_cast<__mmask16>(scan.starts[i / 64] >> i % 64);
    const __m512i all = scan_epi32(distances);
    const __m512i starts_before = _mm512_and_si512(_mm512_set1_epi32(starts), up_to_lane);
    const __mmask16 starts_here = _mm512_test_epi32_mask(starts_before, starts_before);
    const __m512i start_lane = _mm512_sub_epi32(_mm512_set1_epi32(31), _mm512_lzcnt_epi32(starts_before));
    const __m512i before = _mm512_permutexvar_epi32(start_lane, _mm512_sub_epi32(all, distances));
    const __m512i carried = _mm512_set1_epi32(static_cast<int>(scan.last));
    const __m512i positions = _mm512_mask_sub_epi32(_mm512_add_epi32(all, carried), starts_here, all, before);
    const auto follows = static_cast<__mmask16>(~starts);
    wrong |= _mm512_mask_testn_epi32_mask(follows, distances, distances);
    wrong |= _mm512_mask_cmplt_epu32_mask(follows, positions, distances);
    scan.last = static_cast<std::uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(positions, 3), 3));
    sum = scan_position_values(positions, sum, scan.sums + i + 1);
  }
  scan.ascends = wrong == 0;
  scan_each(scan, whole);
}

std::span<const ScanPositions> paths() {
  static const std::vector<ScanPositions> kPaths = [] {
    std::vector<ScanPositions> result{scan_portable};
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd")) result.push_back(scan_avx512);
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
}

void PositionSums::take(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> distances) {
  static const ScanPositions kScan = paths().back();
  mark_starts(frequencies, distances.size());
  if (sums_.size() < distances.size() + 1) sums_.resize(distances.size() + 1);
  PositionScan scan{distances, starts_.data(), sums_.data()};
  kScan(scan);
  ascends_ = scan.ascends;
  last_ = scan.last;
}

}  // namespace spillway
