#include "sort/library/packed_strings.hpp"

#include <algorithm>

namespace spillway {

namespace {

constexpr std::uint8_t kShift = kPackedEscape + 1;

bool is_reserved(char byte) { return static_cast<std::uint8_t>(byte) <= kPackedEscape; }

}  // namespace

std::size_t packed_bytes(std::string_view text) {
  return text.size() + static_cast<std::size_t>(std::ranges::count_if(text, is_reserved));
}

std::uint8_t* pack_escaped(std::string_view text, std::uint8_t* to) {
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (is_reserved(c)) *to++ = kPackedEscape;
    *to++ = is_reserved(c) ? static_cast<std::uint8_t>(byte + kShift) : byte;
  }
  return to;
}

void unpack(std::string_view packed, std::string& out) {
  out.clear();
  for (std::size_t at = 0; at != packed.size();) {
    const std::size_t end = std::min(packed.find(static_cast<char>(kPackedEscape), at), packed.size());
    out += packed.substr(at, end - at);
    if (end == packed.size()) return;
    out += static_cast<char>(packed[end + 1] - kShift);
    at = end + 2;
  }
}

}  // namespace spillway
