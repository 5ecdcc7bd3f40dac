#include "text/scan/word_kernels.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "io/base/vector_intrinsics.hpp"
#include "text/scan/token_hash.hpp"
#include "text/scan/vector_letters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kShortBytes = 16;

template <WordBytes kWords>
constexpr std::array<bool, 256> kIsWord = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = is_word_byte(static_cast<std::uint8_t>(c), kWords);
  return table;
}();

constexpr std::array<std::uint8_t, 256> kLower = [] {
  std::array<std::uint8_t, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = static_cast<std::uint8_t>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  return table;
}();

// Lowers up to 64 bytes, one at a time, and returns the mask of the word bytes.
template <WordBytes kWords>
std::uint64_t mark_bytes(const std::uint8_t* text, std::size_t count, std::uint8_t* lowered) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mask |= std::uint64_t{kIsWord<kWords>[text[i]]} << i;
    lowered[i] = kLower[text[i]];
  }
  return mask;
}

// Writes the offsets of the set bits, eight per round. Offsets written after the last one are overwritten later or not
// counted.
inline std::size_t append_edges(std::uint64_t bits, std::size_t found, std::size_t at, std::uint16_t* edges) {
  for (std::size_t j = 0; j < found; j += 8) {
    for (std::size_t k = 0; k < 8; ++k) {
      edges[j + k] = static_cast<std::uint16_t>(at + static_cast<std::size_t>(std::countr_zero(bits)));
      bits &= bits - 1;
    }
  }
  return found;
}

template <WordBytes kWords>
std::size_t find_edges_portable(const std::uint8_t* text, std::size_t count, std::uint64_t word_before,
                                std::uint8_t* lowered, std::uint16_t* edges) {
  std::size_t found = 0;
  for (std::size_t at = 0; at < count; at += 64) {
    const std::size_t bytes = count - at < 64 ? count - at : 64;
    const std::uint64_t mask = mark_bytes<kWords>(text + at, bytes, lowered + at);
    std::uint64_t changes = mask ^ (mask << 1 | word_before);
    if (bytes < 64) changes &= (std::uint64_t{1} << bytes) - 1;
    word_before = mask >> 63;
    found += append_edges(changes, count_bits(changes), at, edges + found);
  }
  return found;
}

template <WordBytes kWords>
std::uint32_t mark_sse2(__m128i bytes, std::uint8_t* lowered) {
  const __m128i letters = are_letters(bytes);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(lowered), lower_letters(bytes, letters));
  __m128i word = _mm_or_si128(are_digits(bytes), letters);
  if (kWords == WordBytes::kWithHighBytes) word = _mm_or_si128(word, bytes);  // movemask takes the top bit
  return static_cast<std::uint32_t>(_mm_movemask_epi8(word));
}

template <WordBytes kWords>
std::size_t find_edges_sse2(const std::uint8_t* text, std::size_t count, std::uint64_t word_before,
                            std::uint8_t* lowered, std::uint16_t* edges) {
  std::size_t found = 0, at = 0;
  for (; at + 64 <= count; at += 64) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at + 16 * i));
      mask |= std::uint64_t{mark_sse2<kWords>(bytes, lowered + at + 16 * i)} << (16 * i);
    }
    const std::uint64_t changes = mask ^ (mask << 1 | word_before);
    word_before = mask >> 63;
    found += append_edges(changes, count_bits(changes), at, edges + found);
  }
  if (at == count) return found;
  const std::size_t tail = find_edges_portable<kWords>(text + at, count - at, word_before, lowered + at, edges + found);
  for (std::size_t i = found; i < found + tail; ++i) edges[i] = static_cast<std::uint16_t>(edges[i] + at);
  return found + tail;
}

