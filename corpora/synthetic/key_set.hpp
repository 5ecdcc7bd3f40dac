// The integer sets of the sorting papers: uint64 keys. Each key depends on its index alone, so any thread can make any
// part of a set, and only the requested count limits a set.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/synthetic/zipf_words.hpp"

namespace spillway {

// Sources: Satish, Harris, Garland 2009, V (uniform; entropy by AND, after Thearling and Smith; sorted; 8 to 32 bits;
// floats, whose order their sign and bits give); Capannini, Silvestri, Baraglia 2012, 6 (uniform, gaussian, zipfian,
// all-zero).
enum class KeyDistribution : std::uint8_t {
  kUniform,
  kGaussian,  // the mean of four uniform keys (Helman, Bader, JaJa 1998)
  kZipfian,   // 2^min(bits, 30) distinct keys, the r-th with probability proportional to 1 / r, over the key range
  kAllZero,
  kSorted,    // ascending, evenly spread over the key range
  kReversed,  // the same, descending
  kEntropy1,  // the AND of 1, 2, ... uniform keys
  kEntropy2,
  kEntropy3,
  kEntropy4,
  kEntropy5,
  kFloats  // floating-point numbers in [-1, 1) as integers of their order: 32 bits or less of a float, else of a double
};

struct KeyDistributionText {
  KeyDistribution distribution;
  std::string_view name;  // "uniform", "entropy-3"
  std::string_view meaning;
};
// All distributions, in the order in which users see them.
const std::vector<KeyDistributionText>& key_distributions();
std::string_view key_distribution_name(KeyDistribution distribution);

struct KeySetOptions {
  KeyDistribution distribution = KeyDistribution::kUniform;
  std::uint64_t count = 0;
  unsigned bits = 64;  // keys are below 2^bits; 1 to 64
  std::uint64_t seed = 1;
};

// Immutable, and therefore thread-safe.
class KeySet {
 public:
  // Throws UsageError for bits out of range.
  explicit KeySet(const KeySetOptions& options);

  const KeySetOptions& options() const { return options_; }
  // Requires: index < options().count.
  std::uint64_t at(std::uint64_t index) const;

 private:
  std::uint64_t uniform(std::uint64_t index, std::uint64_t sample) const;
  std::uint64_t ascending(std::uint64_t index) const;
  std::uint64_t zipfian(std::uint64_t index) const;
  std::uint64_t float_image(std::uint64_t index) const;

  KeySetOptions options_;
  std::uint64_t mask_;
  std::vector<ZipfWords> ranks_;  // one element for kZipfian, otherwise empty
};

}  // namespace spillway
