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

template <Popcnt kPopcnt>
[[gnu::always_inline]] inline std::size_t bits_of(std::uint64_t bits) {
  return kPopcnt == Popcnt::kPresent ? static_cast<std::size_t>(__builtin_popcountll(bits)) : count_bits(bits);
}

// Follows words over blocks of 64 bytes. Inlined, as what is below, into code for each instruction set.
class WordRuns {
 public:
  // Returns the bits of the bytes after word bytes.
  [[gnu::always_inline]] std::uint64_t after(std::uint64_t words) const { return shifted<1>(words, words_); }

  // Takes the next block. Returns at least one bit of each special word, and no other bits.
  [[gnu::always_inline]] std::uint64_t special(std::uint64_t words, std::uint64_t high) {
    static_assert(kShortTokenBytes == 16);
    // Bit i of `two`, `four`, ...: the 2, 4, ... bytes up to byte i belong to one word.
    const std::uint64_t two = words & after(words);
    const std::uint64_t four = two & shifted<2>(two, two_);
    const std::uint64_t eight = four & shifted<4>(four, four_);
    const std::uint64_t sixteen = eight & shifted<8>(eight, eight_);
    const std::uint64_t special = high | (sixteen & shifted<16>(words, words_));
    words_ = words;
    two_ = two;
    four_ = four;
    eight_ = eight;
    return special;
  }

 private:
  std::uint64_t words_ = 0, two_ = 0, four_ = 0, eight_ = 0;
};

template <Popcnt kPopcnt>
class WordCounter {
 public:
  [[gnu::always_inline]] void add(std::size_t, std::uint64_t words, std::uint64_t high) {
    count_ += bits_of<kPopcnt>(words & ~runs_.after(words));
    special_ |= runs_.special(words, high);
  }

  [[gnu::always_inline]] PackedTokens packed(std::size_t bytes) const { return {count_, bytes, special_ != 0}; }

 private:
  WordRuns runs_;
  std::size_t count_ = 0;
  std::uint64_t special_ = 0;
};

class WordMarker {
 public:
  explicit WordMarker(WordMarks& marks) : marks_(marks) {}
  [[gnu::always_inline]] void add(std::size_t block, std::uint64_t words, std::uint64_t high) {
    marks_.words[block] = words;
    marks_.special[block] = runs_.special(words, high);
  }

 private:
  WordMarks& marks_;
  WordRuns runs_;
};

// The last bytes of the text, zero-padded to 64 bytes.
struct LastBlock {
  LastBlock(const std::uint8_t* text, std::size_t count) { std::memcpy(bytes, text, count); }
  std::uint8_t bytes[kBlockBytes] = {};
};

// The byte of a token that each byte of a text gives; 0: none.
template <WordBytes kWords>
constexpr std::array<std::uint8_t, 256> kTokenBytes = [] {
  std::array<std::uint8_t, 256> token{};
  for (unsigned c = 0; c < 256; ++c) {
    const unsigned lower = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    token[c] = static_cast<std::uint8_t>(is_word_byte(static_cast<std::uint8_t>(c), kWords) ? lower : 0);
  }
  return token;
}();

// take_*() write each byte at its place, and give the bits of each block to `sink`.

template <WordBytes kWords, typename Sink>
void take_portable(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, Sink& sink) {
  for (std::size_t at = 0; at < count; at += kBlockBytes) {
    std::uint64_t words = 0, high = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) {
      const std::uint8_t token = at + i < count ? kTokenBytes<kWords>[text[at + i]] : 0;
      words |= std::uint64_t{token != 0} << i;
      high |= std::uint64_t{token} >> 7 << i;
      tokens[at + i] = token;
    }
    sink.add(at / kBlockBytes, words, high);
  }
}

template <WordBytes kWords, typename Sink>
[[gnu::always_inline]] inline void take_block_sse2(const std::uint8_t* text, std::uint8_t* tokens, std::size_t block,
                                                   Sink& sink) {
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
  sink.add(block, words, high);
}

