// The powers r^document in the sums of io/checksum/content_checksum.hpp, and the arithmetic modulo 2^61 - 1 below them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace spillway {

// A fixed key, part of the format: a 60-bit constant (digits of pi).
inline constexpr std::uint64_t kDocumentBase = 0x0243F6A8885A308DULL;

// Arithmetic modulo the Mersenne prime 2^61-1, on values below it. constexpr, so that kernels can call it too.
namespace field61 {

inline constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;

// Reduces any 128-bit value.
constexpr std::uint64_t reduce(unsigned __int128 value) {
  std::uint64_t sum = static_cast<std::uint64_t>(value & kPrime) + static_cast<std::uint64_t>((value >> 61) & kPrime) +
                      static_cast<std::uint64_t>(value >> 122);
  sum = (sum & kPrime) + (sum >> 61);
  return sum >= kPrime ? sum - kPrime : sum;
}
constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;
  return sum >= kPrime ? sum - kPrime : sum;
}
constexpr std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
  return reduce(static_cast<unsigned __int128>(a) * b);
}
std::uint64_t power(std::uint64_t base, std::uint64_t exponent);

}  // namespace field61

// r^(i * 4096 + j) is high[i] * low[j] modulo 2^61 - 1.
struct DocumentPowers {
  static constexpr unsigned kLowBits = 12;
  static constexpr std::size_t kCount = std::size_t{1} << kLowBits;
  std::array<std::uint64_t, kCount> low{}, high{};
};

// The tables, built by the first call.
const DocumentPowers& document_powers();

// r^(high * 4096).
std::uint64_t high_document_power(std::uint64_t high);

// r^document with r = kDocumentBase. `document` counts from 0 in its part, run or index.
std::uint64_t document_power(std::uint64_t document);

}  // namespace spillway
