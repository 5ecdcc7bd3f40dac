#include <algorithm>
#include <cmath>
#include <map>

#include "tools/page/axes.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"

namespace spillway {

namespace {

constexpr double kHeight = 300;
constexpr double kLogFrom = 20;  // a larger factor between the ends of an axis makes it logarithmic

struct Range {
  double least = INFINITY, most = -INFINITY;
  void add(double value) {
    if (!std::isfinite(value)) return;
    least = std::min(least, value);
    most = std::max(most, value);
  }
};

Scale x_scale(const LinePlot& plot) {
  Range range;
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) range.add(point.x);
  }
  if (plot.x_axis == AxisKind::kLog2 && range.least > 0) return Scale::log2(range.least, range.most);
  if (plot.x_axis == AxisKind::kLog10 && range.least > 0) return Scale::log10(range.least, range.most, plot.x_unit);
  return Scale::linear(range.least, range.most, plot.x_unit);
}

Scale y_scale(const LinePlot& plot) {
  Range range;
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) {
      range.add(point.y.least);
      range.add(point.y.most);
    }
  }
  if (range.least > 0 && range.most > kLogFrom * range.least) return Scale::log10(range.least, range.most, plot.y_unit);
  return Scale::linear(range.least, range.most, plot.y_unit);
}

std::string x_text(const LinePlot& plot, double x) {
  const bool is_power = plot.x_axis == AxisKind::kLog2 && x > 0 && std::exp2(std::round(std::log2(x))) == x;
  return is_power ? power_of_two_text(static_cast<int>(std::lround(std::log2(x)))) : quantity_text(x, plot.x_unit);
}

std::string series_svg(const LinePlot& plot, std::size_t index, const Scale& x, const Scale& y) {
  const LineSeries& series = plot.series[index];
  const std::size_t style = series.style.value_or(index);
  const std::string run = "run " + series_class(style, series.origin);
  std::string svg = "<g class=\"path\" data-s=\"" + std::to_string(index) + "\">";
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    const LinePoint &from = series.points[i - 1], &to = series.points[i];
    svg += line_svg(run, x.place(from.x), y_place(y, kHeight, from.y.middle), x.place(to.x),
                    y_place(y, kHeight, to.y.middle));
  }
  svg += "</g>\n";
  for (const LinePoint& point : series.points) {
    const double at = x.place(point.x);
    svg += hover_begin(index, series.name + ", " + x_text(plot, point.x) + ": " + value_text(point.y, plot.y_unit) +
                                  (point.y.note.empty() ? "" : ", " + point.y.note));
    if (point.y.least != point.y.most) {
      svg += line_svg("error " + series_class(style, series.origin), at, y_place(y, kHeight, point.y.least), at,
                      y_place(y, kHeight, point.y.most));
    }
    svg += mark_svg(style, series.origin, at, y_place(y, kHeight, point.y.middle)) + kHoverEnd;
  }
  return svg;
}

// One row for each x, one column for each series.
Table table_of(const LinePlot& plot) {
  Table table{.title = plot.title, .head = {plot.x_name}};
  std::map<double, std::vector<std::string>> rows;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    table.head.push_back(plot.series[i].name);
    for (const LinePoint& point : plot.series[i].points) {
      auto& row = rows[point.x];
      row.resize(plot.series.size() + 1);
      row[i + 1] = value_text(point.y, plot.y_unit);
    }
  }
  for (auto& [x, row] : rows) {
    row[0] = x_text(plot, x);
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Figure draw(const LinePlot& plot) {
  const Scale x = x_scale(plot), y = y_scale(plot);
  Figure figure{.title = plot.title,
                .note = plot.note,
                .description = plot.y_name + " by " + plot.x_name + ".",
                .height = kHeight,
                .left = kYAxisPixels,
                .top = kNamePixels,
                .bottom = kXAxisPixels};
  figure.svg = y_axis_svg(y, kHeight, plot.y_name) + x_axis_svg(x, kHeight, plot.x_name, kYAxisPixels);
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    figure.svg += series_svg(plot, i, x, y);
    figure.legend.push_back({plot.series[i].name, plot.series[i].origin, plot.series[i].style.value_or(i)});
  }
  figure.table = table_of(plot);
  return figure;
}

}  // namespace spillway
