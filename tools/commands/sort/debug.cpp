#include "tools/commands/sort/debug.hpp"

#include <algorithm>

#include "io/base/bytes.hpp"
#include "sort/lines/keys/number_keys.hpp"

namespace spillway {

namespace {

// Columns on a terminal: control characters take none, a tab is shown as one.
std::size_t width(std::string_view text) {
  const auto counts = [](char c) { return static_cast<unsigned char>(c) >= ' ' && c != '\x7F'; };
  return static_cast<std::size_t>(std::ranges::count_if(text, counts) + std::ranges::count(text, '\t'));
}

// Without blanks before it, and up to where the comparison stops reading.
// A key that ends before it begins has no part; its mark stands after the blanks at its begin.
std::string_view compared_part(std::string_view line, const LineKey& line_key, std::optional<char> separator) {
  std::string_view key = find_key(line, line_key.place, separator);
  KeyPlace to_end = line_key.place;
  to_end.begin_field = KeyPlace::kWhole;
  to_end.begin_byte = 0;
  to_end.skips_blanks_at_begin = false;
  const std::string_view before = find_key(line, to_end, separator);
  const KeyKind kind = line_key.rule.kind;
  const bool is_number = kind == KeyKind::kNumber || kind == KeyKind::kGeneralNumber || kind == KeyKind::kHumanNumber;
  const bool skips = line_key.place.skips_blanks_at_begin && line_key.place.begin_field == KeyPlace::kWhole;
  if (!is_number && kind != KeyKind::kMonth && !skips) return key;
  if (before.data() + before.size() < key.data()) {
    const char* at = key.data();
    while (at != line.data() + line.size() && is_blank(*at)) ++at;
    return {at, 0};
  }
  const std::size_t blanks = static_cast<std::size_t>(std::ranges::find_if_not(key, is_blank) - key.begin());
  const std::string_view text = key.substr(blanks);
  if (kind == KeyKind::kNumber) return text.substr(0, number_bytes(text));
  if (kind == KeyKind::kHumanNumber) return text.substr(0, human_number_bytes(text));
  if (kind == KeyKind::kGeneralNumber) return text.substr(0, general_number_bytes(text));
  if (kind == KeyKind::kMonth) return text.substr(0, month_bytes(text));
  return text;
}

// Writes text by portions: marks are as long as lines, and lines may be long.
class Portions {
 public:
  explicit Portions(LineOutput& output) : output_(output) { text_.reserve(kPortionBytes); }
  void add(std::string_view text) {
    while (!text.empty()) {
      const std::string_view some = text.substr(0, kPortionBytes - text_.size());
      text_ += some;
      text.remove_prefix(some.size());
      if (text_.size() == kPortionBytes) flush();
    }
  }
  void add(std::size_t count, char byte) {
    for (; count != 0; --count) add({&byte, 1});
  }
  void flush() {
    if (!text_.empty()) output_.write(bytes_of(text_));
    text_.clear();
  }

 private:
  static constexpr std::size_t kPortionBytes = std::size_t{64} << 10;
  LineOutput& output_;
  std::string text_;
};

void mark(std::size_t before, std::size_t columns, Portions& to) {
  to.add(before, ' ');
  if (columns == 0) return to.add("^ no match for key\n");
  to.add(columns, '_');
  to.add("\n");
}

void annotate(std::string_view line, const LineOrder& order, Portions& to) {
  for (std::string_view rest = line; !rest.empty();) {
    const std::size_t tab = std::min(rest.find('\t'), rest.size());
    to.add(rest.substr(0, tab));
    if (tab != rest.size()) to.add(">");
    rest.remove_prefix(std::min(tab + 1, rest.size()));
  }
  to.add("\n");
  for (const LineKey& key : order.keys) {
    const std::string_view part = compared_part(line, key, order.field_separator);
    mark(width(line.substr(0, static_cast<std::size_t>(part.data() - line.data()))), width(part), to);
  }
  // With a collation the last key is the whole line.
  if (order.keys.empty() || (order.breaks_ties() && order.collation == nullptr)) mark(0, width(line), to);
}

bool is_numeric(const SortKeyFlags& flags) { return flags.n || flags.g || flags.h; }

class Warnings {
 public:
  explicit Warnings(const SortOptions& options) : options_(options), unused_(options.global) {}
  std::vector<std::string> list();

 private:
  void add_for_key(const SortKeyText& key, std::size_t number);
  void add_obsolescent(const SortKeyText& key);
  void add_blanks(const SortKeyText& key, std::size_t number);
  void add_span(const SortKeyText& key, std::size_t number);
  void add_separator();
  void add_unused();
  void use(const SortKeyFlags& flags);

