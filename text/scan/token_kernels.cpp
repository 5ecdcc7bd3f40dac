#include "text/scan/token_kernels.hpp"

#include <cstring>
#include <vector>

#include "io/base/vector_intrinsics.hpp"
#include "text/scan/token_hash.hpp"
#include "text/scan/vector_letters.hpp"

namespace spillway {

namespace {

constexpr std::size_t kBlockBytes = 64;

// Shifts a mask of 64 bytes by kBits, with bits of the previous mask moving in.
template <unsigned kBits>
[[gnu::always_inline]] inline std::uint64_t shifted(std::uint64_t bits, std::uint64_t before) {
  return bits << kBits | before >> (64 - kBits);
}

enum class Popcnt : bool { kMissing, kPresent };

// Counts words and finds special ones, 64 bytes at a time. Inlined into code for each instruction set.
template <Popcnt kPopcnt>
class Tally {
 public:
  explicit Tally(WordMarks& marks) : marks_(marks) {}

  [[gnu::always_inline]] void add(std::size_t block, std::uint64_t words, std::uint64_t high) {
    static_assert(kShortTokenBytes == 16);
    // Bit i of `two`, `four`, ...: the 2, 4, ... bytes up to byte i belong to one word.
    const std::uint64_t two = words & shifted<1>(words, words_);
    const std::uint64_t four = two & shifted<2>(two, two_);
    const std::uint64_t eight = four & shifted<4>(four, four_);
    const std::uint64_t sixteen = eight & shifted<8>(eight, eight_);
    const std::uint64_t special = high | (sixteen & shifted<16>(words, words_));
    marks_.words[block] = words;
    marks_.special[block] = special;
    special_ |= special;
    const std::uint64_t starts = words & ~shifted<1>(words, words_);
    count_ += kPopcnt == Popcnt::kPresent ? static_cast<std::size_t>(__builtin_popcountll(starts)) : count_bits(starts);
    words_ = words;
    two_ = two;
    four_ = four;
    eight_ = eight;
  }

  [[gnu::always_inline]] MarkedTokens tokens() const { return {count_, special_ != 0}; }

 private:
  WordMarks& marks_;
  std::size_t count_ = 0;
  std::uint64_t special_ = 0, words_ = 0, two_ = 0, four_ = 0, eight_ = 0;
};

// The last bytes of the text, zero-padded to 64 bytes.
struct LastBlock {
  LastBlock(const std::uint8_t* text, std::size_t count) { std::memcpy(bytes, text, count); }
  std::uint8_t bytes[kBlockBytes] = {};
};

template <WordBytes kWords>
MarkedTokens mark_tokens_portable(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, WordMarks& marks) {
  static constexpr std::array<std::uint8_t, 256> kToken = [] {
    std::array<std::uint8_t, 256> token{};
    for (unsigned c = 0; c < 256; ++c) {
      const unsigned lower = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
      token[c] = static_cast<std::uint8_t>(is_word_byte(static_cast<std::uint8_t>(c), kWords) ? lower : 0);
    }
    return token;
  }();
  Tally<Popcnt::kMissing> tally(marks);
  for (std::size_t at = 0; at < count; at += kBlockBytes) {
    std::uint64_t words = 0, high = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
      const std::uint8_t token = at + i < count ? kToken[text[at + i]] : 0;
      words |= std::uint64_t{token != 0} << i;
      high |= std::uint64_t{token} >> 7 << i;
      tokens[at + i] = token;
    }
    tally.add(at / kBlockBytes, words, high);
  }
  return tally.tokens();
}

template <WordBytes kWords>
[[gnu::always_inline]] inline void mark_block_sse2(const std::uint8_t* text, std::uint8_t* tokens, std::size_t block,
                                                   Tally<Popcnt::kMissing>& tally) {
  std::uint64_t words = 0, high = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + 16 * i));
    const __m128i letters = are_letters(bytes);
    __m128i word = _mm_or_si128(are_digits(bytes), letters);
    if constexpr (kWords == WordBytes::kWithHighBytes) {
      word = _mm_or_si128(word, _mm_cmplt_epi8(bytes, _mm_setzero_si128()));
      high |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(bytes))} << (16 * i);
    }
    words |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(word))} << (16 * i);
    const __m128i lowered = lower_letters(bytes, letters);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(tokens + 16 * i), _mm_and_si128(lowered, word));
  }
  tally.add(block, words, high);
}

