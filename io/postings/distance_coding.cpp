#include "io/postings/distance_coding.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/base/byte_order.hpp"
#include "io/checksum/vector_scans.hpp"
#include "io/postings/bit_packing.hpp"

namespace spillway {

namespace {

constexpr std::size_t kHeadBytes = kDistanceHeadBytes;  // u8 width, u8 bytes of the unary part
constexpr std::size_t kLeastUnaryBytes = kDistanceBlock / 8, kMostUnaryBytes = 48;
constexpr unsigned kMaxWidth = 31;

static_assert(kDistanceBlock == kPackedBlock);
static_assert(kMaxDistanceBlockBytes == kHeadBytes + packed_bytes(kMaxWidth) + kMostUnaryBytes);

// Number of unary bits saved by a width larger by one, which costs one more packed bit per value.
template <typename Sum>
Sum gain(const std::uint32_t* values, unsigned width) {
  Sum sum = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) sum += (static_cast<Sum>(values[i] >> width) + 1) >> 1;
  return sum;
}

// The cost is convex in the width, because the gain never grows with it. At the width found, the high parts sum to at
// most 256.
template <typename Sum>
unsigned find_width(const std::uint32_t* values, unsigned guess) {
  unsigned width = guess;
  while (width != 0 && gain<Sum>(values, width - 1) <= kDistanceBlock) --width;
  while (gain<Sum>(values, width) > kDistanceBlock) ++width;
  return width;
}

unsigned guess_width(std::uint64_t sum) {
  const auto mean_bits = static_cast<unsigned>(std::bit_width(sum / kDistanceBlock));
  return mean_bits == 0 ? 0 : mean_bits - 1;
}

unsigned choose_width_portable(const std::uint32_t* values) {
  std::uint64_t sum = 0;
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) {
    sum += values[i];
    any |= values[i];
  }
  // The sum of 128 values below 2^24 fits 32 bits, which doubles the lanes of a vectorized loop.
  return any >> 24 == 0 ? find_width<std::uint32_t>(values, guess_width(sum))
                        : find_width<std::uint64_t>(values, guess_width(sum));
}

constexpr std::size_t kLanes = 16, kVectors = kDistanceBlock / kLanes;

// gain() for values below 2^24.
SPILLWAY_SCAN_TARGET std::uint32_t gain_in_lanes(const __m512i* values, unsigned width) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(width));
  __m512i sums = _mm512_setzero_si512();
  for (std::size_t i = 0; i < kVectors; ++i) {
    sums = _mm512_add_epi32(sums, _mm512_srli_epi32(_mm512_add_epi32(_mm512_srl_epi32(values[i], shift), one), 1));
  }
  return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(sums));
}

SPILLWAY_SCAN_TARGET unsigned choose_width_in_lanes(const std::uint32_t* from) {
  __m512i values[kVectors], sums = _mm512_setzero_si512(), any = sums;
  for (std::size_t i = 0; i < kVectors; ++i) {
    values[i] = _mm512_loadu_si512(from + kLanes * i);
    sums = _mm512_add_epi32(sums, values[i]);
    any = _mm512_or_si512(any, values[i]);
  }
  if (_mm512_cmpge_epu32_mask(any, _mm512_set1_epi32(1 << 24)) != 0) return choose_width_portable(from);
  unsigned width = guess_width(static_cast<std::uint32_t>(_mm512_reduce_add_epi32(sums)));
  while (width != 0 && gain_in_lanes(values, width - 1) <= kDistanceBlock) --width;
  while (gain_in_lanes(values, width) > kDistanceBlock) ++width;
  return width;
}

// Writes one byte per bit, so that no store waits for the one before it, then gathers 16 bytes at a time into bits.
std::size_t write_unary_portable(const std::uint32_t* values, unsigned width, std::uint8_t* to) {
  alignas(16) std::uint8_t bits[kMostUnaryBytes * 8] = {};
  std::size_t bit = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) {
    bit += values[i] >> width;
    bits[bit + i] = 0xFF;
  }
  for (std::size_t i = 0; i < kMostUnaryBytes / 2; ++i) {
    const int mask = _mm_movemask_epi8(_mm_load_si128(reinterpret_cast<const __m128i*>(bits) + i));
    store_le(to + 2 * i, static_cast<std::uint16_t>(mask));
  }
  return (bit + kDistanceBlock - 1) / 8 + 1;
}

