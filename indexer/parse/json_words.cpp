#include "indexer/parse/json_words.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "corpora/json/escapes.hpp"
#include "corpora/json/string.hpp"
#include "io/base/vector_intrinsics.hpp"
#include "text/scan/token_hash.hpp"
#include "text/scan/word_kernels.hpp"

namespace spillway {

namespace {

#define SPILLWAY_VPOPCNT \
  __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,avx512vpopcntdq,popcnt,bmi,lzcnt")))

constexpr std::size_t kBlockBytes = 64;
// A part is refused as a whole: in source code, parts of 16 blocks lose 2 % of their bytes to special words, parts of
// 64 blocks 8 %.
constexpr std::size_t kPartBlocks = kMostPartBytes / kBlockBytes;
constexpr std::size_t kPrefetchBytes = 1024;  // ahead of a block: what a read has just written may not be in the cache
constexpr std::size_t kLanes = 8;             // blocks whose masks fill a vector
static_assert(kPartBlocks % kLanes == 0);

// The byte of a token that each ASCII byte gives; 0: none.
constexpr std::array<std::uint8_t, 128> kTokenBytes = [] {
  std::array<std::uint8_t, 128> token{};
  for (unsigned c = 0; c < token.size(); ++c) {
    if (!is_word_byte(static_cast<std::uint8_t>(c), WordBytes::kAlphanumeric)) continue;
    token[c] = static_cast<std::uint8_t>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  }
  return token;
}();

// By its lowest 6 bits, the one letter that may follow a backslash; an impossible letter where there is none. 'b' has
// the bits of the quote, and gives way.
constexpr std::array<std::uint8_t, kBlockBytes> kEscapedLetters = [] {
  std::array<std::uint8_t, kBlockBytes> letters{};
  for (unsigned i = 0; i < letters.size(); ++i) letters[i] = static_cast<std::uint8_t>(i ^ 0x20);
  for (const char letter : {'"', '\\', '/', 'f', 'n', 'r', 't'}) {
    letters[static_cast<unsigned>(letter) % kBlockBytes] = static_cast<std::uint8_t>(letter);
  }
  return letters;
}();

// The bytes of words in each block of a part.
struct PartWords {
  alignas(64) std::uint64_t masks[kPartBlocks];
};

struct FoundWords {
  std::size_t count;
  bool has_long;  // one above kShortTokenBytes
};

// Shifts 512 bits by kBits, with bits of the vector before moving in.
template <int kBits>
SPILLWAY_VPOPCNT [[gnu::always_inline]] inline __m512i shifted(__m512i bits, __m512i before) {
  return _mm512_shldi_epi64(bits, _mm512_alignr_epi64(bits, before, kLanes - 1), kBits);
}

// Counts the words of the first `blocks` blocks.
SPILLWAY_VPOPCNT [[gnu::always_inline]] inline FoundWords find_words(PartWords& part, std::size_t blocks) {
  static_assert(kShortTokenBytes == 16);
  for (std::size_t i = blocks; i % kLanes != 0; ++i) part.masks[i] = 0;
  const __m512i zero = _mm512_setzero_si512();
  __m512i count = zero, found = zero, words_before = zero, two_before = zero, four_before = zero, eight_before = zero;
  for (std::size_t i = 0; i < blocks; i += kLanes) {
    const __m512i words = _mm512_load_si512(part.masks + i);
    const __m512i after = shifted<1>(words, words_before);
    count = _mm512_add_epi64(count, _mm512_popcnt_epi64(_mm512_andnot_si512(after, words)));
    // Bit i of `two`, `four`, ...: the 2, 4, ... bytes up to byte i belong to one word.
    const __m512i two = _mm512_and_si512(words, after);
    const __m512i four = _mm512_and_si512(two, shifted<2>(two, two_before));
    const __m512i eight = _mm512_and_si512(four, shifted<4>(four, four_before));
    const __m512i sixteen = _mm512_and_si512(eight, shifted<8>(eight, eight_before));
    found = _mm512_or_si512(found, _mm512_and_si512(sixteen, shifted<16>(words, words_before)));
    words_before = words;
    two_before = two;
    four_before = four;
    eight_before = eight;
  }
  return {static_cast<std::size_t>(_mm512_reduce_add_epi64(count)), _mm512_test_epi64_mask(found, found) != 0};
}

SPILLWAY_VPOPCNT PackedPart pack_json_words(const char* in, char* out) {
  constexpr PackedPart kRefused{};
  const __m512i low = _mm512_loadu_si512(kTokenBytes.data());
  const __m512i high = _mm512_loadu_si512(kTokenBytes.data() + kBlockBytes);
  const __m512i letters = _mm512_loadu_si512(kEscapedLetters.data());
  const __m512i backslash = _mm512_set1_epi8('\\'), two = _mm512_set1_epi8(2), first_plain = _mm512_set1_epi8(0x21);
  PartWords part;
  EscapeFinder finder;
  std::uint64_t words_before = 0;
  for (std::size_t b = 0;; ++b) {
    const __m512i block = _mm512_loadu_si512(in);
    _mm_prefetch(in + kPrefetchBytes, _MM_HINT_T0);
    const auto [escaping, escaped] = finder.next(_mm512_cmpeq_epi8_mask(block, backslash));
    // Exchanging the bits of 0x20 and 0x22 leaves quotes, control characters and, as signed numbers, bytes from 0x80
    // below 0x21.
    const std::uint64_t ends = _mm512_cmplt_epi8_mask(_mm512_xor_si512(block, two), first_plain);
    const std::uint64_t unknown = _mm512_mask_cmpneq_epi8_mask(escaped, _mm512_permutexvar_epi8(block, letters), block);
    const __m512i tokens = _mm512_maskz_permutex2var_epi8(~escaped, low, block, high);
    std::uint64_t words = _mm512_test_epi8_mask(tokens, tokens);
    const std::uint64_t stops = (ends & ~escaped) | unknown;
    const bool is_last = b + 1 == kPartBlocks;
    std::uint64_t taken = ~std::uint64_t{0};
    if (stops != 0) [[unlikely]] {
      if (in[std::countr_zero(stops)] != '"') return kRefused;
      taken = (stops & (0 - stops)) - 1;
    } else if (is_last) [[unlikely]] {
      const std::uint64_t between = ~words & ~escaping;
      if (between == 0) return kRefused;
      taken = ~std::uint64_t{0} >> std::countl_zero(between);
    }
    words &= taken;
    part.masks[b] = words;
    const std::uint64_t after = words << 1 | words_before >> 63;
    const std::uint64_t kept = (words | after) & taken;
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, tokens));
    out += __builtin_popcountll(kept);
    if (stops == 0 && !is_last) {
      in += kBlockBytes;
      words_before = words;
      continue;
    }
    const auto [count, has_long] = find_words(part, b + 1);
    if (has_long) return kRefused;
    in += __builtin_popcountll(taken);
    if (stops == 0) return {in, out, count, false};
    if ((after & (taken + 1)) != 0) *out++ = '\0';  // the string ends with a word
    return {in + 1, out, count, true};
  }
}

bool can_pack() {
  return has_unescape_avx512() && __builtin_cpu_supports("avx512vpopcntdq") != 0 &&
         __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("lzcnt") != 0;
}

}  // namespace

PackWordsFunction json_words_packer() { return can_pack() ? pack_json_words : nullptr; }

}  // namespace spillway
