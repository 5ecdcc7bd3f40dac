// The order of lines that `spillway sort` is asked for: keys inside a line, how each is compared, and what breaks ties.
// It has the meaning of GNU sort's options in the C locale.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "sort/lines/keys/collation.hpp"
#include "sort/lines/keys/line_format.hpp"

namespace spillway {

enum class KeyKind : std::uint8_t { kText, kNumber, kGeneralNumber, kHumanNumber, kMonth, kRandom, kVersionNumber };
enum class IgnoredBytes : std::uint8_t { kNone, kNonPrinting, kNonDictionary };

// How the bytes of a key are compared.
struct KeyRule {
  KeyKind kind = KeyKind::kText;
  IgnoredBytes ignored = IgnoredBytes::kNone;
  bool folds_case = false;
  bool is_reversed = false;
};

// A part of a line: from byte `begin_byte` of field `begin_field` on, up to byte `end_byte` of field `end_field`.
struct KeyPlace {
  static constexpr std::size_t kWhole = std::numeric_limits<std::size_t>::max();
  std::size_t begin_field = kWhole;  // counted from 0; kWhole: the line's begin
  std::size_t begin_byte = 0;
  std::size_t end_field = kWhole;  // the last field, counted from 0; kWhole: the line's end
  std::size_t end_byte = 0;        // bytes of the end field; 0: all of `end_field`
  bool skips_blanks_at_begin = false;
  bool skips_blanks_at_end = false;
};

struct LineKey {
  KeyPlace place;
  KeyRule rule;
};

struct LineOrder {
  std::vector<LineKey> keys;            // none: whole lines are compared
  bool is_reversed = false;             // of whole lines, and of what breaks ties
  bool is_stable = false;               // lines with equal keys keep their input order
  bool is_unique = false;               // only the first of lines with equal keys is kept
  std::optional<char> field_separator;  // none: a field begins at the blanks before it
  LineFormat format;                    // requires of records: keys are inside of them, and not empty
  std::array<std::uint8_t, 16> random_salt{};
  std::shared_ptr<const Collation> collation;  // of texts; null: they are compared by their bytes

  // Whether equal keys leave the order to the bytes of the lines.
  bool breaks_ties() const { return !keys.empty() && !is_stable && !is_unique; }
  // Whether the lines are sorted from the last to the first; encoded keys allow for it
  // (sort/lines/keys/key_encoder.hpp).
  bool is_descending() const { return is_reversed && (keys.empty() || breaks_ties()); }
};

// Space, tab and line feed.
constexpr bool is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\n'; }

// The bytes of `line` (without its end) at a place. A view into `line`, empty if the line has no such field.
std::string_view find_key(std::string_view line, const KeyPlace& place, std::optional<char> field_separator);

}  // namespace spillway