// Sets the bits with the given 16 numbers, all below 64.
SPILLWAY_SCAN_TARGET std::uint64_t join_bits(__m512i numbers) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i low = _mm512_sllv_epi64(one, _mm512_cvtepu32_epi64(_mm512_castsi512_si256(numbers)));
  const __m512i high = _mm512_sllv_epi64(one, _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(numbers, 1)));
  return static_cast<std::uint64_t>(_mm512_reduce_or_epi64(_mm512_or_si512(low, high)));
}

// The bits of 16 values usually fit one word, which is shifted to follow the earlier bits.
SPILLWAY_SCAN_TARGET std::size_t write_unary_in_lanes(const std::uint32_t* values, unsigned width, std::uint8_t* to) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(width));
  std::uint64_t words[kMostUnaryBytes / 8 + 1] = {};
  std::size_t done = 0;  // bits
  for (std::size_t i = 0; i < kDistanceBlock; i += kLanes) {
    const __m512i bits = _mm512_add_epi32(_mm512_srl_epi32(_mm512_loadu_si512(values + i), shift), one);
    const __m512i ends = scan_epi32(bits), numbers = _mm512_sub_epi32(ends, one);
    const auto count = static_cast<std::uint32_t>(_mm_extract_epi32(_mm512_extracti32x4_epi32(ends, 3), 3));
    if (count <= 64) {
      const std::uint64_t word = join_bits(numbers);
      words[done / 64] |= word << done % 64;
      words[done / 64 + 1] |= word >> 1 >> (63 - done % 64);
    } else {
      alignas(64) std::uint32_t each[kLanes];
      _mm512_store_si512(each, numbers);
      for (const std::uint32_t number : each) {
        words[(done + number) / 64] |= std::uint64_t{1} << (done + number) % 64;
      }
    }
    done += count;
  }
  std::memcpy(to, words, kMostUnaryBytes);
  return (done + 7) / 8;
}

// The two steps that differ by CPU. write_unary writes all kMostUnaryBytes and returns the number used.
struct Steps {
  unsigned (*choose_width)(const std::uint32_t* values);
  std::size_t (*write_unary)(const std::uint32_t* values, unsigned width, std::uint8_t* to);
};
constexpr Steps kPortable{choose_width_portable, write_unary_portable};
const Steps kFastest =
    __builtin_cpu_supports("avx512f") ? Steps{choose_width_in_lanes, write_unary_in_lanes} : kPortable;

std::size_t pack(const std::uint32_t* values, std::uint8_t* to, const Steps& steps) {
  const unsigned width = steps.choose_width(values);
  alignas(16) std::uint32_t low[kDistanceBlock];
  const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) low[i] = values[i] & mask;
  pack_block(low, width, to + kHeadBytes);
  const std::size_t unary_bytes = steps.write_unary(values, width, to + kHeadBytes + packed_bytes(width));
  to[0] = static_cast<std::uint8_t>(width);
  to[1] = static_cast<std::uint8_t>(unary_bytes);
  return kHeadBytes + packed_bytes(width) + unary_bytes;
}

}  // namespace

std::size_t pack_distances(const std::uint32_t* values, std::uint8_t* to) { return pack(values, to, kFastest); }

std::size_t pack_distances_portable(const std::uint32_t* values, std::uint8_t* to) {
  return pack(values, to, kPortable);
}

std::size_t distance_block_bytes(const std::uint8_t* head) {
  if (head[0] > kMaxWidth || head[1] < kLeastUnaryBytes || head[1] > kMostUnaryBytes) return 0;
  return kHeadBytes + packed_bytes(head[0]) + head[1];
}

bool unpack_distances(const std::uint8_t* from, std::uint32_t* values) {
  if (distance_block_bytes(from) == 0) return false;
  const unsigned width = from[0];
  const std::size_t unary_bytes = from[1];
  unpack_block(from + kHeadBytes, width, values);
  std::uint64_t words[kMostUnaryBytes / 8] = {};
  std::memcpy(words, from + kHeadBytes + packed_bytes(width), unary_bytes);

  std::size_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::size_t>(std::popcount(word));
  if (count != kDistanceBlock || from[kHeadBytes + packed_bytes(width) + unary_bytes - 1] == 0) return false;
  std::uint64_t next = 0, above = 0;  // next: the bit after the previous value; above: all bits above bit 31
  for (std::size_t w = 0, i = 0; i < kDistanceBlock; ++w) {
    for (std::uint64_t word = words[w]; word != 0; word &= word - 1, ++i) {
      const std::uint64_t bit = w * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      const std::uint64_t high = (bit - next) << width;
      above |= high >> 32;
      values[i] |= static_cast<std::uint32_t>(high);
      next = bit + 1;
    }
  }
  return above == 0;
}

}  // namespace spillway
