// Maps values to places along an axis of a plot, and chooses the ticks of the axis.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/page/unit.hpp"

namespace spillway {

// kLog2 has powers of two as ticks.
enum class ScaleKind : std::uint8_t { kLinear, kLog10, kLog2 };

struct Tick {
  double value = 0;
  std::string text;
};

class Scale {
 public:
  // Covers [least, most]. A linear scale begins at 0 if `least` is not negative; both ends become ticks. A logarithmic
  // one shows values above 0 only: Requires: least > 0.
  static Scale linear(double least, double most, const Unit& unit, int most_ticks = 6);
  // Covers exactly [least, most], with ticks inside.
  static Scale exact(double least, double most, const Unit& unit, int most_ticks = 6);
  static Scale log10(double least, double most, const Unit& unit);
  static Scale log2(double least, double most, int most_ticks = 8);

  // The place of a value from 0 (least) to 1 (most). Values beyond the ends are put on them.
  double place(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  Scale(ScaleKind kind, double least, double most) : kind_(kind), least_(least), most_(most) {}
  ScaleKind kind_;
  double least_, most_;
  std::vector<Tick> ticks_;
};

// The step of a linear axis: 1, 2 or 5 times a power of ten, for binary units a power of two; the least that makes at
// most `most_ticks` steps of `range`; of whole numbers at least 1. Requires: range > 0.
double tick_step(double range, int most_ticks, Prefixes prefixes);

}  // namespace spillway
