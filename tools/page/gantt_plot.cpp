#include <algorithm>
#include <map>

#include "tools/page/axes.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"

namespace spillway {

namespace {

constexpr double kLanePixels = 22, kSpanPixels = 16;
constexpr double kLabelPixels = 7.2;  // of one letter of a lane's label

double label_room(const GanttPlot& plot) {
  std::size_t longest = 0;
  for (const std::string& lane : plot.lanes) longest = std::max(longest, lane.size());
  return 14 + kLabelPixels * static_cast<double>(longest);
}

std::string span_svg(const GanttPlot& plot, const GanttSpan& span, const Scale& scale) {
  const double begin = scale.place(span.begin), end = scale.place(span.end);
  std::string text = plot.lanes[span.lane] + ", " + plot.stages[span.stage] + ": " +
                     quantity_text(span.begin, seconds_unit()) + " to " + quantity_text(span.end, seconds_unit());
  if (span.busy < 0.995) text += ", " + quantity_text(100 * span.busy, {"%", Prefixes::kNone}) + " of it busy";
  const double y = kLanePixels * static_cast<double>(span.lane) + (kLanePixels - kSpanPixels) / 2;
  std::string svg = hover_begin(span.stage, text) + "<rect class=\"fill span " +
                    series_class(span.stage, Origin::kOurs) + "\" x=\"" + percent_place(begin) + "\" y=\"" +
                    number_text(y) + "\" width=\"" + percent_place(std::max(end - begin, 0.0005)) + "\" height=\"" +
                    number_text(kSpanPixels) + "\"";
  if (span.busy < 0.995) svg += " fill-opacity=\"" + number_text(0.25 + 0.75 * span.busy) + "\"";
  return svg + "/>" + kHoverEnd;
}

// Busy seconds by lane and stage; the spans themselves are too many for a table.
Table table_of(const GanttPlot& plot) {
  struct Sum {
    double begin = 0, end = 0, busy = 0;
    std::size_t spans = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Sum> sums;
  for (const GanttSpan& span : plot.spans) {
    Sum& sum = sums[{span.lane, span.stage}];
    sum.begin = sum.spans == 0 ? span.begin : std::min(sum.begin, span.begin);
    sum.end = std::max(sum.end, span.end);
    sum.busy += span.busy * (span.end - span.begin);
    ++sum.spans;
  }
  Table table{.title = plot.title, .head = {"lane", "stage", "first begin", "last end", "busy", "share of the job"}};
  table.text_columns = 2;
  for (const auto& [of, sum] : sums) {
    table.rows.push_back({plot.lanes[of.first], plot.stages[of.second], quantity_text(sum.begin, seconds_unit()),
                          quantity_text(sum.end, seconds_unit()), quantity_text(sum.busy, seconds_unit()),
                          quantity_text(100 * sum.busy / std::max(plot.seconds, 1e-9), {"%", Prefixes::kNone})});
  }
  return table;
}

}  // namespace

Figure draw(const GanttPlot& plot) {
  const Scale scale = Scale::exact(0, plot.seconds, seconds_unit());
  const double height = kLanePixels * static_cast<double>(plot.lanes.size());
  Figure figure{.title = plot.title,
                .note = plot.note,
                .description = "When each lane worked at which stage, over the time of the job.",
                .height = height,
                .left = label_room(plot),
                .bottom = kXAxisPixels,
                .svg = x_axis_svg(scale, height, "time since the start of the job", label_room(plot))};
  for (std::size_t i = 0; i < plot.lanes.size(); ++i) {
    figure.svg += "<text class=\"tick end\" x=\"-8\" y=\"" +
                  number_text(kLanePixels * static_cast<double>(i) + kLanePixels / 2 + 4) + "\">" +
                  escaped(plot.lanes[i]) + "</text>\n";
  }
  for (const GanttSpan& span : plot.spans) figure.svg += span_svg(plot, span, scale);
  for (std::size_t i = 0; i < plot.stages.size(); ++i) figure.legend.push_back({plot.stages[i], Origin::kOurs, i});
  figure.key = LegendKey::kFills;
  figure.table = table_of(plot);
  return figure;
}

}  // namespace spillway
