// Grid lines and tick labels of plots.
#pragma once

#include <string>

#include "tools/page/scale.hpp"

namespace spillway {

// Labels under an area of `height` pixels with `left` pixels of room at its left, and lines across it. Labels without
// room are left out, on a narrow page more.
std::string x_axis_svg(const Scale& scale, double height, const std::string& name, double left);
// Labels at the left of the area, lines across it, and the name above it.
std::string y_axis_svg(const Scale& scale, double height, const std::string& name);
// The place of a value above the bottom of an area, in pixels from its top.
double y_place(const Scale& scale, double height, double value);

inline constexpr double kYAxisPixels = 62;  // room for the labels of a y axis
inline constexpr double kNamePixels = 26;   // room for its name above the area
inline constexpr double kXAxisPixels = 44;  // room for the labels and the name of an x axis

}  // namespace spillway
