#include "sort/lines/keys/number_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "sort/lines/keys/order.hpp"

namespace spillway {

namespace {

constexpr std::uint8_t kZero = 0x80;                              // positive numbers stand above, negative ones below
constexpr std::size_t kShortInteger = 100;                        // digits before the point that the first byte counts
constexpr std::uint8_t kLongInteger = kZero + 1 + kShortInteger;  // their number follows, in 8 bytes
constexpr std::string_view kUnits = "KMGTPEZY";
constexpr std::uint8_t kNoUnit = 16;

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

std::string_view without_blanks(std::string_view text) {
  std::size_t blanks = 0;
  while (blanks < text.size() && is_blank(text[blanks])) ++blanks;
  return text.substr(blanks);
}

std::string_view take_digits(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

struct Decimal {
  bool is_negative = false;
  std::string_view integer;     // without zeros before it
  std::string_view fraction;    // without zeros after it
  std::string_view rest;        // of the text
  bool has_separators = false;  // after the first digits; what follows is not read
  bool is_zero() const { return integer.empty() && fraction.empty(); }
};

// GNU sort takes this byte for the separator of thousands, which the C locale does not have. Its comparison of integers
// passes over it; where it looks for the unit, it does not.
constexpr char kSeparator = '\x80';

std::string without_separators(std::string_view text) {
  std::size_t i = text.starts_with('-') ? 1 : 0;
  std::string result(i == 0 ? "0" : "-0");  // a minus sign after separators is none
  for (; i < text.size() && (is_digit(text[i]) || text[i] == kSeparator); ++i) {
    if (text[i] != kSeparator) result += text[i];
  }
  result += text.substr(i);
  return result;
}

Decimal parse_decimal(std::string_view text) {
  Decimal number;
  number.is_negative = text.starts_with('-');
  if (number.is_negative) text.remove_prefix(1);
  number.integer = take_digits(text);
  number.has_separators = text.starts_with(kSeparator);
  number.integer.remove_prefix(std::min(number.integer.find_first_not_of('0'), number.integer.size()));
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.fraction = take_digits(text);
    number.fraction = number.fraction.substr(0, number.fraction.find_last_not_of('0') + 1);
  }
  number.rest = text;
  return number;
}

// Writes two digits a byte, as 1 to 10 in four bits, and ends with four zero bits, which no digit begins with.
class DigitWriter {
 public:
  DigitWriter(std::string& key, std::uint8_t mask) : key_(key), mask_(mask) {}
  void add(std::string_view digits) {
    for (const char digit : digits) put(static_cast<unsigned>(digit - '0') + 1);
  }
  void finish() {
    put(0);
    if (half_ != 0) put(0);
  }

