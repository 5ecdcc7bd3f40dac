#include <algorithm>
#include <cmath>

#include "tools/page/axes.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"

namespace spillway {

namespace {

constexpr double kLabelPixels = 19, kBarPixels = 14, kRowGap = 9, kGroupGap = 14, kMarksPixels = 16, kLeft = 4;

std::string label_svg(double y, const std::string& css, const std::string& text, const std::string& value = "") {
  std::string svg = "<text class=\"" + css + "\" x=\"0\" y=\"" + number_text(y) + "\">" + escaped(text);
  if (!value.empty()) svg += "<tspan class=\"value\" dx=\"9\">" + escaped(value) + "</tspan>";
  return svg + "</text>\n";
}

std::string css_of(const BarPlot& plot, std::size_t series) {
  return series_class(plot.series[series].style.value_or(series), plot.series[series].origin);
}

std::string hover_text(const BarPlot& plot, std::size_t category, std::size_t series, const Value& value) {
  std::string text = plot.categories[category];
  if (plot.series.size() > 1) text += ", " + plot.series[series].name;
  return text + ": " + value_text(value, plot.unit) + (value.note.empty() ? "" : ", " + value.note);
}

std::string rect_svg(const std::string& css, double x, double y, double width, double height) {
  return "<rect class=\"" + css + "\" x=\"" + percent_place(x) + "\" y=\"" + number_text(y) + "\" width=\"" +
         percent_place(width) + "\" height=\"" + number_text(height) + "\"/>";
}

// The sum of the series of a category, and the most that any bar reaches.
double most_of(const BarPlot& plot) {
  double most = 0;
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    double sum = 0;
    for (const BarSeries& series : plot.series) {
      if (!series.values[c]) continue;
      sum += series.values[c]->middle;
      if (plot.form != BarForm::kStacked) most = std::max(most, series.values[c]->most);
    }
    if (plot.form == BarForm::kStacked) most = std::max(most, sum);
  }
  return most;
}

class BarDrawing {
 public:
  explicit BarDrawing(const BarPlot& plot)
      : plot_(plot), scale_(Scale::linear(0, most_of(plot), plot.unit)), is_single_(plot.series.size() == 1) {}

  void draw_all() {
    for (std::size_t c = 0; c < plot_.categories.size(); ++c) {
      plot_.form == BarForm::kStacked ? draw_stack(c) : draw_bars(c);
    }
    svg_ = x_axis_svg(scale_, y_, plot_.value_name, kLeft) + svg_;
  }
  double height() const { return y_; }
  const std::string& svg() const { return svg_; }

 private:
  void draw_bars(std::size_t category) {
    if (!is_single_) head(plot_.categories[category]);
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const auto& value = plot_.series[s].values[category];
      if (value) draw_bar(category, s, *value);
    }
    if (!is_single_) y_ += kGroupGap;
  }

  void draw_bar(std::size_t category, std::size_t s, const Value& value) {
    const std::string& name = is_single_ ? plot_.categories[category] : plot_.series[s].name;
    svg_ += hover_begin(s, hover_text(plot_, category, s, value));
    svg_ += label_svg(y_ + 13, "row", name, quantity_text(value.middle, plot_.unit));
    y_ += kLabelPixels;
    svg_ += rect_svg("fill " + css_of(plot_, s), 0, y_, scale_.place(value.middle), kBarPixels);
    if (value.least != value.most) {
      const double y = y_ + kBarPixels / 2;
      svg_ += line_svg("range", scale_.place(value.least), y, scale_.place(value.most), y);
      for (const double end : {value.least, value.most}) {
        svg_ += line_svg("range", scale_.place(end), y - 4, scale_.place(end), y + 4);
      }
    }
    svg_ += kHoverEnd;
    y_ += kBarPixels + kRowGap;
  }