template <WordBytes kWords>
MarkedTokens mark_tokens_sse2(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, WordMarks& marks) {
  Tally<Popcnt::kMissing> tally(marks);
  std::size_t at = 0;
  for (; at + kBlockBytes <= count; at += kBlockBytes) {
    mark_block_sse2<kWords>(text + at, tokens + at, at / kBlockBytes, tally);
  }
  if (at != count) {
    const LastBlock last(text + at, count - at);
    mark_block_sse2<kWords>(last.bytes, tokens + at, at / kBlockBytes, tally);
  }
  return tally.tokens();
}

#define SPILLWAY_AVX2 __attribute__((target("avx2,bmi,popcnt")))

template <WordBytes kWords>
[[gnu::always_inline]] SPILLWAY_AVX2 inline void mark_block_avx2(const std::uint8_t* text, std::uint8_t* tokens,
                                                                 std::size_t block, Tally<Popcnt::kPresent>& tally) {
  std::uint64_t words = 0, high = 0;
  for (unsigned i = 0; i < 2; ++i) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32 * i));
    const __m256i letters = are_letters(bytes);
    __m256i word = _mm256_or_si256(are_digits(bytes), letters);
    if constexpr (kWords == WordBytes::kWithHighBytes) {
      word = _mm256_or_si256(word, _mm256_cmpgt_epi8(_mm256_setzero_si256(), bytes));
      high |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(bytes))} << (32 * i);
    }
    words |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(word))} << (32 * i);
    const __m256i lowered = lower_letters(bytes, letters);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(tokens + 32 * i), _mm256_and_si256(lowered, word));
  }
  tally.add(block, words, high);
}

template <WordBytes kWords>
SPILLWAY_AVX2 MarkedTokens mark_tokens_avx2(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens,
                                            WordMarks& marks) {
  Tally<Popcnt::kPresent> tally(marks);
  std::size_t at = 0;
  for (; at + kBlockBytes <= count; at += kBlockBytes) {
    mark_block_avx2<kWords>(text + at, tokens + at, at / kBlockBytes, tally);
  }
  if (at != count) {
    const LastBlock last(text + at, count - at);
    mark_block_avx2<kWords>(last.bytes, tokens + at, at / kBlockBytes, tally);
  }
  return tally.tokens();
}

template <WordBytes kWords>
__attribute__((target("avx512f,avx512bw,popcnt"))) MarkedTokens mark_tokens_avx512(const std::uint8_t* text,
                                                                                   std::size_t count,
                                                                                   std::uint8_t* tokens,
                                                                                   WordMarks& marks) {
  Tally<Popcnt::kPresent> tally(marks);
  for (std::size_t at = 0; at < count; at += kBlockBytes) {
    const __mmask64 inside = count - at >= kBlockBytes ? ~__mmask64{0} : (__mmask64{1} << (count - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + at);
    const __mmask64 letters = are_letters(bytes);
    const __mmask64 high =
        kWords == WordBytes::kWithHighBytes ? _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(-128)) : __mmask64{0};
    const __mmask64 words = letters | are_digits(bytes) | high;
    _mm512_storeu_si512(tokens + at, _mm512_maskz_mov_epi8(words, lower_letters(bytes, letters)));
    tally.add(at / kBlockBytes, words, high);
  }
  return tally.tokens();
}

template <WordBytes kWords>
std::span<const TokenKernel> paths() {
  static const std::vector<TokenKernel> kPaths = [] {
    std::vector<TokenKernel> result{{"portable", mark_tokens_portable<kWords>}, {"sse2", mark_tokens_sse2<kWords>}};
    const bool popcnt = __builtin_cpu_supports("popcnt") != 0;
    if (popcnt && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) {
      result.push_back({"avx2", mark_tokens_avx2<kWords>});
    }
    if (popcnt && __builtin_cpu_supports("avx512bw")) result.push_back({"avx512", mark_tokens_avx512<kWords>});
    return result;
  }();
  return kPaths;
}

}  // namespace

std::span<const TokenKernel> all_token_kernels(WordBytes words) {
  return words == WordBytes::kAlphanumeric ? paths<WordBytes::kAlphanumeric>() : paths<WordBytes::kWithHighBytes>();
}

MarkTokensFunction token_kernel(WordBytes words) { return all_token_kernels(words).back().mark_tokens; }

}  // namespace spillway