template <WordBytes kWords>
__attribute__((target("avx2,bmi,popcnt"))) std::size_t find_edges_avx2(const std::uint8_t* text, std::size_t count,
                                                                       std::uint64_t word_before, std::uint8_t* lowered,
                                                                       std::uint16_t* edges) {
  std::size_t found = 0, at = 0;
  for (; at + 64 <= count; at += 64) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at + 32 * i));
      const __m256i letters = are_letters(bytes);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(lowered + at + 32 * i), lower_letters(bytes, letters));
      __m256i word = _mm256_or_si256(are_digits(bytes), letters);
      if (kWords == WordBytes::kWithHighBytes) word = _mm256_or_si256(word, bytes);
      mask |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(word))} << (32 * i);
    }
    std::uint64_t changes = mask ^ (mask << 1 | word_before);
    word_before = mask >> 63;
    const auto more = static_cast<std::size_t>(_mm_popcnt_u64(changes));
    for (std::size_t j = 0; j < more; j += 8) {
      for (std::size_t k = 0; k < 8; ++k) {
        edges[found + j + k] = static_cast<std::uint16_t>(at + _tzcnt_u64(changes));
        changes = _blsr_u64(changes);
      }
    }
    found += more;
  }
  if (at == count) return found;
  const std::size_t tail = find_edges_portable<kWords>(text + at, count - at, word_before, lowered + at, edges + found);
  for (std::size_t i = found; i < found + tail; ++i) edges[i] = static_cast<std::uint16_t>(edges[i] + at);
  return found + tail;
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512vbmi,popcnt")))

template <WordBytes kWords>
SPILLWAY_AVX512 std::size_t find_edges_avx512(const std::uint8_t* text, std::size_t count, std::uint64_t word_before,
                                              std::uint8_t* lowered, std::uint16_t* edges) {
  alignas(64) static constexpr std::array<std::uint8_t, 64> kPlaces = [] {
    std::array<std::uint8_t, 64> places{};
    for (std::uint8_t i = 0; i < 64; ++i) places[i] = i;
    return places;
  }();
  const __m512i places = _mm512_load_si512(kPlaces.data());
  std::size_t found = 0;
  for (std::size_t at = 0; at < count; at += 64) {
    const __mmask64 inside = count - at >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + at);
    const __mmask64 letters = are_letters(bytes);
    __mmask64 mask = letters | are_digits(bytes);
    if (kWords == WordBytes::kWithHighBytes) mask |= _mm512_movepi8_mask(bytes);
    _mm512_mask_storeu_epi8(lowered + at, inside, lower_letters(bytes, letters));
    const __mmask64 changes = (mask ^ (mask << 1 | word_before)) & inside;
    word_before = mask >> 63;
    const __m512i packed = _mm512_maskz_compress_epi8(changes, places);
    const __m512i base = _mm512_set1_epi16(static_cast<short>(at));
    const __m512i first = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_castsi512_si256(packed)), base);
    _mm512_storeu_si512(edges + found, first);
    const auto more = static_cast<std::size_t>(_mm_popcnt_u64(changes));
    if (more > 32) {
      const __m512i second = _mm512_add_epi16(_mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(packed, 1)), base);
      _mm512_storeu_si512(edges + found + 32, second);
    }
    found += more;
  }
  return found;
}

alignas(16) constexpr std::array<std::uint8_t, 32> kKeepBytes = [] {
  std::array<std::uint8_t, 32> keep{};
  for (std::size_t i = 0; i < kShortBytes; ++i) keep[i] = 0xFF;
  return keep;
}();

void load_keys_scalar(const std::uint8_t* lowered, std::span<const std::uint16_t> edges, const SlotTable& table,
                      TokenKeys& keys) {
  const std::size_t count = edges.size() / 2;
  std::uint64_t hashes[kTokenBatch];
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t bytes = std::size_t{edges[2 * i + 1]} - edges[2 * i];
    keys.low[i] = keys.high[i] = 0;
    keys.bytes[i] = 0;
    hashes[i] = 0;
    if (bytes > kShortBytes) continue;
    keys.bytes[i] = static_cast<std::uint8_t>(bytes);
    const __m128i keep = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kKeepBytes.data() + kShortBytes - bytes));
    const __m128i key = _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(lowered + edges[2 * i])), keep);
    keys.low[i] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(key));
    keys.high[i] = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(key, key)));
    hashes[i] = hash_token_words(keys.low[i], keys.high[i], table.seed);
    __builtin_prefetch(&table.slots[hashes[i] >> table.shift]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    keys.guess[i] = table.slots[hashes[i] >> table.shift] & table.index_mask;
  }
}

