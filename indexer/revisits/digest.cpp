#include "indexer/revisits/digest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace spillway {

namespace {

struct Algorithm {
  std::string_view name;
  std::size_t bytes;
};
constexpr std::array<Algorithm, 5> kAlgorithms{
    {{"md5", 16}, {"sha1", 20}, {"sha256", 32}, {"sha384", 48}, {"sha512", 64}}};

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return lower;
}

// -1: none.
int hexadecimal_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// RFC 4648 (6).
int base32_value(char c) {
  if (c >= '2' && c <= '7') return c - '2' + 26;
  return c >= 'a' && c <= 'z' ? c - 'a' : -1;
}

// The bits of all digits, in whole bytes; nullopt if a character is no digit or there are not `bytes` bytes.
std::optional<std::string> decoded(std::string_view digits, int (*value_of)(char), unsigned bits_each,
                                   std::size_t bytes) {
  if (digits.size() != (bytes * 8 + bits_each - 1) / bits_each) return std::nullopt;
  std::string value;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : digits) {
    const int digit = value_of(c);
    if (digit < 0) return std::nullopt;
    bits = (bits << bits_each | static_cast<std::uint32_t>(digit)) & 0xFFFF;
    count += bits_each;
    if (count < 8) continue;
    count -= 8;
    value += static_cast<char>(bits >> count & 0xFF);
  }
  return value;
}

std::optional<std::string> decoded(std::string_view digits, const Algorithm& algorithm) {
  if (auto value = decoded(digits, hexadecimal_value, 4, algorithm.bytes)) return value;
  return decoded(digits.substr(0, digits.find_last_not_of('=') + 1), base32_value, 5, algorithm.bytes);
}

}  // namespace

std::string comparable_digest(std::string_view written) {
  std::string lower = in_lower_case(written);
  const std::size_t colon = lower.find(':');
  std::string label = colon == std::string::npos ? std::string() : lower.substr(0, colon);
  std::erase(label, '-');
  const std::string_view digits = std::string_view(lower).substr(colon == std::string::npos ? 0 : colon + 1);
  for (const Algorithm& algorithm : kAlgorithms) {
    if (!label.empty() && label != algorithm.name) continue;
    if (const auto value = decoded(digits, algorithm)) return std::string(algorithm.name) + ":" + *value;
  }
  return lower;
}

}  // namespace spillway
