#include "tools/commands/sort/options/key_definition.hpp"

#include <cctype>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <limits>

#include "tools/commands/sort/options/message.hpp"

namespace spillway {

namespace {

[[noreturn]] void refuse_field(const std::string& problem, std::string_view text) {
  throw SortError(problem + ": invalid field specification " + quote(text));
}

bool begins_with_number(const char* text) {
  while (std::isspace(static_cast<unsigned char>(*text)) != 0) ++text;
  if (*text == '+') ++text;
  return std::isdigit(static_cast<unsigned char>(*text)) != 0;
}

// Sets `value`, at most SIZE_MAX, and returns what follows the number; nullptr if there is none.
const char* take_count(const char* text, std::size_t& value) {
  if (!begins_with_number(text)) return nullptr;
  char* rest = nullptr;
  errno = 0;
  value = std::strtoumax(text, &rest, 10);
  if (errno == ERANGE) value = std::numeric_limits<std::size_t>::max();
  return rest;
}

const char* need_count(const char* text, std::size_t& value, const char* problem) {
  const char* const rest = take_count(text, value);
  if (rest == nullptr) throw SortError(std::string(problem) + ": invalid count at start of " + quote(text));
  return rest;
}

const char* need_field(const std::string& all, const char* text, std::size_t& field, const char* problem) {
  const char* const rest = need_count(text, field, problem);
  if (field-- == 0) refuse_field("field number is zero", all);
  return rest;
}

}  // namespace

const char* set_key_flags(const char* text, SortKeyFlags& flags, KeySide side) {
  for (;; ++text) {
    switch (*text) {
      case 'b':
        if (side != KeySide::kEnd) flags.b_begin = true;
        if (side != KeySide::kBegin) flags.b_end = true;
        break;
      case 'd':
        flags.d = true;
        flags.i = false;
        break;
      case 'f':
        flags.f = true;
        break;
      case 'g':
        flags.g = true;
        break;
      case 'h':
        flags.h = true;
        break;
      case 'i':
        flags.i = !flags.d;  // -d implies it
        break;
      case 'M':
        flags.M = true;
        break;
      case 'n':
        flags.n = true;
        break;
      case 'R':
        flags.R = true;
        break;
      case 'r':
        flags.r = true;
        break;
      case 'V':
        flags.V = true;
        break;
      default:
        return text;
    }
  }
}

std::string key_letters(const SortKeyFlags& flags) {
  std::string letters;
  if (flags.b_begin || flags.b_end) letters += 'b';
  if (flags.d) letters += 'd';
  if (flags.f) letters += 'f';
  if (flags.g) letters += 'g';
  if (flags.h) letters += 'h';
  if (flags.i) letters += 'i';
  if (flags.M) letters += 'M';
  if (flags.n) letters += 'n';
  if (flags.R) letters += 'R';
  if (flags.r) letters += 'r';
  if (flags.V) letters += 'V';
  return letters;
}

SortKeyText parse_key_definition(const std::string& text) {
  SortKeyText key;
  const char* at = need_field(text, text.c_str(), key.place.begin_field, "invalid number at field start");
  if (*at == '.') {
    at = need_count(at + 1, key.place.begin_byte, "invalid number after '.'");
    if (key.place.begin_byte-- == 0) refuse_field("character offset is zero", text);
  }
  if (key.place.begin_field == 0 && key.place.begin_byte == 0) key.place.begin_field = KeyPlace::kWhole;
  at = set_key_flags(at, key.flags, KeySide::kBegin);
  if (*at == ',') {
    at = need_field(text, at + 1, key.place.end_field, "invalid number after ','");
    if (*at == '.') at = need_count(at + 1, key.place.end_byte, "invalid number after '.'");
    at = set_key_flags(at, key.flags, KeySide::kEnd);
  }
  if (*at != '\0') refuse_field("stray character in field spec", text);
  return key;
}

std::optional<SortKeyText> parse_obsolescent_key(const std::string& begin, const std::string& end) {
  SortKeyText key;
  key.is_obsolescent = true;
  key.place.begin_field = 0;
  const char* at = take_count(begin.c_str() + 1, key.place.begin_field);
  if (at != nullptr && *at == '.') at = take_count(at + 1, key.place.begin_byte);
  if (key.place.begin_field == 0 && key.place.begin_byte == 0) key.place.begin_field = KeyPlace::kWhole;
  if (at == nullptr || *set_key_flags(at, key.flags, KeySide::kBegin) != '\0') return std::nullopt;
  if (end.empty()) return key;
  at = need_count(end.c_str() + 1, key.place.end_field, "invalid number after '-'");
  if (*at == '.') at = need_count(at + 1, key.place.end_byte, "invalid number after '.'");
  // +A -B ends before field B: in numbers from 0, with field B - 1.
  if (key.place.end_byte == 0 && key.place.end_field != 0) --key.place.end_field;
  if (*set_key_flags(at, key.flags, KeySide::kEnd) != '\0') refuse_field("stray character in field spec", end);
  return key;
}

LineKey line_key(const SortKeyText& key) {
  const SortKeyFlags& flags = key.flags;
  const int kinds =
      int{flags.n} + int{flags.g} + int{flags.h} + int{flags.M} + int{flags.V || flags.R || flags.d || flags.i};
  if (kinds > 1) {
    SortKeyFlags shown = flags;
    shown.b_begin = shown.b_end = shown.r = false;
    throw SortError("options '-" + key_letters(shown) + "' are incompatible");
  }
  LineKey result;
  result.place = key.place;
  result.place.skips_blanks_at_begin = flags.b_begin;
  result.place.skips_blanks_at_end = flags.b_end;
  result.rule.is_reversed = flags.r;
  result.rule.folds_case = flags.f;
  result.rule.ignored = flags.d   ? IgnoredBytes::kNonDictionary
                        : flags.i ? IgnoredBytes::kNonPrinting
                                  : IgnoredBytes::kNone;
  result.rule.kind = flags.n   ? KeyKind::kNumber
                     : flags.g ? KeyKind::kGeneralNumber
                     : flags.h ? KeyKind::kHumanNumber
                     : flags.M ? KeyKind::kMonth
                     : flags.R ? KeyKind::kRandom
                     : flags.V ? KeyKind::kVersionNumber
                               : KeyKind::kText;
  return result;
}

}  // namespace spillway
