#include "sort/lines/block/line_ends.hpp"

#include <bit>
#include <vector>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStep = 64;  // bytes

// Bit i tells whether from[i] is `byte`, for 64 bytes.
std::uint64_t match_sse2(const std::uint8_t* from, char byte) {
  const __m128i wanted = _mm_set1_epi8(byte);
  std::uint64_t bits = 0;
  for (unsigned i = 0; i != 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + 16 * i));
    bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, wanted)))} << (16 * i);
  }
  return bits;
}

std::size_t find_sse2(const std::uint8_t* text, std::size_t bytes, char line_end, LineEnds& ends) {
  std::size_t count = 0, at = 0;
  for (; bytes - at >= kStep; at += kStep) {
    for (std::uint64_t bits = match_sse2(text + at, line_end); bits != 0; bits &= bits - 1) {
      ends[count++] = static_cast<std::uint16_t>(at + static_cast<std::size_t>(std::countr_zero(bits)));
    }
  }
  for (; at != bytes; ++at) {
    if (text[at] == static_cast<std::uint8_t>(line_end)) ends[count++] = static_cast<std::uint16_t>(at);
  }
  return count;
}

// Sums of 255 comparisons fit a byte, which lets the compiler use vectors of bytes.
std::size_t count_sse2(const std::uint8_t* text, std::size_t bytes, char line_end) {
  std::size_t count = 0;
  while (bytes != 0) {
    const std::size_t part = std::min<std::size_t>(bytes, 255 * 64);
    std::uint16_t sum = 0;
    for (std::size_t i = 0; i != part; ++i) {
      sum = static_cast<std::uint16_t>(sum + (text[i] == static_cast<std::uint8_t>(line_end) ? 1 : 0));
    }
    count += sum;
    text += part;
    bytes -= part;
  }
  return count;
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,bmi")))

constexpr std::size_t kLanes = 16;  // offsets that are stored at once

SPILLWAY_AVX512 inline __mmask64 match_avx512(const std::uint8_t* from, std::size_t bytes, __m512i wanted) {
  const __mmask64 inside = bytes >= kStep ? ~__mmask64{0} : (__mmask64{1} << bytes) - 1;
  return _mm512_mask_cmpeq_epi8_mask(inside, _mm512_maskz_loadu_epi8(inside, from), wanted);
}

// Stores 16 offsets for each 64 bytes, however many there are, so that few branches depend on the text.
SPILLWAY_AVX512 std::size_t find_avx512(const std::uint8_t* text, std::size_t bytes, char line_end, LineEnds& ends) {
  alignas(64) static constexpr std::uint8_t kOffsets[kStep] = {
      0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
      44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
  const __m512i wanted = _mm512_set1_epi8(line_end), offsets = _mm512_load_si512(kOffsets);
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes; at += kStep) {
    const __mmask64 bits = match_avx512(text + at, bytes - at, wanted);
    const __m512i found = _mm512_maskz_compress_epi8(bits, offsets);
    const __m256i base = _mm256_set1_epi16(static_cast<std::int16_t>(at));
    const auto here = static_cast<std::size_t>(std::popcount(bits));
    const auto put = [&](std::size_t first, __m128i some) SPILLWAY_AVX512 {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(&ends[count + first]),
                          _mm256_add_epi16(_mm256_cvtepu8_epi16(some), base));
    };
    put(0, _mm512_castsi512_si128(found));
    if (here > kLanes) {
      put(kLanes, _mm512_extracti32x4_epi32(found, 1));
      put(2 * kLanes, _mm512_extracti32x4_epi32(found, 2));
      put(3 * kLanes, _mm512_extracti32x4_epi32(found, 3));
    }
    count += here;
  }
  return count;
}

SPILLWAY_AVX512 std::size_t count_avx512(const std::uint8_t* text, std::size_t bytes, char line_end) {
  const __m512i wanted = _mm512_set1_epi8(line_end);
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes; at += kStep) {
    count += static_cast<std::size_t>(std::popcount(match_avx512(text + at, bytes - at, wanted)));
  }
  return count;
}

std::span<const LineEndKernel> kernels() {
  static const std::vector<LineEndKernel> kKernels = [] {
    std::vector<LineEndKernel> result{{"sse2", find_sse2, count_sse2}};
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi2")) {
      result.push_back({"avx512", find_avx512, count_avx512});
    }
    return result;
  }();
  return kKernels;
}

}  // namespace

std::span<const LineEndKernel> all_line_end_kernels() { return kernels(); }

const LineEndKernel& line_end_kernel() {
  static const LineEndKernel kFastest = kernels().back();
  return kFastest;
}

}  // namespace spillway
