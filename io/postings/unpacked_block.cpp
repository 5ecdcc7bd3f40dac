#include "io/postings/unpacked_block.hpp"

#include <algorithm>
#include <numeric>

#include "io/checksum/vector_scans.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLanes = 16;

const bool kHasLanes = __builtin_cpu_supports("avx512f");

SPILLWAY_SCAN_TARGET void take_shape(const std::uint32_t* documents, const std::uint32_t* frequencies,
                                     std::uint32_t next, UnpackedBlock& shape) {
  const __m512i one = _mm512_set1_epi32(1), zeros = _mm512_setzero_si512();
  __m512i gap_bits = zeros, rest_bits = zeros, most = zeros;
  __m512i before = _mm512_set1_epi32(static_cast<int>(next - 1));
  for (std::size_t i = 0; i < kPackedBlock; i += kLanes) {
    const __m512i here = _mm512_loadu_si512(documents + i), times = _mm512_loadu_si512(frequencies + i);
    const __m512i gaps = _mm512_sub_epi32(_mm512_sub_epi32(here, _mm512_alignr_epi32(here, before, 15)), one);
    const __m512i rest = _mm512_sub_epi32(times, one);
    _mm512_store_si512(shape.gaps.data() + i, gaps);
    _mm512_store_si512(shape.rest.data() + i, rest);
    gap_bits = _mm512_or_si512(gap_bits, gaps);
    rest_bits = _mm512_or_si512(rest_bits, rest);
    most = _mm512_max_epu32(most, times);
    before = here;
  }
  shape.gap_bits = static_cast<std::uint32_t>(_mm512_reduce_or_epi32(gap_bits));
  shape.rest_bits = static_cast<std::uint32_t>(_mm512_reduce_or_epi32(rest_bits));
  shape.most = _mm512_reduce_max_epu32(most);
}

// Adds the even and the odd numbers of each pair separately.
SPILLWAY_SCAN_TARGET std::uint64_t sum_in_lanes(std::span<const std::uint32_t> numbers) {
  const __m512i low = _mm512_set1_epi64(0xFFFFFFFF);
  __m512i even = _mm512_setzero_si512(), odd = even;
  for (std::size_t i = 0; i < numbers.size(); i += kLanes) {
    const std::size_t here = std::min(numbers.size() - i, kLanes);
    const auto lanes = static_cast<__mmask16>(0xFFFFU >> (kLanes - here));
    const __m512i pairs = _mm512_maskz_loadu_epi32(lanes, numbers.data() + i);
    even = _mm512_add_epi64(even, _mm512_and_si512(pairs, low));
    odd = _mm512_add_epi64(odd, _mm512_srli_epi64(pairs, 32));
  }
  return static_cast<std::uint64_t>(_mm512_reduce_add_epi64(_mm512_add_epi64(even, odd)));
}

// Each lane loads four bytes. The first one is its code.
SPILLWAY_SCAN_TARGET std::uint32_t least_in_lanes(std::span<const std::uint32_t> documents, const std::uint8_t* codes) {
  __m512i least = _mm512_set1_epi32(255);
  const __m512i low_byte = least;
  for (std::size_t i = 0; i < documents.size(); i += kLanes) {
    const std::size_t here = std::min(documents.size() - i, kLanes);
    const auto lanes = static_cast<__mmask16>(0xFFFFU >> (kLanes - here));
    const __m512i numbers = _mm512_maskz_loadu_epi32(lanes, documents.data() + i);
    const __m512i found = _mm512_mask_i32gather_epi32(low_byte, lanes, numbers, codes, 1);
    least = _mm512_min_epu32(least, _mm512_and_si512(found, low_byte));
  }
  return _mm512_reduce_min_epu32(least);
}

}  // namespace

UnpackedBlock shape_block_portable(const std::uint32_t* documents, const std::uint32_t* frequencies,
                                   std::uint32_t next) {
  UnpackedBlock shape;
  shape.gap_bits = shape.gaps[0] = documents[0] - next;
  for (std::size_t i = 1; i < kPackedBlock; ++i) {
    shape.gap_bits |= shape.gaps[i] = documents[i] - documents[i - 1] - 1;
  }
  for (std::size_t i = 0; i < kPackedBlock; ++i) shape.rest_bits |= shape.rest[i] = frequencies[i] - 1;
  shape.most = *std::max_element(frequencies, frequencies + kPackedBlock);
  return shape;
}

UnpackedBlock shape_block(const std::uint32_t* documents, const std::uint32_t* frequencies, std::uint32_t next) {
  if (!kHasLanes) return shape_block_portable(documents, frequencies, next);
  UnpackedBlock shape;
  take_shape(documents, frequencies, next, shape);
  return shape;
}

std::uint64_t sum_of(std::span<const std::uint32_t> numbers) {
  if (kHasLanes) return sum_in_lanes(numbers);
  return std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
}

// Four independent chains, because each minimum waits for the one before it.
std::uint8_t least_code_portable(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes) {
  std::array<std::uint32_t, 4> least{255, 255, 255, 255};
  std::size_t i = 0;
  for (; i + 4 <= documents.size(); i += 4) {
    for (std::size_t k = 0; k < 4; ++k) least[k] = std::min<std::uint32_t>(least[k], codes[documents[i + k]]);
  }
  for (; i < documents.size(); ++i) least[0] = std::min<std::uint32_t>(least[0], codes[documents[i]]);
  return static_cast<std::uint8_t>(std::min({least[0], least[1], least[2], least[3]}));
}

std::uint8_t least_code(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes) {
  const bool in_lanes = kHasLanes && codes.size() >= 4 && documents.back() <= codes.size() - 4;
  return in_lanes ? static_cast<std::uint8_t>(least_in_lanes(documents, codes.data()))
                  : least_code_portable(documents, codes);
}

}  // namespace spillway
