// Logarithms and powers in integers, with the same bits on every machine, which floating-point libraries do not
// promise. The bytes of generated corpora depend on them, and tests and published figures depend on those bytes.
#pragma once

#include <cstdint>

namespace spillway {

// Fixed-point numbers have units of 2^-32.
inline constexpr unsigned kFractionBits = 32;
inline constexpr std::int64_t kFixedOne = std::int64_t{1} << kFractionBits;

// The nearest fixed-point number. Requires: |value| < 2^30.
std::int64_t to_fixed(double value);

// log2 of value / 2^32. The error is at most 2^-31. Requires: value > 0.
std::int64_t fixed_log2(std::uint64_t value);

// 2^exponent in units of 2^-62, with an error of a few units. Requires: exponent <= 0.
std::uint64_t fixed_exp2(std::int64_t exponent);

// The splitmix64 random number generator (Steele, Lea, Flood 2014).
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
  }
  // Uniform in [0, limit), for limits far below 2^64.
  std::uint64_t below(std::uint64_t limit) {
    return static_cast<std::uint64_t>(static_cast<__uint128_t>(next()) * limit >> 64);
  }
  // Nearly normal with mean 0 and variance 1, fixed-point: the sum of 12 uniform draws.
  std::int64_t normal();

 private:
  std::uint64_t state_;
};

}  // namespace spillway
