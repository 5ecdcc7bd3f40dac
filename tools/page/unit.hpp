// Units of measured values, and values as text for people.
#pragma once

#include <cstdint>
#include <string>

namespace spillway {

// kDecimal: p, n, µ, m, k, M, G, T of 1000. kBinary: Ki, Mi, Gi, Ti of 1024. kNone: digits in groups of three. kWhole:
// the same of whole numbers, between which an axis has no ticks.
enum class Prefixes : std::uint8_t { kDecimal, kBinary, kNone, kWhole };

struct Unit {
  std::string symbol;  // "s", "B", "keys/s"; empty for a plain number
  Prefixes prefixes = Prefixes::kNone;
};

inline Unit seconds_unit() { return {"s", Prefixes::kDecimal}; }
inline Unit bytes_unit() { return {"B", Prefixes::kDecimal}; }
inline Unit memory_unit() { return {"B", Prefixes::kBinary}; }
inline Unit byte_rate_unit() { return {"B/s", Prefixes::kDecimal}; }
inline Unit rate_unit(const std::string& what) { return {what + "/s", Prefixes::kDecimal}; }
inline Unit plain_unit() { return {}; }
inline Unit count_unit() { return {"", Prefixes::kWhole}; }

// Three significant digits with a prefix and the unit: "1.19 ms", "14.2 G keys/s", "610 MB". Whole numbers without
// prefixes keep all digits. A prefix joins a unit of one letter, and units of bytes.
std::string quantity_text(double value, const Unit& unit);
// The same for the ticks of an axis that names what it shows: without zeros at the end after the point, and without a
// unit that is a word: "10 ms", "20 M".
std::string tick_text(double value, const Unit& unit);
// A value and its range in one unit: "14.2 (13.9 to 14.3) G keys/s".
std::string range_text(double value, double least, double most, const Unit& unit);

// 2 to the power `exponent` with a superscript: "2²⁰".
std::string power_of_two_text(int exponent);

}  // namespace spillway
