#include "io/checksum/content_checksum.hpp"

#include <algorithm>
#include <utility>

#include "io/checksum/document_powers.hpp"
#include "io/checksum/scattered_weight.hpp"
#include "io/checksum/vector_scans.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kLowCount = DocumentPowers::kCount;

#define SPILLWAY_WEIGHT_TARGET __attribute__((target("avx512f,avx512vl")))

const bool kHasLanes = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");

constexpr std::size_t kLanes = 8;
constexpr std::uint32_t kMostTimes = 0xFFFF;
constexpr std::size_t kMostSteps =
    std::size_t{1} << 13;  // steps until 64 bits could overflow: each adds kLanes products below 2^32 * kMostTimes

// Sums products of 64-bit values and counts in eight lanes: the low 32 bits of the values in one sum, the high 32 bits
// in another.
struct WeightLanes {
  __m512i low, high;

  SPILLWAY_WEIGHT_TARGET void add(__m512i values, __m512i times) {
    low = _mm512_add_epi64(low, _mm512_mul_epu32(values, times));
    high = _mm512_add_epi64(high, _mm512_mul_epu32(_mm512_srli_epi64(values, 32), times));
  }
  // Adds the powers with the given numbers.
  SPILLWAY_WEIGHT_TARGET void add_powers(const std::uint64_t* powers, __m256i numbers, __m256i times) {
    add(_mm512_i32gather_epi64(numbers, powers, 8), _mm512_cvtepu32_epi64(times));
  }
  SPILLWAY_WEIGHT_TARGET std::uint64_t take() {
    const std::uint64_t low_sum = sum_epu64(low);
    const std::uint64_t high_sum = sum_epu64(high);
    low = high = _mm512_setzero_si512();
    return field61::reduce((static_cast<unsigned __int128>(high_sum) << 32) + low_sum);
  }
};

// Documents whose powers share their high part.
struct SharedHigh {
  std::uint64_t first;
  std::size_t count;
  bool contains(std::uint32_t document) const { return document - first < count; }
};

// Adds the low powers of the first documents, 16 at a time, as long as they share the high part and no frequency
// exceeds kMostTimes. Returns the number of documents added.
SPILLWAY_WEIGHT_TARGET std::size_t add_dense(std::span<const std::uint32_t> documents,
                                             std::span<const std::uint32_t> frequencies, SharedHigh high,
                                             const std::uint64_t* low_powers, WeightLanes& shared) {
  const __m512i low_mask = _mm512_set1_epi32(kLowCount - 1), most_times = _mm512_set1_epi32(kMostTimes);
  std::size_t done = 0;
  for (; done + 2 * kLanes <= documents.size(); done += 2 * kLanes) {
    if (!high.contains(documents[done]) || !high.contains(documents[done + 2 * kLanes - 1])) break;
    const __m512i times = _mm512_loadu_si512(frequencies.data() + done);
    if (_mm512_cmpgt_epu32_mask(times, most_times) != 0) break;
    const __m512i low = _mm512_and_si512(_mm512_loadu_si512(documents.data() + done), low_mask);
    shared.add_powers(low_powers, _mm512_castsi512_si256(low), _mm512_castsi512_si256(times));
    shared.add_powers(low_powers, _mm512_extracti64x4_epi64(low, 1), _mm512_extracti64x4_epi64(times, 1));
  }
  return done;
}

}  // namespace

TermHash hash_term(std::string_view term) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(term.data(), term.size(), kTermSeed);
  return {field61::reduce(hash.low64), field61::reduce(hash.high64)};
}

