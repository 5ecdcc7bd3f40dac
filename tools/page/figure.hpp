// Parts that all plots share: the frame of a figure with its legend and table, styles of series, marks, and hover
// values. Horizontal places are shares of the width and vertical ones pixels, so that a plot fits any width without a
// script and its text keeps its size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/page/model.hpp"

namespace spillway {

struct LegendEntry {
  std::string name = {};
  Origin origin = Origin::kOurs;
  std::size_t style = 0;
};

enum class LegendKey : std::uint8_t { kMarks, kFills };

struct Figure {
  std::string title = {}, note = {};
  std::string description = {};  // for screen readers: one sentence that says what is drawn
  double height = 0;             // of the plot area in pixels, without the room for tick labels
  double left = 0;               // room for labels at the left, in pixels
  double top = 10;               // room above the area
  double bottom = 0;             // room for labels at the bottom
  std::string svg = {};          // what is drawn in the area
  std::vector<LegendEntry> legend = {};
  LegendKey key = LegendKey::kMarks;
  Table table = {};  // the same values
};

// The whole figure as HTML. `number`: of the figure in the page, from 1; names its ids.
std::string figure_html(const Figure& figure, std::size_t number);

std::string table_html(const Table& table, const std::string& id);

// Classes that give an element the colour, dash, or fill of a style.
std::string series_class(std::size_t style, Origin origin);
// The mark of a style at a place: `x` is a share, `y` pixels.
std::string mark_svg(std::size_t style, Origin origin, double x, double y);
std::string line_svg(std::string_view css, double x1, double y1, double x2, double y2);

// Opens and closes a group that shows `text` on hover, and by the arrow keys.
std::string hover_begin(std::size_t series, const std::string& text);
inline constexpr const char* kHoverEnd = "</g>\n";

// "42.0 ms", or with a spread "42.0 (41.2 to 45.0) ms".
std::string value_text(const Value& value, const Unit& unit);

// The shared definitions of marks and fills, once in a page.
std::string definitions_svg();

inline constexpr std::size_t kStyles = 16;  // of series; they repeat after that

}  // namespace spillway
