#include "corpora/sgml/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kLongestEntity = 12;  // including its "&"
constexpr std::string_view kSpaces = " \t\r\n\f\v";

// HTMLlat1 of ISO 8879, from U+00A0.
constexpr std::array<std::string_view, 96> kLatin1{
    "nbsp",   "iexcl",  "cent",   "pound",  "curren", "yen",    "brvbar", "sect",   "uml",    "copy",   "ordf",
    "laquo",  "not",    "shy",    "reg",    "macr",   "deg",    "plusmn", "sup2",   "sup3",   "acute",  "micro",
    "para",   "middot", "cedil",  "sup1",   "ordm",   "raquo",  "frac14", "frac12", "frac34", "iquest", "Agrave",
    "Aacute", "Acirc",  "Atilde", "Auml",   "Aring",  "AElig",  "Ccedil", "Egrave", "Eacute", "Ecirc",  "Euml",
    "Igrave", "Iacute", "Icirc",  "Iuml",   "ETH",    "Ntilde", "Ograve", "Oacute", "Ocirc",  "Otilde", "Ouml",
    "times",  "Oslash", "Ugrave", "Uacute", "Ucirc",  "Uuml",   "Yacute", "THORN",  "szlig",  "agrave", "aacute",
    "acirc",  "atilde", "auml",   "aring",  "aelig",  "ccedil", "egrave", "eacute", "ecirc",  "euml",   "igrave",
    "iacute", "icirc",  "iuml",   "eth",    "ntilde", "ograve", "oacute", "ocirc",  "otilde", "ouml",   "divide",
    "oslash", "ugrave", "uacute", "ucirc",  "uuml",   "yacute", "thorn",  "yuml"};
constexpr unsigned kReplacement = 0xFFFD;

unsigned numbered(std::string_view digits) {
  const bool is_hex = digits.starts_with('x') || digits.starts_with('X');
  if (is_hex) digits.remove_prefix(1);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, is_hex ? 16 : 10);
  if (digits.empty() || end != digits.data() + digits.size()) return 0;
  const bool is_character =
      error == std::errc() && value != 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  return is_character ? value : kReplacement;
}

}  // namespace

unsigned sgml_entity(std::string_view name) {
  if (name.starts_with('#')) return numbered(name.substr(1));
  constexpr std::pair<std::string_view, unsigned> kBasic[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [known, character] : kBasic) {
    if (known == name) return character;
  }
  const auto found = std::find(kLatin1.begin(), kLatin1.end(), name);
  return found == kLatin1.end() ? 0 : 0xA0 + static_cast<unsigned>(found - kLatin1.begin());
}

void SgmlText::feed(std::string_view characters) {
  while (!characters.empty()) {
    if (!entity_.empty()) {
      feed_entity(characters.front());
      characters.remove_prefix(1);
      continue;
    }
    const std::size_t plain = std::min(characters.find('&'), characters.size());
    repairer_.feed(characters.substr(0, plain), *this);
    characters.remove_prefix(plain);
    if (characters.empty()) return;
    entity_.assign(1, '&');
    characters.remove_prefix(1);
  }
}

void SgmlText::feed_entity(char byte) {
  const bool is_name = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       (byte == '#' && entity_.size() == 1);
  if (is_name && entity_.size() < kLongestEntity) {
    entity_ += byte;
    return;
  }
  const unsigned character = byte == ';' ? sgml_entity(std::string_view(entity_).substr(1)) : 0;
  if (character == 0) {
    give_up();
    if (byte == '&') {
      entity_.assign(1, '&');
    } else {
      repairer_.feed({&byte, 1}, *this);
    }
    return;
  }
  entity_.clear();
  repairer_.finish(*this);
  repaired_ = repaired_ || character == kReplacement;
  char utf8[4];
  append({utf8, static_cast<std::size_t>(write_utf8(character, utf8) - utf8)});
}

// Treats what looked like an entity as characters.
void SgmlText::give_up() {
  const std::string characters = std::exchange(entity_, {});
  repairer_.feed(characters, *this);
}

void SgmlText::end_stretch() {
  give_up();
  repairer_.finish(*this);
}

void SgmlText::separate() {
  end_stretch();
  separated_ = any_;
}

void SgmlText::append(std::string_view fragment) {
  if (!any_) {
    const std::size_t begin = fragment.find_first_not_of(kSpaces);
    fragment.remove_prefix(std::min(begin, fragment.size()));
  }
  if (fragment.empty()) return;
  if (separated_ && !ends_in_space_ && kSpaces.find(fragment.front()) == std::string_view::npos) out_.append(" ");
  out_.append(fragment);
  any_ = true;
  separated_ = false;
  ends_in_space_ = kSpaces.find(fragment.back()) != std::string_view::npos;
}

}  // namespace spillway
