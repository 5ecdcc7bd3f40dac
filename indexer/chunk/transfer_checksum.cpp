#include "indexer/chunk/transfer_checksum.hpp"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "io/base/vector_intrinsics.hpp"

namespace spillway {

namespace {

TransferChecksum sum_in_turn(std::span<const std::uint8_t> bytes, std::uint64_t first) {
  const std::size_t padded = (bytes.size() + kSummedBytes - 1) / kSummedBytes * kSummedBytes;
  TransferChecksum sums;
  for (std::size_t at = 0; at < padded; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    if (at < bytes.size()) std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sums += {word, keyed_word(word, first + at / sizeof word)};
  }
  return sums;
}

// The same with a word in each lane of a vector of one instruction set.
template <typename Vector>
[[gnu::always_inline]] inline TransferChecksum sum_in_lanes(std::span<const std::uint8_t> bytes, std::uint64_t first) {
  using Words = typename Vector::Words;
  constexpr std::size_t kLanes = sizeof(Words) / sizeof(std::uint64_t);
  Words keys{}, sum{}, keyed{};
  for (std::size_t lane = 0; lane < kLanes; ++lane) keys[lane] = (first + lane + 1) * kWordKeyStep;
  const Words step = Words{} + kLanes * kWordKeyStep;
  const std::size_t whole = bytes.size() / sizeof(Words) * sizeof(Words);
  for (std::size_t at = 0; at < whole; at += sizeof(Words)) {
    Words words;
    std::memcpy(&words, bytes.data() + at, sizeof words);
    sum += words;
    words ^= keys;
    Vector::add_products(words, keyed);
    keys += step;
  }
  TransferChecksum sums = sum_in_turn(bytes.subspan(whole), first + whole / sizeof(std::uint64_t));
  for (std::size_t lane = 0; lane < kLanes; ++lane) sums += {sum[lane], keyed[lane]};
  return sums;
}

// add_products() adds the products of the words' halves.
struct Avx2 {
  using Words [[gnu::vector_size(32)]] = std::uint64_t;
  __attribute__((target("avx2"))) static void add_products(const Words& words, Words& sum) {
    const auto halves = reinterpret_cast<__m256i>(words);
    sum += reinterpret_cast<Words>(_mm256_mul_epu32(halves, _mm256_srli_epi64(halves, 32)));
  }
};
struct Avx512 {
  using Words [[gnu::vector_size(64)]] = std::uint64_t;
  __attribute__((target("avx512f"))) static void add_products(const Words& words, Words& sum) {
    const auto halves = reinterpret_cast<__m512i>(words);
    sum += reinterpret_cast<Words>(_mm512_mul_epu32(halves, _mm512_srli_epi64(halves, 32)));
  }
};

__attribute__((target("avx2"))) TransferChecksum sum_avx2(std::span<const std::uint8_t> bytes, std::uint64_t first) {
  return sum_in_lanes<Avx2>(bytes, first);
}
__attribute__((target("avx512f"))) TransferChecksum sum_avx512(std::span<const std::uint8_t> bytes,
                                                               std::uint64_t first) {
  return sum_in_lanes<Avx512>(bytes, first);
}

}  // namespace

std::span<const WordSummer> all_word_summers() {
  static const std::vector<WordSummer> kSummers = [] {
    std::vector<WordSummer> summers{{"portable", sum_in_turn}};
    if (__builtin_cpu_supports("avx2") != 0) summers.push_back({"avx2", sum_avx2});
    if (__builtin_cpu_supports("avx512f") != 0) summers.push_back({"avx512", sum_avx512});
    return summers;
  }();
  return kSummers;
}

TransferChecksum sum_words(std::span<const std::uint8_t> bytes, std::uint64_t first) {
  static const auto kSum = all_word_summers().back().sum;
  return kSum(bytes, first);
}

}  // namespace spillway
