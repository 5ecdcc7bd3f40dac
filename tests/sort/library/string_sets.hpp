// Sets of strings for the tests of the library's sorts.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::testing {

using Strings = std::vector<std::string>;

// Of up to `most_bytes` bytes, all of them in `alphabet`.
inline Strings random_strings(std::size_t count, std::size_t most_bytes, std::string_view alphabet,
                              std::uint32_t seed) {
  std::mt19937 random(seed);
  Strings strings(count);
  for (std::string& string : strings) {
    string.resize(random() % (most_bytes + 1));
    for (char& byte : string) byte = alphabet[random() % alphabet.size()];
  }
  return strings;
}

inline std::string all_bytes() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  return bytes;
}

// Bytes that the library packs, those beside them, and the greatest.
inline constexpr std::string_view kEdgeBytes("\0\1\2\3\4\5\6\xFE\xFF", 9);

inline std::vector<Strings> contract_sets() {
  using std::string_literals::operator""s;
  Strings prefixes, reserved;
  for (std::size_t bytes = 0; bytes < 40; ++bytes) {
    prefixes.push_back(std::string(40 - bytes, 'a'));
    reserved.push_back("x"s + std::string(bytes, '\0'));
    reserved.push_back("x"s + std::string(bytes, '\1') + "y");
    reserved.push_back(std::string(bytes, '\2') + "\1"s);
    reserved.push_back(std::string(bytes, '\xFF'));
  }
  return {{},
          {""},
          {"one"},
          {"", "", "\0"s, "", "\0"s},
          {"b", "a", "b", "a", "b"},
          {"a\0"s, "a", "a\0\0"s, "a\1"s, "a\0\1"s, "a\2"s, "a\0\2"s, "a\3"s, "a\1\0"s},
          {"\xFF", "\xFF\xFF", "\x7F", "\x80", "", "\0"s},
          {std::string(100'000, 'l') + "2", std::string(100'000, 'l') + "1", std::string(100'000, 'l')},
          prefixes,
          reserved,
          random_strings(1'000, 7, "ab", 1),
          random_strings(20'000, 12, kEdgeBytes, 2),
          random_strings(20'000, 40, all_bytes(), 3)};
}

}  // namespace spillway::testing
