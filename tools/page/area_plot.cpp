#include <algorithm>
#include <numeric>

#include "tools/page/axes.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"

namespace spillway {

namespace {

constexpr double kHeight = 260;
constexpr std::size_t kTableRows = 24;
constexpr double kOverlap = 0.0006;  // of the width, so that no line of the background shows between two rectangles

double sum_at(const AreaPlot& plot, std::size_t sample) {
  return std::accumulate(plot.values.begin(), plot.values.end(), 0.0,
                         [&](double sum, const std::vector<double>& values) { return sum + values[sample]; });
}

double most_of(const AreaPlot& plot) {
  double most = 0;
  for (std::size_t i = 0; i < plot.begins.size(); ++i) most = std::max(most, sum_at(plot, i));
  for (const double value : plot.line) most = std::max(most, value);
  return most;
}

class AreaDrawing {
 public:
  explicit AreaDrawing(const AreaPlot& plot)
      : plot_(plot),
        shows_limit_(plot.limit && *plot.limit <= 4 * most_of(plot)),
        x_(Scale::exact(0, plot.seconds, seconds_unit())),
        y_(Scale::linear(0, std::max(most_of(plot), shows_limit_ ? *plot.limit : 0), plot.unit, 5)),
        below_(plot.begins.size(), 0) {}

  std::string svg() {
    std::string svg = y_axis_svg(y_, kHeight, plot_.value_name) +
                      x_axis_svg(x_, kHeight, "time since the start of the job", kYAxisPixels);
    for (std::size_t i = 0; i < plot_.names.size(); ++i) svg += band(i);
    svg += line() + samples();
    if (!shows_limit_) return svg;
    const double y = y_place(y_, kHeight, *plot_.limit);
    return svg + line_svg("limit", 0, y, 1, y) + "<text class=\"tick end\" x=\"100%\" y=\"" + number_text(y - 5) +
           "\">" + escaped(plot_.limit_name + " " + quantity_text(*plot_.limit, plot_.unit)) + "</text>\n";
  }

 private:
  double begin_of(std::size_t sample) const { return x_.place(plot_.begins[sample]); }
  double end_of(std::size_t sample) const {
    return sample + 1 < plot_.begins.size() ? begin_of(sample + 1) : x_.place(plot_.seconds);
  }

  // Returns the width of a rectangle from the sample `first` to the end of `last`.
  double width_of(std::size_t first, std::size_t last, std::size_t part) const {
    const bool has_neighbour = last + 1 < plot_.begins.size() && plot_.values[part][last + 1] > 0;
    return end_of(last) - begin_of(first) + (has_neighbour ? kOverlap : 0);
  }

  // Steps of one part, on those below it, as rectangles: they keep their pattern at any width.
  std::string band(std::size_t part) {
    std::string svg = "<g class=\"path\" data-s=\"" + std::to_string(part) + "\">";
    for (std::size_t i = 0; i < plot_.begins.size(); ++i) {
      const double value = plot_.values[part][i];
      if (value <= 0) continue;
      const double top = y_place(y_, kHeight, below_[i] + value), bottom = y_place(y_, kHeight, below_[i]);
      std::size_t last = i;  // equal neighbours are one rectangle
      while (last + 1 < plot_.begins.size() && plot_.values[part][last + 1] == value && below_[last + 1] == below_[i]) {
        below_[++last] += value;
      }
      below_[i] += value;
      svg += "<rect class=\"fill span " + series_class(part, Origin::kOurs) + "\" x=\"" + percent_place(begin_of(i)) +
             "\" y=\"" + number_text(top) + "\" width=\"" + percent_place(width_of(i, last, part)) + "\" height=\"" +
             number_text(bottom - top) + "\"/>";
      i = last;
    }
    return svg + "</g>\n";
  }

  std::string line() const {
    std::string svg;
    for (std::size_t i = 0; i < plot_.line.size(); ++i) {
      const double y = y_place(y_, kHeight, plot_.line[i]);
      svg += line_svg("beside", begin_of(i), y, end_of(i), y);
      if (i != 0) svg += line_svg("beside", begin_of(i), y_place(y_, kHeight, plot_.line[i - 1]), begin_of(i), y);
    }
    return svg;
  }

  // Invisible columns that show a sample on hover.
  std::string samples() const {
    std::string svg;
    const std::size_t stride = std::max<std::size_t>(1, plot_.begins.size() / 100);
    for (std::size_t i = 0; i < plot_.begins.size(); i += stride) {
      std::string text =
          "at " + quantity_text(plot_.begins[i], seconds_unit()) + ": " + quantity_text(sum_at(plot_, i), plot_.unit);
      for (std::size_t part = 0; part < plot_.names.size(); ++part) {
        if (plot_.values[part][i] > 0) {
          text += "; " + plot_.names[part] + " " + quantity_text(plot_.values[part][i], plot_.unit);
        }
      }
      if (!plot_.line.empty()) text += "; " + plot_.line_name + " " + quantity_text(plot_.line[i], plot_.unit);
      const double end = end_of(std::min(i + stride, plot_.begins.size()) - 1);
      svg += "<g class=\"pt\"><title>" + escaped(text) + "</title><rect class=\"sample\" x=\"" +
             percent_place(begin_of(i)) + "\" y=\"0\" width=\"" + percent_place(end - begin_of(i)) + "\" height=\"" +
             number_text(kHeight) + "\"/></g>\n";
    }
    return svg;
  }

  const AreaPlot& plot_;
  const bool shows_limit_;
  const Scale x_, y_;
  std::vector<double> below_;
};

Table table_of(const AreaPlot& plot) {
  Table table{.title = plot.title, .head = {"time"}};
  for (const std::string& name : plot.names) table.head.push_back(name);
  if (plot.names.size() > 1) table.head.push_back("sum");
  if (!plot.line.empty()) table.head.push_back(plot.line_name);
  const std::size_t stride = std::max<std::size_t>(1, (plot.begins.size() + kTableRows - 1) / kTableRows);
  for (std::size_t i = 0; i < plot.begins.size(); i += stride) {
    std::vector<std::string> row{quantity_text(plot.begins[i], seconds_unit())};
    for (const auto& values : plot.values) row.push_back(quantity_text(values[i], plot.unit));
    if (plot.names.size() > 1) row.push_back(quantity_text(sum_at(plot, i), plot.unit));
    if (!plot.line.empty()) row.push_back(quantity_text(plot.line[i], plot.unit));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

Figure draw(const AreaPlot& plot) {
  AreaDrawing drawing(plot);
  Figure figure{.title = plot.title,
                .note = plot.note,
                .description = plot.value_name + " over the time of the job.",
                .height = kHeight,
                .left = kYAxisPixels,
                .top = kNamePixels,
                .bottom = kXAxisPixels,
                .svg = drawing.svg()};
  for (std::size_t i = 0; i < plot.names.size(); ++i) figure.legend.push_back({plot.names[i], Origin::kOurs, i});
  figure.key = LegendKey::kFills;
  figure.table = table_of(plot);
  return figure;
}

}  // namespace spillway
