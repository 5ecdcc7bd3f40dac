#include "corpora/synthetic/fixed_math.hpp"

#include <array>
#include <cmath>

namespace spillway {

namespace {

constexpr std::uint64_t kTopBit = std::uint64_t{1} << 63;

// The largest r with r * r <= value.
constexpr std::uint64_t square_root(__uint128_t value) {
  __uint128_t root = 0;
  for (int bit = 63; bit >= 0; --bit) {
    const __uint128_t candidate = root | static_cast<__uint128_t>(1) << bit;
    if (candidate * candidate <= value) root = candidate;
  }
  return static_cast<std::uint64_t>(root);
}

// 2^(-1/2), 2^(-1/4), ... in units of 2^-63.
constexpr std::array<std::uint64_t, kFractionBits> kRoots = [] {
  std::array<std::uint64_t, kFractionBits> roots{};
  std::uint64_t root = kTopBit >> 1;  // 1/2
  for (auto& value : roots) value = root = square_root(static_cast<__uint128_t>(root) << 63);
  return roots;
}();

}  // namespace

std::int64_t to_fixed(double value) { return std::llround(value * static_cast<double>(kFixedOne)); }

// Finds one bit per step: squaring doubles the logarithm.
std::int64_t fixed_log2(std::uint64_t value) {
  const int leading = __builtin_clzll(value);
  std::int64_t result = static_cast<std::int64_t>(63 - leading) - static_cast<std::int64_t>(kFractionBits);
  std::uint64_t mantissa = value << leading;  // in [1, 2), in units of 2^-63
  for (unsigned bit = 0; bit < kFractionBits; ++bit) {
    const __uint128_t square = static_cast<__uint128_t>(mantissa) * mantissa >> 63;
    const bool is_two = (square >> 64) != 0;
    mantissa = static_cast<std::uint64_t>(is_two ? square >> 1 : square);
    result = result * 2 + (is_two ? 1 : 0);
  }
  return result;
}

std::uint64_t fixed_exp2(std::int64_t exponent) {
  const auto magnitude = static_cast<std::uint64_t>(-exponent);
  const std::uint64_t whole = magnitude >> kFractionBits;
  if (whole > 62) return 0;
  std::uint64_t value = kTopBit;
  for (unsigned bit = 0; bit < kFractionBits; ++bit) {
    if ((magnitude >> (kFractionBits - 1 - bit) & 1) == 0) continue;
    value = static_cast<std::uint64_t>(static_cast<__uint128_t>(value) * kRoots[bit] >> 63);
  }
  return value >> (whole + 1);
}

std::int64_t SplitMix::normal() {
  std::int64_t sum = -6 * kFixedOne;
  for (int i = 0; i < 6; ++i) {
    const std::uint64_t two = next();
    sum += static_cast<std::int64_t>(two >> 32) + static_cast<std::int64_t>(two & 0xFFFFFFFF);
  }
  return sum;
}

}  // namespace spillway
