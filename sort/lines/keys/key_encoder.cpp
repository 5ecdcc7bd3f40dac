#include "sort/lines/keys/key_encoder.hpp"

#include <algorithm>
#include <boost/uuid/detail/md5.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sort/lines/keys/number_keys.hpp"
#include "sort/lines/keys/version_key.hpp"

namespace spillway {

namespace {

// A text ends with a zero byte; a byte 0 or 1 in it becomes 1 and a byte that tells which.
constexpr char kTextEnd = 0, kEscape = 1;
constexpr std::size_t kShortKey = 32;  // more than a number, a month or the sum of a text takes, its digits aside
// ICU 72: bytes of a key for each byte of text, at most, and what it allocates meanwhile for UTF-16 and for levels.
constexpr std::size_t kCollationPart = 4, kCollationScratch = 5;
constexpr std::size_t kKeptScratch = std::size_t{256} << 10;  // a thread keeps no more for the next line

bool is_alphanumeric(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

bool is_ignored(unsigned char c, IgnoredBytes ignored) {
  if (ignored == IgnoredBytes::kNonDictionary) return !is_alphanumeric(c) && !is_blank(static_cast<char>(c));
  return ignored == IgnoredBytes::kNonPrinting && (c < ' ' || c > '~');
}

// Upper case if `folds`: a branch on the byte would keep the compiler from vectors.
template <bool folds>
char folded(char c) {
  if constexpr (!folds) return c;
  return static_cast<char>(c - (c >= 'a' && c <= 'z' ? 'a' - 'A' : 0));
}

template <bool folds>
void append_text(std::string_view text, std::string& out) {
  const std::size_t begin = out.size();
  out += text;
  unsigned char low = 0;
  for (char *at = out.data() + begin, *const end = at + text.size(); at != end; ++at) {
    low |= static_cast<unsigned char>(*at) <= 1 ? 1 : 0;
    *at = folded<folds>(*at);
  }
  if (low != 0) {
    out.resize(begin);
    for (const char c : text) {
      if (static_cast<unsigned char>(c) <= 1) out += kEscape;
      out += static_cast<unsigned char>(c) <= 1 ? static_cast<char>(c + 1) : folded<folds>(c);
    }
  }
  out += kTextEnd;
}

}  // namespace

KeyEncoder::KeyEncoder(const LineOrder& order, bool copies_folded) : order_(order) {
  if (order.keys.size() == 1 && order.collation == nullptr) {
    const KeyRule& rule = order.keys.front().rule;
    const bool is_text = rule.kind == KeyKind::kText && rule.ignored == IgnoredBytes::kNone;
    is_view_ = is_text && rule.is_reversed == order.is_descending() && !(rule.folds_case && copies_folded);
    folds_view_ = is_view_ && rule.folds_case;
  }
  for (const LineKey& key : order.keys) {
    Encoded table;
    table.folds_text = key.rule.kind == KeyKind::kText && key.rule.folds_case &&
                       key.rule.ignored == IgnoredBytes::kNone && order.collation == nullptr;
    table.has_table = !table.folds_text && (key.rule.folds_case || key.rule.ignored != IgnoredBytes::kNone);
    for (unsigned c = 0; c < 256; ++c) {
      const bool is_lower = c >= 'a' && c <= 'z';
      table.fold[c] = static_cast<char>(key.rule.folds_case && is_lower ? c - 'a' + 'A' : c);
      table.is_ignored[c] = is_ignored(static_cast<unsigned char>(c), key.rule.ignored);
    }
    tables_.push_back(table);
  }
  constexpr std::size_t kBytes = 1024;
  most_growth_ = (most_key_bytes({kBytes, kBytes, kBytes, kBytes / 2}) + kBytes - 1) / kBytes;
}

void KeyEncoder::TextCounts::add(std::string_view text) {
  bool was_digit = false;
  bytes += text.size();
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    low += static_cast<unsigned char>(c) <= 1 ? 1 : 0;
    digits += is_digit ? 1 : 0;
    numbers += is_digit && !was_digit ? 1 : 0;
    was_digit = is_digit;
  }
}

KeyEncoder::KeyBytes KeyEncoder::most_of(std::size_t number, const TextCounts& text) const {
  const KeyRule& rule = order_.keys[number].rule;
  const std::size_t of_text = text.bytes + text.low + 1;
  switch (rule.kind) {
    case KeyKind::kText:
      if (order_.collation != nullptr) return {kCollationPart * text.bytes + kShortKey, false};
      return {of_text, rule.ignored == IgnoredBytes::kNone};
    case KeyKind::kRandom:
      return {of_text + kShortKey, false};
    case KeyKind::kVersionNumber:
      // Twice the text; a number follows its count, which takes more than a byte if there are 250 digits.
      return {2 * (text.bytes + 2 * text.numbers + text.digits / 25 + kShortKey), false};
    case KeyKind::kNumber:
    case KeyKind::kHumanNumber:
      return {text.digits / 2 + kShortKey, false};
    case KeyKind::kGeneralNumber:
    case KeyKind::kMonth:
      return {kShortKey, false};
  }
  return {};
}

KeyEncoder::KeyBytes KeyEncoder::key_bytes(std::string_view line) const {
  KeyBytes all;
  for (std::size_t i = 0; i < order_.keys.size(); ++i) {
    TextCounts text;
    text.add(find_key(line, order_.keys[i].place, order_.field_separator));
    const KeyBytes key = most_of(i, text);
    all.most += key.most;
    all.is_exact &= key.is_exact;
  }
  return all;
}

std::size_t KeyEncoder::most_key_bytes(const TextCounts& line) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < order_.keys.size(); ++i) bytes += most_of(i, line).most;
  return bytes;
}