  const SortOptions& options_;
  SortKeyFlags unused_;
  bool has_basic_ = false, has_general_ = false, basic_spans_ = false, general_spans_ = false;
  std::vector<std::string> list_;
};

// +A.x -B.y is -k A+1.x+1,B.y, or B+1.y if y is given.
void Warnings::add_obsolescent(const SortKeyText& key) {
  const std::size_t begin = key.place.begin_field == KeyPlace::kWhole ? 0 : key.place.begin_field;
  std::string before = "+" + std::to_string(begin), after = "-k " + std::to_string(begin + 1);
  if (key.place.end_field != KeyPlace::kWhole) {
    before += " -" + std::to_string(key.place.end_field + 1);
    after += "," + std::to_string(key.place.end_field + 1 + (key.place.end_byte == KeyPlace::kWhole ? 1 : 0));
  }
  list_.push_back("obsolescent key " + quote(before) + " used; consider " + quote(after) + " instead");
}

void Warnings::add_blanks(const SortKeyText& key, std::size_t number) {
  const KeyPlace& place = key.place;
  const SortKeyFlags& flags = key.flags;
  const std::string name = "key " + std::to_string(number);
  if (place.begin_field != KeyPlace::kWhole && place.end_field < place.begin_field) {
    list_.push_back(name + " has zero width and will be ignored");
    return;
  }
  const bool skips_itself = is_numeric(flags) || flags.M;
  const bool is_in_first = place.end_field == 0 && place.end_byte != 0;
  const bool counts_blanks = (!flags.b_begin && !skips_itself) || (!flags.b_begin && place.begin_byte != 0) ||
                             (!flags.b_end && place.end_byte != 0);
  if (options_.has_global_key || options_.order.field_separator || is_in_first || !counts_blanks) return;
  list_.push_back("leading blanks are significant in " + name + "; consider also specifying 'b'");
}

void Warnings::add_span(const SortKeyText& key, std::size_t number) {
  if (options_.has_global_key || !is_numeric(key.flags)) return;
  const std::size_t begin = key.place.begin_field == KeyPlace::kWhole ? 1 : key.place.begin_field + 1;
  if (key.place.end_field != KeyPlace::kWhole && begin >= key.place.end_field + 1) return;
  list_.push_back("key " + std::to_string(number) + " is numeric and spans multiple fields");
  (key.flags.g ? general_spans_ : basic_spans_) = true;
}

void Warnings::use(const SortKeyFlags& flags) {
  unused_.b_begin &= !flags.b_begin;
  unused_.b_end &= !flags.b_end;
  unused_.d &= !flags.d;
  unused_.f &= !flags.f;
  unused_.g &= !flags.g;
  unused_.h &= !flags.h;
  unused_.i &= !flags.i;
  unused_.M &= !flags.M;
  unused_.n &= !flags.n;
  unused_.R &= !flags.R;
  unused_.r &= !flags.r;
  unused_.V &= !flags.V;
}

void Warnings::add_for_key(const SortKeyText& key, std::size_t number) {
  if (is_numeric(key.flags)) (key.flags.g ? has_general_ : has_basic_) = true;
  if (key.is_obsolescent) add_obsolescent(key);
  add_blanks(key, number);
  add_span(key, number);
  use(key.flags);
}

void Warnings::add_separator() {
  const auto separator = options_.order.field_separator;
  const bool spans = basic_spans_ || general_spans_;
  bool is_point_told = false;
  const auto add = [&](const char* what) {
    list_.push_back("field separator " + quote(std::string(1, *separator)) + " is treated as a " + what +
                    " in numbers");
  };
  if (spans && separator == '.') {
    add("decimal point");
    is_point_told = true;
  } else if (spans && separator == '-') {
    add("minus sign");
  } else if (general_spans_ && separator == '+') {
    add("plus sign");
  }
  if ((has_basic_ || has_general_) && !is_point_told) {
    list_.push_back(std::string(separator == '.' ? "" : "note ") + "numbers use '.' as a decimal point in this locale");
  }
}

void Warnings::add_unused() {
  const bool has_keys = !options_.keys.empty(), is_final = options_.order.is_stable || options_.order.is_unique;
  SortKeyFlags shown = unused_;
  if (!is_final) shown.r = false;
  if (!unused_.are_default() || (unused_.r && is_final && has_keys)) {
    const std::string letters = key_letters(shown);
    list_.push_back("option" + std::string(letters.size() == 1 ? "" : "s") + " '-" + letters +
                    (letters.size() == 1 ? "' is ignored" : "' are ignored"));
  }
  if (unused_.r && !is_final && has_keys) list_.push_back("option '-r' only applies to last-resort comparison");
}

std::vector<std::string> Warnings::list() {
  std::size_t number = 0;
  for (const SortKeyText& key : options_.keys) add_for_key(key, ++number);
  add_separator();
  add_unused();
  return std::move(list_);
}

}  // namespace

void DebugOutput::write(std::span<const std::uint8_t> bytes) {
  std::string_view text{reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  Portions portions(output_);
  while (!text.empty()) {
    // An input that changes while it is sorted may have lost the end of its last line.
    const std::size_t end = std::min(text.find(order_.format.line_end), text.size());
    annotate(text.substr(0, end), order_, portions);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  portions.flush();
}

std::vector<std::string> debug_warnings(const SortOptions& options) { return Warnings(options).list(); }

}  // namespace spillway
