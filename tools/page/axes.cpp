#include "tools/page/axes.hpp"

#include <algorithm>

#include "tools/page/figure.hpp"
#include "tools/page/markup.hpp"

namespace spillway {

namespace {

constexpr double kLetterPixels = 6.8;                     // of a label, on average
constexpr double kNarrowPixels = 304, kWidePixels = 570;  // least widths of a plot on narrow and on wide pages

double letters(const std::string& text) {
  return static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

// Left, middle or right of a label at a place. Labels at the ends stay above the area, which may reach to the edges of
// a narrow page.
const char* anchor_of(double place) { return place < 0.03 ? "" : place > 0.97 ? " end" : " mid"; }

// Whether each label has room at this width: from the left, those that do not touch the one before them.
std::vector<bool> fitting(const Scale& scale, double pixels) {
  std::vector<bool> fits;
  double taken = -1e9;
  for (const Tick& tick : scale.ticks()) {
    const double place = scale.place(tick.value), width = kLetterPixels * letters(tick.text);
    const double before = place < 0.03 ? 0 : place > 0.97 ? 1 : 0.5;
    const double begin = place * pixels - before * width;
    fits.push_back(begin > taken + 8);
    if (fits.back()) taken = begin + width;
  }
  return fits;
}

}  // namespace

std::string x_axis_svg(const Scale& scale, double height, const std::string& name, double left) {
  const std::vector<bool> is_narrow = fitting(scale, kNarrowPixels - left),
                          is_wide = fitting(scale, kWidePixels - left);
  std::string svg;
  for (std::size_t i = 0; i < scale.ticks().size(); ++i) {
    const Tick& tick = scale.ticks()[i];
    const double x = scale.place(tick.value);
    svg += line_svg("grid", x, 0, x, height);
    if (!is_wide[i]) continue;
    svg += "<text class=\"tick" + std::string(anchor_of(x)) + (is_narrow[i] ? "" : " odd") + "\" x=\"" +
           percent_place(x) + "\" y=\"" + number_text(height + 16) + "\">" + escaped(tick.text) + "</text>\n";
  }
  if (name.empty()) return svg;
  return svg + "<text class=\"name mid\" x=\"50%\" y=\"" + number_text(height + 35) + "\">" + escaped(name) +
         "</text>\n";
}

std::string y_axis_svg(const Scale& scale, double height, const std::string& name) {
  std::string svg = "<text class=\"name\" x=\"0\" y=\"-9\">" + escaped(name) + "</text>\n";
  for (const Tick& tick : scale.ticks()) {
    const double y = y_place(scale, height, tick.value);
    svg += line_svg("grid", 0, y, 1, y);
    svg += "<text class=\"tick end\" x=\"-7\" y=\"" + number_text(y + 4) + "\">" + escaped(tick.text) + "</text>\n";
  }
  return svg;
}

double y_place(const Scale& scale, double height, double value) { return height * (1 - scale.place(value)); }

}  // namespace spillway
