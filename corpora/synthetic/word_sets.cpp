#include "corpora/synthetic/word_sets.hpp"

#include "corpora/synthetic/string_writing.hpp"
#include "corpora/synthetic/zipf_words.hpp"

namespace spillway {

namespace {

// Syllables of a consonant and a vowel that encode the index, and an ending that is not a syllable, so no two words are
// equal. One word in kLongShare begins with one of a few long stems.
class DistinctWords final : public StringSet {
 public:
  explicit DistinctWords(std::uint64_t seed) : seed_(seed) {}
  std::size_t max_bytes() const override { return 80; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    if (random.below(kLongShare) == 0) out = put(one_of(kLongStems, random), out);
    out = put_syllables(scattered(index & kLowMask, kLowBits, seed_), kLowSyllables, out);
    if (index >> kLowBits != 0) out = put_syllables(index >> kLowBits, 0, out);
    return put(one_of(kEndings, random), out);
  }

 private:
  // Writes at least `least` syllables; the first one encodes the lowest digit.
  static char* put_syllables(std::uint64_t number, unsigned least, char* out) {
    for (unsigned i = 0; i < least || number != 0; ++i, number /= 50) {
      *out++ = "tnsrldkmpb"[number % 50 / 5];
      *out++ = "eaiou"[number % 5];
    }
    return out;
  }

  static constexpr unsigned kLowBits = 28, kLowSyllables = 5;  // 2^28 < 50^5
  static constexpr std::uint64_t kLowMask = (std::uint64_t{1} << kLowBits) - 1;
  static constexpr std::uint64_t kLongShare = 2000;
  static constexpr std::array<std::string_view, 8> kEndings{"", "", "", "s", "ed", "ing", "er", "ly"};
  static constexpr std::array<std::string_view, 4> kLongStems{
      "uncounterrevolutionariesinterdenominational", "unelectroencephalographicallyphotosensitive",
      "unhonorificabilitudinitatibusundiscoverably", "unpsychoneuroendocrinologicallyoverspecific"};
  std::uint64_t seed_;
};

// Frequent words are short, as in natural language. Rarer words may have a prefix, an ending or both. A few are like
// the strings in texts that are not words: long, and different only at their ends.
class TextWords final : public StringSet {
 public:
  explicit TextWords(std::uint64_t seed) : seed_(seed), words_(kVocabulary, to_fixed(1.07), to_fixed(2.7)) {}
  std::size_t max_bytes() const override { return 64; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    const std::uint64_t rank = words_.sample_rank(random);
    if (rank < kPlainWords) return write_word(rank, out);
    SplitMix of_word = random_of(seed_ + 1, rank);
    if (of_word.below(kLongShare) == 0) out = put(one_of(kLongBeginnings, of_word), out);
    if (of_word.below(3) == 0) out = put(one_of(kBeginnings, of_word), out);
    out = write_word(rank, out);
    return put(one_of(kEndings, of_word), out);
  }

 private:
  static constexpr std::uint64_t kVocabulary = 1'000'000, kPlainWords = 1000, kLongShare = 300;
  static constexpr std::array<std::string_view, 6> kBeginnings{"re", "un", "inter", "counter", "over", "under"};
  static constexpr std::array<std::string_view, 8> kEndings{"", "", "s", "ed", "ing", "ation", "ments", "ability"};
  static constexpr std::array<std::string_view, 3> kLongBeginnings{
      "www.example.org.archive.", "________________________", "aaaaaaaaaaaaaaaaaaaaaaaa"};
  std::uint64_t seed_;
  ZipfWords words_;
};

// A capital, words, a full stop. Most sentences begin with one of 20,000 openings of two to four words; some openings
// are long, and several sentences share them.
class Sentences final : public StringSet {
 public:
  explicit Sentences(std::uint64_t seed)
      : seed_(seed),
        words_(kVocabulary, to_fixed(1.07), to_fixed(2.7)),
        openings_(kOpenings, to_fixed(1), to_fixed(2)) {}
  std::size_t max_bytes() const override { return (kMostWords + kOpeningWords) * ZipfWords::kWordRoom; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    char* const begin = out;
    out = put_opening(random, out);
    const std::uint64_t words = 1 + random.below(kMostWords);
    for (std::uint64_t i = 0; i < words; ++i) out = words_.write_sample(random, out);
    *begin = static_cast<char>(*begin - 'a' + 'A');
    out[-1] = '.';
    return out;
  }

 private:
  char* put_opening(SplitMix& random, char* out) const {
    const std::uint64_t rank = openings_.sample_rank(random);
    SplitMix of_opening = random_of(seed_ + 1, rank);
    const bool is_long = rank % kLongShare == kLongShare - 1;
    const std::uint64_t words = is_long ? kOpeningWords : 2 + of_opening.below(3);
    for (std::uint64_t i = 0; i < words; ++i) out = words_.write_sample(of_opening, out);
    return out;
  }

  static constexpr std::uint64_t kVocabulary = 100'000, kOpenings = 20'000;
  static constexpr std::uint64_t kMostWords = 22, kOpeningWords = 10, kLongShare = 200;
  std::uint64_t seed_;
  ZipfWords words_, openings_;
};

}  // namespace

MadeStringSet make_words_set(std::uint64_t seed) { return std::make_unique<DistinctWords>(seed); }
MadeStringSet make_words_dup_set(std::uint64_t seed) { return std::make_unique<TextWords>(seed); }
MadeStringSet make_sentences_set(std::uint64_t seed) { return std::make_unique<Sentences>(seed); }

}  // namespace spillway
