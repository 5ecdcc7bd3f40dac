#include "sort/lines/keys/version_key.hpp"

#include <array>
#include <cstdint>

namespace spillway {

namespace {

// Ranks of bytes outside numbers: '~', then the end of such a part (before a number or the end), letters, the rest.
constexpr std::uint8_t kTilde = 1, kPartEnd = 2, kFirstLetter = 3;
constexpr std::uint8_t kShortNumber = 250;  // digits that one byte counts

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
bool is_letter(char byte) { return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z'); }

constexpr std::array<std::uint8_t, 256> make_ranks() {
  std::array<std::uint8_t, 256> ranks{};
  std::uint8_t next = kFirstLetter;
  for (int c = 'A'; c <= 'Z'; ++c) ranks[static_cast<std::size_t>(c)] = next++;
  for (int c = 'a'; c <= 'z'; ++c) ranks[static_cast<std::size_t>(c)] = next++;
  for (int c = 0; c < 256; ++c) {
    const bool is_other = !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '~';
    if (is_other) ranks[static_cast<std::size_t>(c)] = next++;
  }
  ranks['~'] = kTilde;
  return ranks;
}
constexpr std::array<std::uint8_t, 256> kRanks = make_ranks();

void append_count(std::size_t count, std::string& key) {
  if (count < kShortNumber) {
    key += static_cast<char>(count);
    return;
  }
  key += static_cast<char>(kShortNumber);
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(std::uint64_t{count} >> shift & 0xFF);
}

// Parts of other bytes and numbers take turns. A text that ends is as one that goes on with 0, an empty part, 0, ...;
// so a last number of 0 is left out, and what ends every string stands for that: no text has an empty part after a
// number.
void append_parts(std::string_view text, std::string& key) {
  for (std::size_t at = 0; at < text.size();) {
    while (at < text.size() && !is_digit(text[at]))
      key += static_cast<char>(kRanks[static_cast<unsigned char>(text[at++])]);
    while (at < text.size() && text[at] == '0') ++at;
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == text.size() && begin == at) break;
    key += static_cast<char>(kPartEnd);
    append_count(at - begin, key);
    key += text.substr(begin, at - begin);
  }
  key += static_cast<char>(kPartEnd);
  append_count(0, key);
  key += static_cast<char>(kPartEnd);
}

// The bytes before the longest suffix like ".tar.gz": dots, each with a letter or '~' and then letters, digits and '~'.
// As in GNU sort 9.1, all of ".a" is a suffix; 9.0 and later versions leave the first byte out of it.
std::size_t stem_bytes(std::string_view text) {
  for (std::size_t i = 0;; ++i) {
    const std::size_t stem = i;
    while (i + 1 < text.size() && text[i] == '.' && (is_letter(text[i + 1]) || text[i + 1] == '~')) {
      for (i += 2; i < text.size() && (is_letter(text[i]) || is_digit(text[i]) || text[i] == '~');) ++i;
    }
    if (i == text.size()) return stem;
  }
}

enum VersionClass : char { kEmpty, kDot, kDotDot, kHidden, kOther };

VersionClass class_of(std::string_view text) {
  if (text.empty()) return kEmpty;
  if (text == ".") return kDot;
  if (text == "..") return kDotDot;
  return text.front() == '.' ? kHidden : kOther;
}

}  // namespace

void append_version_key(std::string_view text, std::string& key) {
  const VersionClass text_class = class_of(text);
  key += text_class;
  if (text_class < kHidden) return;
  append_parts(text.substr(0, stem_bytes(text)), key);
  append_parts(text, key);
}

}  // namespace spillway
