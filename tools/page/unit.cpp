#include "tools/page/unit.hpp"

#include <array>
#include <cmath>

#include "tools/report/figures.hpp"

namespace spillway {

namespace {

constexpr std::array<const char*, 9> kDecimalPrefixes{"p", "n", "µ", "m", "", "k", "M", "G", "T"};
constexpr std::array<const char*, 5> kBinaryPrefixes{"", "Ki", "Mi", "Gi", "Ti"};

// Three significant digits.
std::string digits_text(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  const int places = size < 0.00995 ? 4 : size < 0.9995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
  return decimal_text(value, places);
}

std::string plain_text(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e15) return digits_text(value);
  const std::string digits = count_text(static_cast<std::uint64_t>(std::abs(value)));
  return value < 0 ? "-" + digits : digits;
}

// A value is divided by `factor` and shown with `prefix`.
struct Scaling {
  double factor = 1;
  std::string prefix;
};

Scaling decimal_scaling(double value, bool is_time) {
  constexpr int kOne = 4;  // the place of no prefix
  const int last = is_time ? kOne : static_cast<int>(kDecimalPrefixes.size()) - 1;
  const int first = is_time ? 0 : kOne;
  int place = kOne;
  double factor = 1;
  while (place < last && std::abs(value) / factor >= 999.5) {
    factor *= 1000;
    ++place;
  }
  while (place > first && value != 0 && std::abs(value) / factor < 0.9995) {
    factor /= 1000;
    --place;
  }
  return {factor, kDecimalPrefixes[static_cast<std::size_t>(place)]};
}

Scaling binary_scaling(double value) {
  std::size_t place = 0;
  double factor = 1;
  while (place + 1 < kBinaryPrefixes.size() && std::abs(value) / factor >= 1023.5) {
    factor *= 1024;
    ++place;
  }
  return {factor, kBinaryPrefixes[place]};
}

Scaling scaling_of(double value, const Unit& unit) {
  if (unit.prefixes == Prefixes::kDecimal) return decimal_scaling(value, unit.symbol == "s");
  return unit.prefixes == Prefixes::kBinary ? binary_scaling(value) : Scaling();
}

bool joins_prefix(const Unit& unit) { return unit.symbol.size() <= 1 || unit.symbol == "B/s"; }

// " G keys/s", " ms": what follows the digits.
std::string ending(const std::string& prefix, const Unit& unit) {
  const std::string text = prefix.empty() || joins_prefix(unit) ? prefix + unit.symbol : prefix + " " + unit.symbol;
  return text.empty() ? "" : " " + text;
}

std::string digits_of(double value, const Scaling& scaling, const Unit& unit) {
  if (!std::isfinite(value)) return "-";
  if (unit.prefixes == Prefixes::kNone || unit.prefixes == Prefixes::kWhole) return plain_text(value);
  // Bytes without a prefix are whole.
  const bool is_whole = scaling.factor == 1 && unit.symbol == "B" && value == std::floor(value);
  return is_whole ? plain_text(value) : digits_text(value / scaling.factor);
}

std::string without_zeros(std::string digits) {
  if (digits.find('.') == std::string::npos) return digits;
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

}  // namespace

std::string quantity_text(double value, const Unit& unit) {
  const Scaling scaling = scaling_of(value, unit);
  return digits_of(value, scaling, unit) + ending(scaling.prefix, unit);
}

std::string tick_text(double value, const Unit& unit) {
  const Scaling scaling = scaling_of(value, unit);
  const Unit shown{joins_prefix(unit) ? unit.symbol : "", unit.prefixes};
  return without_zeros(digits_of(value, scaling, unit)) + ending(scaling.prefix, shown);
}

std::string range_text(double value, double least, double most, const Unit& unit) {
  const Scaling scaling = scaling_of(value, unit);
  return digits_of(value, scaling, unit) + " (" + digits_of(least, scaling, unit) + " to " +
         digits_of(most, scaling, unit) + ")" + ending(scaling.prefix, unit);
}

std::string power_of_two_text(int exponent) {
  constexpr std::array<const char*, 10> kDigits{"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "2";
  for (const char digit : std::to_string(exponent)) {
    text += digit == '-' ? "⁻" : kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

}  // namespace spillway
