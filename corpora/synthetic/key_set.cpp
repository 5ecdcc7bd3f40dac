#include "corpora/synthetic/key_set.hpp"

#include <algorithm>
#include <bit>

#include "corpora/synthetic/string_writing.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr unsigned kZipfianBits = 30;  // ranks are 32-bit numbers
constexpr unsigned kGaussianSamples = 4;
// Odd, so that a multiplication permutes the keys of any number of bits.
constexpr std::uint64_t kSpread = 0x9E3779B97F4A7C15;

ZipfWords zipfian_ranks(unsigned bits) {
  return ZipfWords(std::uint64_t{1} << std::min(bits, kZipfianBits), to_fixed(1), 0);
}

}  // namespace

const std::vector<KeyDistributionText>& key_distributions() {
  static const std::vector<KeyDistributionText> all{
      {KeyDistribution::kUniform, "uniform", "every key equally likely"},
      {KeyDistribution::kGaussian, "gaussian", "the mean of four uniform keys"},
      {KeyDistribution::kZipfian, "zipfian", "the r-th most frequent key with a share in proportion to 1 / r"},
      {KeyDistribution::kAllZero, "all-zero", "every key 0"},
      {KeyDistribution::kSorted, "sorted", "ascending, evenly spread"},
      {KeyDistribution::kReversed, "reversed", "descending, evenly spread"},
      {KeyDistribution::kEntropy1, "entropy-1", "uniform, as the first of the series"},
      {KeyDistribution::kEntropy2, "entropy-2", "the AND of two uniform keys"},
      {KeyDistribution::kEntropy3, "entropy-3", "the AND of three"},
      {KeyDistribution::kEntropy4, "entropy-4", "the AND of four"},
      {KeyDistribution::kEntropy5, "entropy-5", "the AND of five"},
      {KeyDistribution::kFloats, "floats", "floating-point numbers from -1 to 1, as integers of their order"}};
  return all;
}

std::string_view key_distribution_name(KeyDistribution distribution) {
  return key_distributions()[static_cast<std::size_t>(distribution)].name;
}

KeySet::KeySet(const KeySetOptions& options)
    : options_(options), mask_(options.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << options.bits) - 1) {
  if (options.bits < 1 || options.bits > 64) throw UsageError("keys have 1 to 64 bits");
  if (options.distribution == KeyDistribution::kZipfian) ranks_.push_back(zipfian_ranks(options.bits));
}

// The sample-th independent draw for an index.
std::uint64_t KeySet::uniform(std::uint64_t index, std::uint64_t sample) const {
  SplitMix of_sample(options_.seed + sample);
  return SplitMix(of_sample.next() + index * kSpread).next() & mask_;
}

// A random key in the index-th of `count` equal intervals of the key range.
std::uint64_t KeySet::ascending(std::uint64_t index) const {
  const auto width = static_cast<__uint128_t>(mask_) + 1;
  const __uint128_t begin = width * index / options_.count, end = width * (index + 1) / options_.count;
  SplitMix random(options_.seed ^ SplitMix(index).next());
  const auto interval = static_cast<std::uint64_t>(end - begin);
  const std::uint64_t within = end - begin > ~std::uint64_t{0} ? random.next()
                               : interval == 0                 ? 0
                                                               : random.below(interval);
  return static_cast<std::uint64_t>(begin) + within;
}

std::uint64_t KeySet::zipfian(std::uint64_t index) const {
  SplitMix random = random_of(options_.seed, index);
  return ranks_.front().sample_rank(random) * kSpread & mask_;
}

// The integer whose unsigned order is that of the number: a negative number's bits inverted, another's sign set.
template <typename Bits, typename Real>
Bits ordered_bits(Real number) {
  const auto bits = std::bit_cast<Bits>(number);
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : bits | kSign;
}

std::uint64_t KeySet::float_image(std::uint64_t index) const {
  const auto draw = static_cast<std::int64_t>(random_of(options_.seed, index).next());
  if (options_.bits <= 32) {
    const float number = static_cast<float>(draw >> 32) * 0x1p-31F;
    return ordered_bits<std::uint32_t>(number) >> (32 - options_.bits);
  }
  return ordered_bits<std::uint64_t>(static_cast<double>(draw) * 0x1p-63) >> (64 - options_.bits);
}

std::uint64_t KeySet::at(std::uint64_t index) const {
  switch (options_.distribution) {
    case KeyDistribution::kAllZero:
      return 0;
    case KeyDistribution::kSorted:
      return ascending(index);
    case KeyDistribution::kReversed:
      return ascending(options_.count - 1 - index);
    case KeyDistribution::kZipfian:
      return zipfian(index);
    case KeyDistribution::kFloats:
      return float_image(index);
    case KeyDistribution::kGaussian: {
      __uint128_t sum = 0;
      for (unsigned i = 0; i < kGaussianSamples; ++i) sum += uniform(index, i);
      return static_cast<std::uint64_t>(sum / kGaussianSamples);
    }
    default:
      break;
  }
  const unsigned samples =
      options_.distribution == KeyDistribution::kUniform
          ? 1
          : static_cast<unsigned>(options_.distribution) - static_cast<unsigned>(KeyDistribution::kEntropy1) + 1;
  std::uint64_t key = mask_;
  for (unsigned i = 0; i < samples; ++i) key &= uniform(index, i);
  return key;
}

}  // namespace spillway
