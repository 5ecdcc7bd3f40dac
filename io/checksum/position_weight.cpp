#include "io/checksum/position_weight.hpp"

#include <algorithm>

#include "io/checksum/content_checksum.hpp"
#include "io/checksum/document_powers.hpp"
#include "io/checksum/vector_scans.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLanes = 8;
// Values are split into three digits of 16 bits: only postings with more than 2^16 positions have larger values.
constexpr unsigned kDigitBits = 16, kDigits = 3;
// Steps until 64 bits could overflow: each adds eight products below 2^48.
constexpr std::size_t kMostSteps = std::size_t{1} << 13;
constexpr std::uint64_t kMostDocument = std::uint64_t{DocumentPowers::kCount} * DocumentPowers::kCount - 1;

const bool kHasLanes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");

#define SPILLWAY_WEIGHT_TARGET __attribute__((target("avx512f,avx512vl")))

// For each digit, the sums of its products with the lower and the upper 32 bits of the powers.
struct DigitSums {
  __m512i low[kDigits], high[kDigits];

  SPILLWAY_WEIGHT_TARGET void add(__m512i powers, __m512i values) {
    const __m512i digit_mask = _mm512_set1_epi64((1 << kDigitBits) - 1), upper = _mm512_srli_epi64(powers, 32);
    for (unsigned d = 0; d < kDigits; ++d) {
      const __m512i digits = _mm512_and_si512(_mm512_srli_epi64(values, kDigitBits * d), digit_mask);
      low[d] = _mm512_add_epi64(low[d], _mm512_mul_epu32(powers, digits));
      high[d] = _mm512_add_epi64(high[d], _mm512_mul_epu32(upper, digits));
    }
  }
  SPILLWAY_WEIGHT_TARGET std::uint64_t sum() const {
    std::uint64_t sum = 0;
    for (unsigned d = 0; d < kDigits; ++d) {
      const std::uint64_t low_sum = sum_epu64(low[d]);
      const std::uint64_t high_sum = sum_epu64(high[d]);
      const std::uint64_t residue = field61::reduce((static_cast<unsigned __int128>(high_sum) << 32) + low_sum);
      sum = field61::add(sum, field61::reduce(static_cast<unsigned __int128>(residue) << kDigitBits * d));
    }
    return sum;
  }
};

// r^document of eight documents, which lie between `first` and `last`, at most kMostDocument.
SPILLWAY_WEIGHT_TARGET __m512i gather_powers(__m512i documents, std::uint32_t first, std::uint32_t last) {
  static const DocumentPowers& kPowers = document_powers();
  constexpr unsigned kLowBits = DocumentPowers::kLowBits;
  const __m512i low_mask = _mm512_set1_epi64(DocumentPowers::kCount - 1);
  const __m512i low = _mm512_i64gather_epi64(_mm512_and_si512(documents, low_mask), kPowers.low.data(), 8);
  if (last >> kLowBits == 0) return low;
  const __m512i high = first >> kLowBits == last >> kLowBits
                           ? _mm512_set1_epi64(static_cast<long long>(kPowers.high[last >> kLowBits]))
                           : _mm512_i64gather_epi64(_mm512_srli_epi64(documents, kLowBits), kPowers.high.data(), 8);
  return multiply_lanes(low, high);
}

// Requires: at most kLanes * kMostSteps documents.
SPILLWAY_WEIGHT_TARGET std::uint64_t weight_in_lanes(std::span<const std::uint32_t> documents,
                                                     const std::uint64_t* sums) {
  const __m512i zeros = _mm512_setzero_si512();
  DigitSums digit_sums{{zeros, zeros, zeros}, {zeros, zeros, zeros}};
  std::uint64_t others = 0;
  for (std::size_t i = 0; i < documents.size(); i += kLanes) {
    const std::size_t here = std::min(documents.size() - i, kLanes);
    const auto lanes = static_cast<__mmask8>(0xFFU >> (kLanes - here));
    const __m512i values =
        _mm512_sub_epi64(_mm512_maskz_loadu_epi64(lanes, sums + i + 1), _mm512_maskz_loadu_epi64(lanes, sums + i));
    const std::uint32_t last = documents[i + here - 1];
    if (last > kMostDocument || _mm512_cmpneq_epi64_mask(_mm512_srli_epi64(values, kDigitBits * kDigits), zeros) != 0) {
      others = field61::add(others, position_weight_portable(documents.subspan(i, here), {sums + i, here + 1}));
      continue;
    }
    const __m512i numbers = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, documents.data() + i));
    digit_sums.add(gather_powers(numbers, documents[i], last), values);
  }
  return field61::add(others, digit_sums.sum());
}

}  // namespace

std::uint64_t position_weight_portable(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums) {
  std::uint64_t weight = 0;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    const std::uint64_t value = field61::reduce(sums[i + 1] - sums[i]);
    weight = field61::add(weight, field61::multiply(document_power(documents[i]), value));
  }
  return weight;
}

std::uint64_t position_weight(std::span<const std::uint32_t> documents, std::span<const std::uint64_t> sums) {
  if (!kHasLanes || documents.size() < kLanes / 2) return position_weight_portable(documents, sums);
  std::uint64_t weight = 0;
  for (std::size_t i = 0; i < documents.size(); i += kLanes * kMostSteps) {
    const std::size_t here = std::min(documents.size() - i, kLanes * kMostSteps);
    weight = field61::add(weight, weight_in_lanes(documents.subspan(i, here), sums.data() + i));
  }
  return weight;
}

}  // namespace spillway
