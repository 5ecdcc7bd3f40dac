#include "tools/page/scale.hpp"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

constexpr double kSlack = 1e-9;  // of rounding, in steps
// A report may hold any number. The arithmetic of ticks is exact enough, and ends, within these.
constexpr double kLargest = 1e30, kSmallest = 1e-30;

// Numbers that are not finite, are huge, or make no range get a range that can be drawn.
void make_range(double& least, double& most) {
  least = std::isfinite(least) ? std::clamp(least, -kLargest, kLargest) : 0;
  if (!std::isfinite(most) || most < least) most = least;
  most = std::min(most, kLargest);
  const double size = std::abs(least);
  if (most - least <= std::max(kSmallest, size * kSlack)) most = size <= kSmallest ? 1 : least + size;
}

// The same for a logarithmic scale.
void make_positive_range(double& least, double& most) {
  if (!std::isfinite(least) || least < kSmallest) least = kSmallest;
  make_range(least, most);
}

std::vector<Tick> ticks_between(double first, double last, double step, const Unit& unit) {
  std::vector<Tick> ticks;
  const auto count = static_cast<int>(std::floor((last - first) / step + kSlack));
  for (int i = 0; i <= count; ++i) {
    const double value = first + i * step;
    ticks.push_back({value, tick_text(std::abs(value) < step * kSlack ? 0 : value, unit)});
  }
  return ticks;
}

// The nearest of 1, 2 and 5 times a power of ten that is not above `value`, and not below it.
double step_below(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + kSlack));
  for (const double factor : {5.0, 2.0}) {
    if (factor * power <= value * (1 + kSlack)) return factor * power;
  }
  return power;
}

double step_above(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value) + kSlack));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= value * (1 - kSlack)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

double tick_step(double range, int most_ticks, Prefixes prefixes) {
  const double raw = range / most_ticks;
  if (prefixes == Prefixes::kBinary) return std::exp2(std::ceil(std::log2(raw) - kSlack));
  if (prefixes == Prefixes::kWhole && raw <= 1) return 1;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power * (1 + kSlack)) return factor * power;
  }
  return 10 * power;
}

Scale Scale::linear(double least, double most, const Unit& unit, int most_ticks) {
  if (least >= 0) least = 0;
  make_range(least, most);
  const double step = tick_step(most - least, most_ticks, unit.prefixes);
  const double first = std::floor(least / step + kSlack) * step, last = std::ceil(most / step - kSlack) * step;
  Scale scale(ScaleKind::kLinear, first, last);
  scale.ticks_ = ticks_between(first, last, step, unit);
  return scale;
}

Scale Scale::exact(double least, double most, const Unit& unit, int most_ticks) {
  make_range(least, most);
  const double step = tick_step(most - least, most_ticks, unit.prefixes);
  Scale scale(ScaleKind::kLinear, least, most);
  scale.ticks_ = ticks_between(std::ceil(least / step * (1 - kSlack)) * step, most, step, unit);
  return scale;
}

Scale Scale::log10(double least, double most, const Unit& unit) {
  make_positive_range(least, most);
  const double first = step_below(least), last = step_above(most);
  Scale scale(ScaleKind::kLog10, first, last);
  const int decades = static_cast<int>(std::ceil(std::log10(last / first)));
  const int stride = std::max(1, (decades + 6) / 7);
  int power = static_cast<int>(std::floor(std::log10(first) + kSlack));
  for (; std::pow(10.0, power) <= last * (1 + kSlack); power += stride) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if (factor != 1 && decades > 3) break;
      const double value = factor * std::pow(10.0, power);
      if (value < first * (1 - kSlack) || value > last * (1 + kSlack)) continue;
      scale.ticks_.push_back({value, tick_text(value, unit)});
    }
  }
  return scale;
}

Scale Scale::log2(double least, double most, int most_ticks) {
  make_positive_range(least, most);
  const int first = static_cast<int>(std::floor(std::log2(least) + kSlack));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log2(most) - kSlack)));
  Scale scale(ScaleKind::kLog2, std::exp2(first), std::exp2(last));
  const int stride = std::max(1, (last - first + most_ticks - 1) / most_ticks);
  for (int power = first; power <= last; power += stride) {
    scale.ticks_.push_back({std::exp2(power), power_of_two_text(power)});
  }
  return scale;
}

double Scale::place(double value) const {
  const auto along = [this](double x) { return kind_ == ScaleKind::kLinear ? x : std::log(std::max(x, 1e-300)); };
  const double place = (along(value) - along(least_)) / (along(most_) - along(least_));
  return std::isfinite(place) ? std::clamp(place, 0.0, 1.0) : 0;
}

}  // namespace spillway