 private:
  void put(unsigned nibble) {
    if (half_ != 0) {
      key_ += static_cast<char>(((half_ & 0xF0U) | nibble) ^ mask_);
      half_ = 0;
    } else {
      half_ = nibble << 4 | 0x100U;
    }
  }
  std::string& key_;
  std::uint8_t mask_;
  unsigned half_ = 0;
};

void append_decimal(const Decimal& number, std::string& key) {
  if (number.is_zero()) {
    key += static_cast<char>(kZero);
    return;
  }
  const std::size_t begin = key.size();
  const std::uint8_t mask = number.is_negative ? 0xFF : 0;
  const std::size_t digits = number.integer.size();
  if (digits < kShortInteger) {
    key += static_cast<char>(kZero + 1 + digits);
  } else {
    key += static_cast<char>(kLongInteger);
    for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(std::uint64_t{digits} >> shift & 0xFF);
  }
  // -x < -y if x > y; 0x80 is above all of them, because kZero + 1 and more become 0x7E and less.
  for (std::size_t i = begin; mask != 0 && i < key.size(); ++i) key[i] = static_cast<char>(~key[i]);
  // 100 and 1 differ in the number of digits, so zeros at the end of an integer tell nothing.
  std::string_view integer = number.integer;
  if (number.fraction.empty()) integer = integer.substr(0, integer.find_last_not_of('0') + 1);
  DigitWriter writer(key, mask);
  writer.add(integer);
  writer.add(number.fraction);
  writer.finish();
}

void append_number(std::string_view text, const Decimal& number, std::string& key) {
  if (!number.has_separators) return append_decimal(number, key);
  const std::string digits = without_separators(text);
  append_decimal(parse_decimal(digits), key);
}

// 0: no unit.
std::uint8_t unit_order(std::string_view rest) {
  if (rest.empty()) return 0;
  if (rest.front() == 'k') return 1;
  const std::size_t at = kUnits.find(rest.front());
  return at == std::string_view::npos ? 0 : static_cast<std::uint8_t>(at + 1);
}

struct GeneralNumber {
  long double value = 0;
  std::size_t bytes = 0;  // 0: no number
};

// strtold() needs an end. A number rarely has more than a few bytes.
GeneralNumber parse_general(std::string_view text) {
  std::array<char, 128> few;
  std::string many;
  const char* from = few.data();
  if (text.size() < few.size()) {
    std::copy(text.begin(), text.end(), few.begin());
    few[text.size()] = '\0';
  } else {
    many = text;
    from = many.c_str();
  }
  char* end = nullptr;
  GeneralNumber number;
  number.value = std::strtold(from, &end);
  number.bytes = static_cast<std::size_t>(end - from);
  return number;
}

enum GeneralClass : char { kNoNumber, kNan, kNumberClass };

constexpr std::array<std::string_view, 12> kMonths{"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                                   "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};

char upper(char byte) { return byte >= 'a' && byte <= 'z' ? static_cast<char>(byte - 'a' + 'A') : byte; }

// 0: none.
std::size_t month_of(std::string_view text) {
  if (text.size() < 3) return 0;
  const std::array<char, 3> name{upper(text[0]), upper(text[1]), upper(text[2])};
  const auto found = std::find(kMonths.begin(), kMonths.end(), std::string_view(name.data(), name.size()));
  return found == kMonths.end() ? 0 : static_cast<std::size_t>(found - kMonths.begin()) + 1;
}

}  // namespace

void append_number_key(std::string_view text, std::string& key) {
  append_number(without_blanks(text), parse_decimal(without_blanks(text)), key);
}

void append_human_number_key(std::string_view text, std::string& key) {
  text = without_blanks(text);
  const Decimal number = parse_decimal(text);
  const int unit = number.is_zero() ? 0 : unit_order(number.rest);
  key += static_cast<char>(number.is_negative ? kNoUnit - unit : kNoUnit + unit);
  append_number(text, number, key);
}

void append_general_number_key(std::string_view text, std::string& key) {
  const GeneralNumber number = parse_general(text);
  if (number.bytes == 0) {
    key += kNoNumber;
    return;
  }
  constexpr std::size_t kUsed = 10;  // x87: 64 bits of mantissa, 15 of exponent, the sign
  static_assert(std::numeric_limits<long double>::digits == 64, "the layout of an x87 number is expected");
  const long double value = number.value == 0 ? 0 : number.value;  // -0 is 0
  std::array<unsigned char, sizeof value> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  if (std::isnan(value)) {  // ordered as GNU sort does, by the bytes in memory
    key += kNan;
    key.append(reinterpret_cast<const char*>(bytes.data()), kUsed);
    return;
  }
  key += kNumberClass;
  const unsigned char mask = std::signbit(value) ? 0xFF : 0;
  if (mask == 0) bytes[kUsed - 1] ^= 0x80;
  for (std::size_t i = kUsed; i-- != 0;) key += static_cast<char>(bytes[i] ^ mask);
}

void append_month_key(std::string_view text, std::string& key) {
  key += static_cast<char>(month_of(without_blanks(text)));
}

std::size_t number_bytes(std::string_view text) {
  const std::string_view number = without_blanks(text);
  const Decimal decimal = parse_decimal(number);
  const std::size_t read = number.size() - decimal.rest.size();
  const std::string_view digits = number.substr(0, read);
  if (digits.find_first_of("0123456789") == std::string_view::npos) return text.size() - number.size();
  return text.size() - number.size() + read;
}

std::size_t human_number_bytes(std::string_view text) {
  const std::size_t bytes = number_bytes(text);
  const std::string_view number = without_blanks(text);
  if (bytes == text.size() - number.size()) return bytes;
  return bytes + (unit_order(text.substr(bytes)) != 0 ? 1 : 0);
}

std::size_t general_number_bytes(std::string_view text) { return parse_general(text).bytes; }

std::size_t month_bytes(std::string_view text) {
  const std::string_view name = without_blanks(text);
  return text.size() - name.size() + (month_of(name) == 0 ? 0 : 3);
}

}  // namespace spillway