std::size_t KeyEncoder::scratch_bytes(std::size_t line_bytes) const {
  if (order_.collation != nullptr) return kCollationScratch * line_bytes;
  const auto copies = [&](std::size_t i) {
    return tables_[i].has_table || order_.keys[i].rule.kind == KeyKind::kGeneralNumber;
  };
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    if (copies(i)) return line_bytes;
  }
  return 0;
}

void KeyEncoder::append(std::string_view line, std::string& out) const {
  thread_local std::string changed;
  for (std::size_t i = 0; i < order_.keys.size(); ++i) {
    const LineKey& key = order_.keys[i];
    std::string_view text = find_key(line, key.place, order_.field_separator);
    const Encoded& table = tables_[i];
    const std::size_t begin = out.size();
    if (table.has_table) {
      changed.resize(std::max(changed.size(), text.size()));
      char* to = changed.data();
      for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        *to = table.fold[byte];
        to += table.is_ignored[byte] ? 0 : 1;
      }
      text = {changed.data(), to};
    }
    if (table.folds_text) {
      append_text<true>(text, out);
    } else {
      append_one(i, text, out);
    }
    if (key.rule.is_reversed == order_.is_descending()) continue;
    for (std::size_t at = begin; at < out.size(); ++at) out[at] = static_cast<char>(~out[at]);
  }
  if (changed.size() > kKeptScratch) std::string().swap(changed);
}

void KeyEncoder::append_one(std::size_t number, std::string_view text, std::string& out) const {
  switch (order_.keys[number].rule.kind) {
    case KeyKind::kText:
      return order_.collation != nullptr ? order_.collation->append(text, out) : append_text<false>(text, out);
    case KeyKind::kNumber:
      return append_number_key(text, out);
    case KeyKind::kGeneralNumber:
      return append_general_number_key(text, out);
    case KeyKind::kHumanNumber:
      return append_human_number_key(text, out);
    case KeyKind::kMonth:
      return append_month_key(text, out);
    case KeyKind::kRandom:
      return append_random(text, out);
    case KeyKind::kVersionNumber:
      return append_version_key(text, out);
  }
}

// A salted MD5, as GNU sort's, so that one --random-source gives one order. Equal sums leave it to the text.
void KeyEncoder::append_random(std::string_view text, std::string& out) const {
  boost::uuids::detail::md5 hash;
  hash.process_bytes(order_.random_salt.data(), order_.random_salt.size());
  // Boost copies less than a block of 64 bytes; of longer texts it reads words that are not aligned.
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t bytes = std::min<std::size_t>(rest.size(), 63);
    hash.process_bytes(rest.data(), bytes);
    rest.remove_prefix(bytes);
  }
  boost::uuids::detail::md5::digest_type digest;
  hash.get_digest(digest);
  // Boost before 1.86 gives words, each the wrong way round; later versions give bytes.
  for (auto& part : digest) {
    using Part = std::remove_reference_t<decltype(part)>;
    if constexpr (sizeof(Part) == sizeof(std::uint32_t)) part = static_cast<Part>(__builtin_bswap32(part));
  }
  out.append(reinterpret_cast<const char*>(&digest), sizeof digest);
  append_text<false>(text, out);
}

}  // namespace spillway