  void draw_stack(std::size_t category) {
    double sum = 0;
    for (const BarSeries& series : plot_.series) sum += series.values[category] ? series.values[category]->middle : 0;
    svg_ += label_svg(y_ + 13, "row", plot_.categories[category], quantity_text(sum, plot_.unit));
    y_ += kLabelPixels;
    double from = 0;
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const auto& value = plot_.series[s].values[category];
      if (!value || value->middle <= 0) continue;
      svg_ += hover_begin(s, hover_text(plot_, category, s, *value));
      const double begin = scale_.place(from), end = scale_.place(from + value->middle);
      svg_ += rect_svg("fill " + css_of(plot_, s), begin, y_, end - begin, kBarPixels + 4);
      svg_ += kHoverEnd;
      from += value->middle;
    }
    y_ += kBarPixels + 4 + kRowGap;
  }

  void head(const std::string& text) {
    svg_ += label_svg(y_ + 13, "group", text);
    y_ += kLabelPixels + 2;
  }

  const BarPlot& plot_;
  const Scale scale_;
  const bool is_single_;
  double y_ = 0;
  std::string svg_;
};

// Marks of all series on one line for each category, on a logarithmic axis.
class MarksDrawing {
 public:
  explicit MarksDrawing(const BarPlot& plot) : plot_(plot), scale_(scale_of(plot)) {}

  void draw_all() {
    for (std::size_t c = 0; c < plot_.categories.size(); ++c) draw_category(c);
    svg_ = x_axis_svg(scale_, y_, plot_.value_name, kLeft) + svg_;
  }
  double height() const { return y_; }
  const std::string& svg() const { return svg_; }

 private:
  static Scale scale_of(const BarPlot& plot) {
    double least = INFINITY, most = 0;
    for (const BarSeries& series : plot.series) {
      for (const auto& value : series.values) {
        if (!value || value->least <= 0) continue;
        least = std::min(least, value->least);
        most = std::max(most, value->most);
      }
    }
    return std::isfinite(least) ? Scale::log10(least, most, plot.unit) : Scale::linear(0, 1, plot.unit);
  }

  void draw_category(std::size_t category) {
    svg_ += label_svg(y_ + 13, "row", plot_.categories[category]);
    y_ += kLabelPixels;
    const double y = y_ + kMarksPixels / 2;
    svg_ += line_svg("track", 0, y, 1, y);
    for (std::size_t s = 0; s < plot_.series.size(); ++s) {
      const auto& value = plot_.series[s].values[category];
      if (!value || value->middle <= 0) continue;
      svg_ += hover_begin(s, hover_text(plot_, category, s, *value));
      svg_ += line_svg("error " + css_of(plot_, s), scale_.place(value->least), y, scale_.place(value->most), y);
      svg_ += mark_svg(plot_.series[s].style.value_or(s), plot_.series[s].origin, scale_.place(value->middle), y) +
              kHoverEnd;
    }
    y_ += kMarksPixels + 2;
  }

  const BarPlot& plot_;
  const Scale scale_;
  double y_ = 0;
  std::string svg_;
};

Table table_of(const BarPlot& plot) {
  Table table{.title = plot.title, .head = {plot.category_name}};
  for (const BarSeries& series : plot.series) table.head.push_back(series.name);
  for (std::size_t c = 0; c < plot.categories.size(); ++c) {
    std::vector<std::string> row{plot.categories[c]};
    for (const BarSeries& series : plot.series) {
      row.push_back(series.values[c] ? value_text(*series.values[c], plot.unit) : "");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

template <typename Drawing>
Figure drawn(const BarPlot& plot) {
  Drawing drawing(plot);
  drawing.draw_all();
  Figure figure{.title = plot.title,
                .note = plot.note,
                .description = plot.value_name + " by " + plot.category_name + ".",
                .height = drawing.height(),
                .left = kLeft,
                .bottom = kXAxisPixels,
                .svg = drawing.svg()};
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    figure.legend.push_back({plot.series[i].name, plot.series[i].origin, plot.series[i].style.value_or(i)});
  }
  figure.key = plot.form == BarForm::kMarks ? LegendKey::kMarks : LegendKey::kFills;
  figure.table = table_of(plot);
  return figure;
}

}  // namespace

Figure draw(const BarPlot& plot) {
  return plot.form == BarForm::kMarks ? drawn<MarksDrawing>(plot) : drawn<BarDrawing>(plot);
}

}  // namespace spillway