template <WordBytes kWords, typename Sink>
void take_sse2(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, Sink& sink) {
  std::size_t at = 0;
  for (; at + kBlockBytes <= count; at += kBlockBytes) {
    take_block_sse2<kWords>(text + at, tokens + at, at / kBlockBytes, sink);
  }
  if (at != count) {
    const LastBlock last(text + at, count - at);
    take_block_sse2<kWords>(last.bytes, tokens + at, at / kBlockBytes, sink);
  }
}

#define SPILLWAY_AVX2 __attribute__((target("avx2,bmi,popcnt")))

template <WordBytes kWords, typename Sink>
[[gnu::always_inline]] SPILLWAY_AVX2 inline void take_block_avx2(const std::uint8_t* text, std::uint8_t* tokens,
                                                                 std::size_t block, Sink& sink) {
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
  sink.add(block, words, high);
}

template <WordBytes kWords, typename Sink>
SPILLWAY_AVX2 void take_avx2(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, Sink& sink) {
  std::size_t at = 0;
  for (; at + kBlockBytes <= count; at += kBlockBytes) {
    take_block_avx2<kWords>(text + at, tokens + at, at / kBlockBytes, sink);
  }
  if (at != count) {
    const LastBlock last(text + at, count - at);
    take_block_avx2<kWords>(last.bytes, tokens + at, at / kBlockBytes, sink);
  }
}

