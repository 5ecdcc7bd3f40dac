#include "indexer/byte_classes.hpp"

#include <immintrin.h>

#include <array>
#include <cstring>
#include <vector>

namespace spillway {

namespace {

constexpr bool is_word_byte(std::uint8_t c, WordBytes words) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (words == WordBytes::kWithHighBytes && c >= 0x80);
}

template <WordBytes kWords>
constexpr std::array<bool, 256> kIsWord = [] {
  std::array<bool, 256> table{};
  for (unsigned c = 0; c < 256; ++c) table[c] = is_word_byte(static_cast<std::uint8_t>(c), kWords);
  return table;
}();

template <WordBytes kWords>
std::uint64_t tail_mask(const std::uint8_t* text, std::size_t count) {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < count; ++i) mask |= std::uint64_t{kIsWord<kWords>[text[i]]} << i;
  return mask;
}

template <WordBytes kWords>
void classify_portable(const std::uint8_t* text, std::size_t count, std::uint64_t* masks) {
  for (std::size_t at = 0; at < count; at += 64) {
    *masks++ = tail_mask<kWords>(text + at, count - at < 64 ? count - at : 64);
  }
}

// A byte c lies in ['0','9'] iff (signed) c - '0' - 128 < 10 - 128 with wrapping subtraction; letters are folded by
// 0x20.
template <WordBytes kWords>
std::uint32_t mask_sse2(__m128i bytes) {
  const __m128i digits = _mm_cmplt_epi8(_mm_add_epi8(bytes, _mm_set1_epi8(static_cast<char>(0x80 - '0'))),
                                        _mm_set1_epi8(static_cast<char>(-128 + 10)));
  const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
  const __m128i letters = _mm_cmplt_epi8(_mm_add_epi8(folded, _mm_set1_epi8(static_cast<char>(0x80 - 'a'))),
                                         _mm_set1_epi8(static_cast<char>(-128 + 26)));
  __m128i word = _mm_or_si128(digits, letters);
  if (kWords == WordBytes::kWithHighBytes) word = _mm_or_si128(word, bytes);  // movemask takes the top bit
  return static_cast<std::uint32_t>(_mm_movemask_epi8(word));
}

template <WordBytes kWords>
void classify_sse2(const std::uint8_t* text, std::size_t count, std::uint64_t* masks) {
  std::size_t at = 0;
  for (; at + 64 <= count; at += 64) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at + 16 * i));
      mask |= std::uint64_t{mask_sse2<kWords>(bytes)} << (16 * i);
    }
    *masks++ = mask;
  }
  if (at < count) *masks = tail_mask<kWords>(text + at, count - at);
}

template <WordBytes kWords>
__attribute__((target("avx2"))) void classify_avx2(const std::uint8_t* text, std::size_t count, std::uint64_t* masks) {
  const __m256i digit_shift = _mm256_set1_epi8(static_cast<char>(0x80 - '0'));
  const __m256i digit_limit = _mm256_set1_epi8(static_cast<char>(-128 + 10));
  const __m256i letter_shift = _mm256_set1_epi8(static_cast<char>(0x80 - 'a'));
  const __m256i letter_limit = _mm256_set1_epi8(static_cast<char>(-128 + 26));
  const __m256i case_bit = _mm256_set1_epi8(0x20);
  std::size_t at = 0;
  for (; at + 64 <= count; at += 64) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < 2; ++i) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at + 32 * i));
      const __m256i digits = _mm256_cmpgt_epi8(digit_limit, _mm256_add_epi8(bytes, digit_shift));
      const __m256i folded = _mm256_or_si256(bytes, case_bit);
      const __m256i letters = _mm256_cmpgt_epi8(letter_limit, _mm256_add_epi8(folded, letter_shift));
      __m256i word = _mm256_or_si256(digits, letters);
      if (kWords == WordBytes::kWithHighBytes) word = _mm256_or_si256(word, bytes);
      mask |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(word))} << (32 * i);
    }
    *masks++ = mask;
  }
  if (at < count) *masks = tail_mask<kWords>(text + at, count - at);
}

template <WordBytes kWords>
__attribute__((target("avx512bw,avx512f"))) void classify_avx512(const std::uint8_t* text, std::size_t count,
                                                                 std::uint64_t* masks) {
  const __m512i zero = _mm512_set1_epi8('0'), ten = _mm512_set1_epi8(10);
  const __m512i first_letter = _mm512_set1_epi8('a'), letters = _mm512_set1_epi8(26);
  const __m512i case_bit = _mm512_set1_epi8(0x20);
  for (std::size_t at = 0; at < count; at += 64) {
    const __mmask64 inside = count - at >= 64 ? ~__mmask64{0} : (__mmask64{1} << (count - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + at);
    __mmask64 mask = _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, zero), ten);
    mask |= _mm512_cmplt_epu8_mask(_mm512_sub_epi8(_mm512_or_si512(bytes, case_bit), first_letter), letters);
    if (kWords == WordBytes::kWithHighBytes) mask |= _mm512_movepi8_mask(bytes);
    *masks++ = mask & inside;
  }
}

template <WordBytes kWords>
const std::vector<NamedClassify>& paths() {
  static const std::vector<NamedClassify> kPaths = [] {
    std::vector<NamedClassify> result{{"portable", classify_portable<kWords>}, {"sse2", classify_sse2<kWords>}};
    if (__builtin_cpu_supports("avx2")) result.push_back({"avx2", classify_avx2<kWords>});
    if (__builtin_cpu_supports("avx512bw")) result.push_back({"avx512", classify_avx512<kWords>});
    return result;
  }();
  return kPaths;
}

}  // namespace

const NamedClassify* classify_functions(WordBytes words, std::size_t* count) {
  const auto& all =
      words == WordBytes::kAlphanumeric ? paths<WordBytes::kAlphanumeric>() : paths<WordBytes::kWithHighBytes>();
  *count = all.size();
  return all.data();
}

ClassifyFunction classify_function(WordBytes words) {
  std::size_t count = 0;
  const NamedClassify* all = classify_functions(words, &count);
  return all[count - 1].function;
}

}  // namespace spillway