void DocumentWeight::add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  if (!kHasLanes || documents.size() < kLanes / 2) {
    add_in_turn(documents, frequencies);
    return;
  }
  const bool is_scattered = has_scattered_weight() && documents.back() >> (2 * kLowBits) == 0 &&
                            documents.back() - documents.front() >= documents.size() * (kLowCount / (8 * kLanes));
  while (!documents.empty()) {
    const ScatteredWeight scattered = is_scattered ? weigh_scattered(documents, frequencies) : ScatteredWeight();
    add_residue(scattered.weight);
    std::size_t here = scattered.count;
    if (here == 0) {
      here = std::min(documents.size(), kLanes * (is_scattered ? 1 : kMostSteps));
      add_in_lanes(documents.first(here), frequencies.first(here));
    }
    documents = documents.subspan(here);
    frequencies = frequencies.subspan(here);
  }
}

// Processes eight documents at a time. If the powers of all eight share their high part, only the low parts are summed;
// otherwise, as in most lists, the two parts of each power are multiplied.
SPILLWAY_WEIGHT_TARGET void DocumentWeight::add_in_lanes(std::span<const std::uint32_t> documents,
                                                         std::span<const std::uint32_t> frequencies) {
  const __m512i low_mask = _mm512_set1_epi64(kLowCount - 1), most_times = _mm512_set1_epi64(kMostTimes);
  const std::uint64_t* const high_powers = document_powers().high.data();
  WeightLanes shared{_mm512_setzero_si512(), _mm512_setzero_si512()}, whole = shared;
  const auto end_shared = [&] { add_residue(field61::multiply(high_power_, shared.take())); };
  bool any_shared = false;
  const bool is_dense = documents.back() - documents.front() < documents.size() * (kLowCount / (4 * kLanes));
  for (std::size_t i = 0, here = 0; i < documents.size(); i += here) {
    here = 0;
    if (is_dense && any_shared) {
      here =
          add_dense(documents.subspan(i), frequencies.subspan(i), {high_ << kLowBits, kLowCount}, low_powers_, shared);
    }
    if (here != 0) continue;
    here = std::min(documents.size() - i, kLanes);
    const auto lanes = static_cast<__mmask8>(0xFFU >> (kLanes - here));
    const __m512i numbers = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, documents.data() + i));
    const __m512i times = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, frequencies.data() + i));
    const std::uint64_t first = documents[i] >> kLowBits, last = documents[i + here - 1] >> kLowBits;
    if (_mm512_cmpgt_epu64_mask(times, most_times) != 0 || (first != last && last >= kLowCount)) {
      if (std::exchange(any_shared, false)) end_shared();
      add_in_turn(documents.subspan(i, here), frequencies.subspan(i, here));
      continue;
    }
    const __m512i low = _mm512_i64gather_epi64(_mm512_and_si512(numbers, low_mask), low_powers_, 8);
    if (first != last) {
      const __m512i high = _mm512_i64gather_epi64(_mm512_srli_epi64(numbers, kLowBits), high_powers, 8);
      whole.add(multiply_lanes(low, high), times);
      continue;
    }
    if (first != high_) {
      if (any_shared) end_shared();
      move_to(first);
    }
    any_shared = true;
    shared.add(low, times);
  }
  if (any_shared) end_shared();
  add_residue(whole.take());
}

// `share` cannot overflow: it sums at most 2^12 products below 2^61 * 2^32.
void DocumentWeight::add_in_turn(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  for (std::size_t i = 0; i < documents.size();) {
    const std::uint64_t high = documents[i] >> kLowBits;
    if (high != high_) move_to(high);
    unsigned __int128 share = 0;
    do {
      const std::uint64_t low = low_powers_[documents[i] & (kLowCount - 1)];
      share += static_cast<unsigned __int128>(low) * frequencies[i];
    } while (++i < documents.size() && documents[i] >> kLowBits == high);
    add_residue(field61::multiply(high_power_, field61::reduce(share)));
  }
}

void DocumentWeight::move_to(std::uint64_t high) {
  high_ = high;
  high_power_ = high_document_power(high);
}

const std::uint64_t* DocumentWeight::low_table() { return document_powers().low.data(); }

}  // namespace spillway