// Eight tokens at a time.
SPILLWAY_AVX512 void load_keys_avx512(const std::uint8_t* lowered, std::span<const std::uint16_t> edges,
                                      const SlotTable& table, TokenKeys& keys) {
  const std::size_t count = edges.size() / 2;
  const __m512i ones = _mm512_set1_epi64(-1), zeros = _mm512_setzero_si512();
  const __m512i low_half = _mm512_set1_epi64(0xFFFF);
  const __m512i longest = _mm512_set1_epi64(kShortBytes), word_bits = _mm512_set1_epi64(64);
  const __m512i seed = _mm512_set1_epi64(static_cast<long long>(table.seed));
  const __m512i multiply_low = _mm512_set1_epi64(static_cast<long long>(kTokenHashLow));
  const __m512i multiply_high = _mm512_set1_epi64(static_cast<long long>(kTokenHashHigh));
  const __m512i multiply_last = _mm512_set1_epi64(static_cast<long long>(kTokenHashLast));
  const __m256i index_mask = _mm256_set1_epi32(static_cast<int>(table.index_mask));
  const __m128i shift = _mm_cvtsi32_si128(static_cast<int>(table.shift));
  for (std::size_t i = 0; i < count; i += 8) {
    const auto lanes = static_cast<__mmask8>(count - i >= 8 ? 0xFFU : (1U << (count - i)) - 1);
    const __m512i words = _mm512_cvtepu32_epi64(_mm256_maskz_loadu_epi32(lanes, edges.data() + 2 * i));
    const __m512i begins = _mm512_and_si512(words, low_half);
    const __m512i bytes = _mm512_sub_epi64(_mm512_srli_epi64(words, 16), begins);
    // Shifting by 64 or more gives 0.
    const __m512i bits = _mm512_slli_epi64(bytes, 3);
    const __m512i drop_low = _mm512_sllv_epi64(ones, bits);
    const __m512i drop_high = _mm512_sllv_epi64(ones, _mm512_max_epi64(_mm512_sub_epi64(bits, word_bits), zeros));
    __m512i low = _mm512_mask_i64gather_epi64(zeros, lanes, begins, lowered, 1);
    __m512i high = _mm512_mask_i64gather_epi64(zeros, lanes, begins, lowered + 8, 1);
    low = _mm512_andnot_si512(drop_low, low);
    high = _mm512_andnot_si512(drop_high, high);
    const __mmask8 long_ones = _mm512_cmpgt_epi64_mask(bytes, longest);
    __m512i hash = _mm512_xor_si512(_mm512_mullo_epi64(_mm512_xor_si512(low, seed), multiply_low),
                                    _mm512_mullo_epi64(high, multiply_high));
    hash = _mm512_mullo_epi64(_mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32)), multiply_last);
    const __m512i slots = _mm512_srl_epi64(hash, shift);
    const __m256i guess =
        _mm256_and_si256(_mm512_mask_i64gather_epi32(_mm256_setzero_si256(), lanes, slots, table.slots, 4), index_mask);
    const __mmask8 short_ones = static_cast<__mmask8>(~long_ones);
    _mm512_store_si512(keys.low + i, _mm512_maskz_mov_epi64(short_ones, low));
    _mm512_store_si512(keys.high + i, high);
    _mm256_store_si256(reinterpret_cast<__m256i*>(keys.guess + i), guess);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(keys.bytes + i),
                     _mm512_cvtepi64_epi8(_mm512_maskz_mov_epi64(short_ones, bytes)));
  }
}

template <WordBytes kWords>
std::span<const WordKernels> paths() {
  static const std::vector<WordKernels> kPaths = [] {
    std::vector<WordKernels> result{{"portable", find_edges_portable<kWords>, load_keys_scalar},
                                    {"sse2", find_edges_sse2<kWords>, load_keys_scalar}};
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt")) {
      result.push_back({"avx2", find_edges_avx2<kWords>, load_keys_scalar});
    }
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2")) {
      result.push_back({"avx512", find_edges_avx512<kWords>, load_keys_avx512});
    }
    return result;
  }();
  return kPaths;
}

}  // namespace

std::span<const WordKernels> all_word_kernels(WordBytes words) {
  return words == WordBytes::kAlphanumeric ? paths<WordBytes::kAlphanumeric>() : paths<WordBytes::kWithHighBytes>();
}

const WordKernels& word_kernels(WordBytes words) { return all_word_kernels(words).back(); }

}  // namespace spillway
