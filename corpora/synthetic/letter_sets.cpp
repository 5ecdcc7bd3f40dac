#include "corpora/synthetic/letter_sets.hpp"

#include "corpora/synthetic/string_writing.hpp"

namespace spillway {

namespace {

// Lengths from least to most and letters of an alphabet, all equally likely.
class EvenLetters final : public StringSet {
 public:
  struct Shape {
    std::uint64_t least_bytes, most_bytes;
    char first_letter;
    std::uint64_t letters;  // number of letters, from the first one
  };
  EvenLetters(const Shape& shape, std::uint64_t seed) : shape_(shape), seed_(seed) {}
  std::size_t max_bytes() const override { return shape_.most_bytes; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    const std::uint64_t bytes = shape_.least_bytes + random.below(shape_.most_bytes - shape_.least_bytes + 1);
    for (std::uint64_t i = 0; i < bytes; ++i) {
      *out++ = static_cast<char>(shape_.first_letter + static_cast<char>(random.below(shape_.letters)));
    }
    return out;
  }

 private:
  Shape shape_;
  std::uint64_t seed_;
};

constexpr std::uint64_t kPrintable = 126 - 33 + 1;

// Geometric lengths and skewed letters. The constants give the set the size and tie lengths of the paper's set.
class SkewedLetters final : public StringSet {
 public:
  explicit SkewedLetters(std::uint64_t seed) : seed_(seed) {}
  std::size_t max_bytes() const override { return kMostBytes; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    const char* const end = out + kMostBytes;
    do {
      const std::uint64_t draw = random.next();
      const auto letter = static_cast<std::uint32_t>(draw);
      *out++ = letter < kFirstLetterShare ? 'a' : static_cast<char>('b' + letter % 8);
      if (draw >> 32 < kEndShare) break;
    } while (out != end);
    return out;
  }

 private:
  static constexpr std::size_t kMostBytes = 100;
  static constexpr std::uint32_t kFirstLetterShare = 3865470566;  // 0.9 of 2^32
  static constexpr std::uint32_t kEndShare = 268435456;           // 1/16: mean length 16
  std::uint64_t seed_;
};

class DnaLetters final : public StringSet {
 public:
  explicit DnaLetters(std::uint64_t seed) : seed_(seed) {}
  std::size_t max_bytes() const override { return kBytes; }
  char* write(std::uint64_t index, char* out) const override {
    SplitMix random = random_of(seed_, index);
    std::uint64_t draw = random.next();
    for (std::size_t i = 0; i < kBytes; ++i, draw >>= 2) *out++ = "ACGT"[draw & 3];
    return out;
  }

 private:
  static constexpr std::size_t kBytes = 9;
  std::uint64_t seed_;
};

}  // namespace

MadeStringSet make_random_set(std::uint64_t seed) {
  return std::make_unique<EvenLetters>(EvenLetters::Shape{90, 110, '!', kPrintable}, seed);
}
MadeStringSet make_random_ascii_set(std::uint64_t seed) {
  return std::make_unique<EvenLetters>(EvenLetters::Shape{0, 19, '!', kPrintable}, seed);
}
MadeStringSet make_artificial_2_set(std::uint64_t seed) {
  return std::make_unique<EvenLetters>(EvenLetters::Shape{100, 100, 'A', 1}, seed);
}
MadeStringSet make_artificial_4_set(std::uint64_t seed) { return std::make_unique<SkewedLetters>(seed); }
MadeStringSet make_artificial_5_set(std::uint64_t seed) {
  return std::make_unique<EvenLetters>(EvenLetters::Shape{1, 100, 'A', 1}, seed);
}
MadeStringSet make_dna9_set(std::uint64_t seed) { return std::make_unique<DnaLetters>(seed); }

}  // namespace spillway
