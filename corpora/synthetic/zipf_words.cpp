#include "corpora/synthetic/zipf_words.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::uint64_t kSyllables = 50;
constexpr char kConsonants[] = "tnsrldkmpb";
constexpr char kVowels[] = "eaiou";
// Coprime to 50, so that it permutes the words of one length, whose order then differs from that of their ranks.
constexpr std::uint64_t kScatter = 61803397;

// Number of words with this many syllables.
template <unsigned syllables>
constexpr std::uint64_t kWordsOf = kSyllables* kWordsOf<syllables - 1>;
template <>
constexpr std::uint64_t kWordsOf<0> = 1;

// Writes the word with this number among those of one length. The length is a template argument, so that the compiler
// replaces divisions by multiplications.
template <unsigned syllables>
char* write_number(std::uint64_t number, char* out) {
  number = number * kScatter % kWordsOf<syllables>;  // below 50^6 * 2^26: fits
  for (unsigned i = syllables; i-- > 0;) {
    const std::uint64_t syllable = number % kSyllables;
    number /= kSyllables;
    out[2 * i] = kConsonants[syllable / 5];
    out[2 * i + 1] = kVowels[syllable % 5];
  }
  return out + 2 * syllables;
}

constexpr std::uint64_t kRanksPerOctave = 64;

std::uint32_t ranks_together(std::uint64_t rank) {
  std::uint64_t octave = 1;
  while (octave * 2 <= rank) octave *= 2;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, rank < 4096 ? 1 : octave / kRanksPerOctave));
}

}  // namespace

char* write_word(std::uint64_t rank, char* out) {
  if (rank < kWordsOf<1>) return write_number<1>(rank, out);
  rank -= kWordsOf<1>;
  if (rank < kWordsOf<2>) return write_number<2>(rank, out);
  rank -= kWordsOf<2>;
  if (rank < kWordsOf<3>) return write_number<3>(rank, out);
  rank -= kWordsOf<3>;
  if (rank < kWordsOf<4>) return write_number<4>(rank, out);
  rank -= kWordsOf<4>;
  if (rank < kWordsOf<5>) return write_number<5>(rank, out);
  return write_number<6>(rank - kWordsOf<5>, out);
}

ZipfWords::ZipfWords(std::uint64_t vocabulary, std::int64_t exponent, std::int64_t shift) {
  const auto logarithm = [&](std::uint64_t rank) {
    return fixed_log2(((rank + 1) << kFractionBits) + static_cast<std::uint64_t>(shift));
  };
  const std::int64_t first_logarithm = logarithm(0);
  std::vector<__uint128_t> weights;
  __uint128_t total = 0;
  for (std::uint64_t rank = 0; rank < vocabulary;) {
    Entry entry;
    entry.first = static_cast<std::uint32_t>(rank);
    entry.count = static_cast<std::uint32_t>(std::min<std::uint64_t>(ranks_together(rank), vocabulary - rank));
    const std::int64_t distance = logarithm(rank + entry.count / 2) - first_logarithm;
    const auto power = static_cast<std::int64_t>(static_cast<__int128_t>(distance) * exponent >> kFractionBits);
    weights.push_back(static_cast<__uint128_t>(fixed_exp2(-power)) * entry.count);
    total += weights.back();
    rank += entry.count;
    entries_.push_back(entry);
  }
  unsigned scale = 0;
  while (total >> scale >= static_cast<__uint128_t>(1) << 62) ++scale;
  std::vector<std::uint64_t> scaled;
  scaled.reserve(weights.size());
  for (const auto weight : weights) scaled.push_back(static_cast<std::uint64_t>(weight >> scale));
  build_aliases(std::move(scaled));
  written_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(vocabulary, kWrittenWords)));
  for (std::size_t rank = 0; rank < written_.size(); ++rank) {
    char* const end = write_word(rank, written_[rank].bytes);
    *end = ' ';
    written_[rank].size = static_cast<std::uint8_t>(end + 1 - written_[rank].bytes);
  }
}

// Vose 1991, in integers: each entry stands for sum / n of the weight, and one other entry fills up what it lacks. Time
// O(n).
void ZipfWords::build_aliases(std::vector<std::uint64_t> weights) {
  __uint128_t sum = 0;
  for (const auto weight : weights) sum += weight;
  const __uint128_t share = std::max<__uint128_t>(sum, 1);
  std::vector<__uint128_t> left(weights.begin(), weights.end());
  for (auto& weight : left) weight *= weights.size();
  std::vector<std::uint32_t> small, large;
  for (std::size_t i = weights.size(); i-- > 0;) {
    (left[i] < share ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t poor = small.back(), rich = large.back();
    small.pop_back();
    entries_[poor].alias = rich;
    entries_[poor].own_share = static_cast<std::uint32_t>((left[poor] << 32) / share);
    left[rich] -= share - left[poor];
    if (left[rich] < share) {
      large.pop_back();
      small.push_back(rich);
    }
  }
  for (const auto& rest : {small, large}) {
    for (const std::uint32_t i : rest) {
      entries_[i].alias = i;
      entries_[i].own_share = 0;
    }
  }
}

}  // namespace spillway