#define SPILLWAY_AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))
template <WordBytes kWords, typename Sink>
SPILLWAY_AVX512 void take_avx512(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens, Sink& sink) {
  for (std::size_t at = 0; at < count; at += kBlockBytes) {
    const __mmask64 inside = count - at >= kBlockBytes ? ~__mmask64{0} : (__mmask64{1} << (count - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(inside, text + at);
    const __mmask64 letters = are_letters(bytes);
    const __mmask64 high =
        kWords == WordBytes::kWithHighBytes ? _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(-128)) : __mmask64{0};
    const __mmask64 words = letters | are_digits(bytes) | high;
    _mm512_storeu_si512(tokens + at, _mm512_maskz_mov_epi8(words, lower_letters(bytes, letters)));
    sink.add(at / kBlockBytes, words, high);
  }
}

#define SPILLWAY_VBMI2 __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt,bmi,lzcnt")))

// Packs 64 bytes at a time: a table lowers letters and zeroes what is not of a word, and of the zeros only those after
// words are kept. It only tells whether there are special words.
template <WordBytes kWords>
class Packer512 {
 public:
  SPILLWAY_VBMI2 explicit Packer512(std::uint8_t* tokens)
      : low_(_mm512_loadu_si512(kTable.data())),
        high_(_mm512_loadu_si512(kTable.data() + kBlockBytes)),
        begin_(tokens),
        out_(tokens) {}

  [[gnu::always_inline]] SPILLWAY_VBMI2 void add(__m512i bytes, __mmask64 inside) {
    const __mmask64 high = _mm512_movepi8_mask(bytes);
    __m512i tokens = _mm512_permutex2var_epi8(low_, bytes, high_);
    if constexpr (kWords == WordBytes::kAlphanumeric) {
      tokens = _mm512_maskz_mov_epi8(~high, tokens);
    } else {
      special_ |= high;
    }
    const std::uint64_t words = _mm512_test_epi8_mask(tokens, tokens), after = shifted<1>(words, words_);
    find_long(words);
    count_ += static_cast<std::size_t>(__builtin_popcountll(words & ~after));
    words_ = words;
    const std::uint64_t kept = (words | after) & inside;
    _mm512_storeu_si512(out_, _mm512_maskz_compress_epi8(kept, tokens));
    out_ += __builtin_popcountll(kept);
  }

  [[gnu::always_inline]] PackedTokens packed() const {
    return {count_, static_cast<std::size_t>(out_ - begin_), special_ != 0};
  }

 private:
  static constexpr auto& kTable = kTokenBytes<WordBytes::kAlphanumeric>;

  [[gnu::always_inline]] SPILLWAY_VBMI2 void find_long(std::uint64_t words) {
    static_assert(kShortTokenBytes == 16);
    // Words across the border to the block before, and words in the block: bit i of `run` means that the 2, 4, ...
    // bytes up to byte i belong to one.
    special_ |= std::uint64_t{_tzcnt_u64(~words) + _lzcnt_u64(~words_) > kShortTokenBytes};
    std::uint64_t run = words & words << 1;
    run &= run << 2;
    run &= run << 4;
    run &= run << 8;
    special_ |= run & words << 16;
  }

  const __m512i low_, high_;
  std::uint8_t* const begin_;
  std::uint8_t* out_;
  std::size_t count_ = 0;
  std::uint64_t special_ = 0, words_ = 0;
};

template <WordBytes kWords>
SPILLWAY_VBMI2 PackedTokens pack_vbmi2(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens) {
  Packer512<kWords> packer(tokens);
  std::size_t at = 0;
  for (; at + kBlockBytes <= count; at += kBlockBytes) packer.add(_mm512_loadu_si512(text + at), ~__mmask64{0});
  if (at != count) {
    const __mmask64 inside = (__mmask64{1} << (count - at)) - 1;
    packer.add(_mm512_maskz_loadu_epi8(inside, text + at), inside);
  }
  return packer.packed();
}

template <auto kTake>
void mark_with(const std::uint8_t* text, std::size_t count, std::uint8_t* lowered, WordMarks& marks) {
  WordMarker marker(marks);
  kTake(text, count, lowered, marker);
}
template <auto kTake, Popcnt kPopcnt>
PackedTokens pack_with(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens) {
  WordCounter<kPopcnt> counter;
  kTake(text, count, tokens, counter);
  return counter.packed(count);
}

template <WordBytes kWords>
std::span<const TokenKernel> paths() {
  static const std::vector<TokenKernel> kPaths = [] {
    using Marker = WordMarker;
    using Counter = WordCounter<Popcnt::kMissing>;
    using FastCounter = WordCounter<Popcnt::kPresent>;
    std::vector<TokenKernel> result{
        {"portable", pack_with<take_portable<kWords, Counter>, Popcnt::kMissing>,
         mark_with<take_portable<kWords, Marker>>, false},
        {"sse2", pack_with<take_sse2<kWords, Counter>, Popcnt::kMissing>, mark_with<take_sse2<kWords, Marker>>, false}};
    if (__builtin_cpu_supports("popcnt") == 0) return result;
    if (__builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi") != 0) {
      result.push_back({"avx2", pack_with<take_avx2<kWords, FastCounter>, Popcnt::kPresent>,
                        mark_with<take_avx2<kWords, Marker>>, false});
    }
    if (__builtin_cpu_supports("avx512bw") == 0) return result;
    constexpr MarkTokensFunction kMark = mark_with<take_avx512<kWords, Marker>>;
    result.push_back({"avx512", pack_with<take_avx512<kWords, FastCounter>, Popcnt::kPresent>, kMark, false});
    if (__builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512vbmi2") != 0 &&
        __builtin_cpu_supports("bmi") != 0 && __builtin_cpu_supports("lzcnt") != 0) {
      result.push_back({"vbmi2", pack_vbmi2<kWords>, kMark, true});
    }
    return result;
  }();
  return kPaths;
}

}  // namespace

std::span<const TokenKernel> all_token_kernels(WordBytes words) {
  return words == WordBytes::kAlphanumeric ? paths<WordBytes::kAlphanumeric>() : paths<WordBytes::kWithHighBytes>();
}

const TokenKernel& token_kernel(WordBytes words) { return all_token_kernels(words).back(); }

}  // namespace spillway
