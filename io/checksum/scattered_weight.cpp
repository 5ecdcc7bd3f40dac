#include "io/checksum/scattered_weight.hpp"

#include <algorithm>

#include "io/checksum/document_powers.hpp"
#include "io/checksum/vector_scans.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLanes = 8;
constexpr unsigned kDigitBits = 52, kPrimeBits = 61;
// 64 bits hold the sum of up to kMostTimes powers below 2^61.
constexpr int kMostTimes = 7;
// Steps until 64 bits could overflow: each adds 3 * 2^52 over all lanes.
constexpr std::size_t kMostSteps = 128;

#define SPILLWAY_DIGIT_TARGET __attribute__((target("avx512f,avx512dq,avx512vl,avx512ifma")))

const bool kHasDigits = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512ifma");

// Sums products in eight lanes, in digits of 52 bits: each digit is a sum of up to three halves of products.
struct DigitSums {
  __m512i digits[3];

  // The instructions take the low 52 bits of their operands.
  SPILLWAY_DIGIT_TARGET void add(__m512i a, __m512i b) {
    const __m512i a_high = _mm512_srli_epi64(a, kDigitBits), b_high = _mm512_srli_epi64(b, kDigitBits);
    digits[0] = _mm512_madd52lo_epu64(digits[0], a, b);
    digits[1] = _mm512_madd52hi_epu64(digits[1], a, b);
    digits[1] = _mm512_madd52lo_epu64(digits[1], a_high, b);
    digits[1] = _mm512_madd52lo_epu64(digits[1], a, b_high);
    digits[2] = _mm512_madd52hi_epu64(digits[2], a_high, b);
    digits[2] = _mm512_madd52hi_epu64(digits[2], a, b_high);
    digits[2] = _mm512_madd52lo_epu64(digits[2], a_high, b_high);
  }
  SPILLWAY_DIGIT_TARGET std::uint64_t residue() const {
    using Wide = unsigned __int128;
    const auto sum = [](__m512i lanes) SPILLWAY_DIGIT_TARGET { return Wide{sum_epu64(lanes)}; };
    return field61::reduce(sum(digits[0]) + (sum(digits[1]) << kDigitBits) +
                           (sum(digits[2]) << (2 * kDigitBits - kPrimeBits)));
  }
};

SPILLWAY_DIGIT_TARGET ScatteredWeight weigh(const std::uint32_t* documents, const std::uint32_t* frequencies,
                                            std::size_t count) {
  static const DocumentPowers& kPowers = document_powers();
  const __m512i low_mask = _mm512_set1_epi64(DocumentPowers::kCount - 1);
  const __m256i most_times = _mm256_set1_epi32(kMostTimes);
  const __m512i zeros = _mm512_setzero_si512();
  DigitSums sums{{zeros, zeros, zeros}};
  std::size_t done = 0;
  for (std::size_t here = 0; done < count; done += here) {
    here = std::min(count - done, kLanes);
    const auto lanes = static_cast<__mmask8>(0xFFU >> (kLanes - here));
    const __m256i times = _mm256_maskz_loadu_epi32(lanes, frequencies + done);
    if (_mm256_cmpgt_epu32_mask(times, most_times) != 0) break;
    const __m512i numbers = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, documents + done));
    const __m512i high =
        _mm512_i64gather_epi64(_mm512_srli_epi64(numbers, DocumentPowers::kLowBits), kPowers.high.data(), 8);
    const __m512i low = _mm512_i64gather_epi64(_mm512_and_si512(numbers, low_mask), kPowers.low.data(), 8);
    sums.add(low, _mm512_mullo_epi64(high, _mm512_cvtepu32_epi64(times)));
  }
  return {sums.residue(), std::min(done, count)};
}

}  // namespace

bool has_scattered_weight() { return kHasDigits; }

ScatteredWeight weigh_scattered(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  const std::size_t count = std::min(documents.size(), kLanes * kMostSteps);
  if (!kHasDigits) return {};
  return weigh(documents.data(), frequencies.data(), count);
}

}  // namespace spillway
