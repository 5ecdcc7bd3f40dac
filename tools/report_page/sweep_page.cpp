// Pages of `bench modes --sweep`: rates over the size of the input for each text and number of threads, and the border
// from which the GPU pays.
#include <algorithm>
#include <cmath>

#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

std::string threads_text(const JsonView& of) {
  const double threads = of.at("threads").number();
  return quantity_text(threads, plain_unit()) + (threads == 1 ? " thread" : " threads");
}

// The plot with this title, made at its first use.
LinePlot& plot_named(const std::string& title, std::vector<LinePlot>& plots) {
  const auto found = std::find_if(plots.begin(), plots.end(), [&](const auto& plot) { return plot.title == title; });
  if (found != plots.end()) return *found;
  plots.push_back({.title = title,
                   .note =
                       "Input over the wall time of the whole job, up to the synced index, in a process whose GPU has "
                       "started.",
                   .x_name = "input",
                   .y_name = "bytes per second",
                   .x_unit = bytes_unit(),
                   .y_unit = byte_rate_unit(),
                   .x_axis = AxisKind::kLog10});
  return plots.back();
}

void add_point(LinePlot& plot, const std::string& name, double x, const Value& y) {
  auto series = std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& one) { return one.name == name; });
  if (series == plot.series.end()) series = plot.series.insert(plot.series.end(), {.name = name, .points = {}});
  series->points.push_back({x, y});
}

std::vector<LinePlot> rate_plots(const Reports& reports) {
  std::vector<LinePlot> plots;
  for (const JsonReport* report : reports) {
    for (const JsonView& cell : report->view().at("cases").items()) {
      LinePlot& plot = plot_named(cell.at("text").text() + ", " + threads_text(cell), plots);
      const double bytes = cell.at("input_bytes").number();
      for (const JsonView& mode : cell.at("modes").items()) {
        const auto seconds = mode.value_at("wall_seconds");
        if (!seconds) continue;
        add_point(plot, series_name(mode.at("mode").text(), *report, reports), bytes, rate_of(bytes, *seconds));
      }
    }
  }
  return plots;
}

// In a cell, the GPU is so many times as fast, or indexes so many times the bytes for the same money.
struct Gain {
  const char *title, *y_name;
  double prices = 1;  // an hour without the GPU to an hour with it
};

std::optional<Value> gain_of(const JsonView& cell, double start_seconds, double prices) {
  std::optional<Value> cpu, gpu;
  for (const JsonView& mode : cell.at("modes").items()) {
    const std::string name = mode.at("mode").text();
    if (name == "cpu+") cpu = mode.value_at("wall_seconds");
    if (name == "gpu+") gpu = mode.value_at("wall_seconds");
  }
  if (!cpu || !gpu || !(gpu->middle + start_seconds > 0)) return std::nullopt;
  const double gain = cpu->middle / (gpu->middle + start_seconds) * prices;
  return Value{gain, gain, gain};
}

constexpr std::size_t kBorderStyle = 7;  // unlike those of threads

// A line at 1 from the first point of the plot to the last.
void add_border(LinePlot& plot) {
  LineSeries border{.name = "border: 1", .points = {}, .style = kBorderStyle};
  double first = INFINITY, last = 0;
  for (const LineSeries& series : plot.series) {
    for (const LinePoint& point : series.points) first = std::min(first, point.x), last = std::max(last, point.x);
  }
  for (const double x : {first, last}) border.points.push_back({x, {1, 1, 1}});
  if (first < last) plot.series.push_back(std::move(border));
}

// A plot for each text, whose lines cross 1 where the GPU begins to pay.
std::vector<LinePlot> gain_plots(const JsonReport& report, const Reports& reports, const Gain& gain) {
  const auto options = report.view().find("options");
  const double start = options ? options->number_at("gpu_start_seconds") : 0;
  std::vector<LinePlot> plots;
  for (const JsonView& cell : report.view().at("cases").items()) {
    const auto value = gain_of(cell, start, gain.prices);
    if (!value) continue;
    const std::string title = series_name(cell.at("text").text() + ": " + gain.title, report, reports);
    auto plot = std::find_if(plots.begin(), plots.end(), [&](const LinePlot& one) { return one.title == title; });
    if (plot == plots.end()) {
      plot = plots.insert(plots.end(), {.title = title,
                                        .x_name = "input",
                                        .y_name = gain.y_name,
                                        .x_unit = bytes_unit(),
                                        .y_unit = {"times", Prefixes::kNone},
                                        .x_axis = AxisKind::kLog10});
    }
    add_point(*plot, threads_text(cell), cell.at("input_bytes").number(), *value);
  }
  for (LinePlot& plot : plots) add_border(plot);
  return plots;
}

// A whole process, with the start of its GPU; and for the prices of an hour, where they were given.
void add_gains(const JsonReport& report, const Reports& reports, PageSection& section) {
  std::vector<Gain> gains{{"how many times as fast gpu+ is", "times as fast as cpu+"}};
  const auto options = report.view().find("options");
  const double without = options ? options->number_at("cost_cpu_per_hour") : 0,
               with = options ? options->number_at("cost_gpu_per_hour") : 0;
  if (without > 0 && with > 0) {
    gains.push_back({"how many times the bytes for the same money", "times the bytes of cpu+", without / with});
  }
  std::vector<LinePlot> plots;
  for (const Gain& gain : gains) {
    for (LinePlot& plot : gain_plots(report, reports, gain)) plots.push_back(std::move(plot));
  }
  if (plots.empty()) return;
  section.items.emplace_back(Paragraph{
      "The GPU pays where a line is above 1. Each job is a process of its own: the start of its GPU counts."});
  for (LinePlot& plot : plots) section.items.emplace_back(std::move(plot));
}

std::string from_text(const JsonView& border, const std::string& name) {
  const auto bytes = border.find(name);
  return bytes ? "from " + quantity_text(bytes->number(), bytes_unit()) + " on" : "not at the largest size";
}

bool has_costs(const JsonView& report) {
  const auto options = report.find("options");
  return options && options->has("cost_cpu_per_hour") && options->has("cost_gpu_per_hour");
}

Table border_table(const JsonReport& report, const Reports& reports) {
  Table table{.title = series_name("Where the GPU pays", report, reports),
              .note =
                  "The least size from which on gpu+ with its start was better at every measured size; cheaper: more "
                  "bytes for the prices of an hour that were given.",
              .head = {"text", "threads", "faster", "cheaper"}};
  for (const JsonView& border : report.view().at("borders").items()) {
    table.rows.push_back({border.at("text").text(), threads_text(border), from_text(border, "faster_from_bytes"),
                          has_costs(report.view()) ? from_text(border, "cheaper_from_bytes") : "-"});
  }
  return table;
}

// A sweep without a GPU has no borders.
PageItem borders_of(const JsonReport& report, const Reports& reports) {
  Table table = border_table(report, reports);
  if (!table.rows.empty()) return table;
  return Paragraph{
      series_name("Only cpu+ was measured, so there is no border: no GPU could be used.", report, reports)};
}

Table money_table(const JsonReport& report, const Reports& reports) {
  Table table{.title = series_name("Gigabytes for a unit of money", report, reports),
              .note = "Of a process whose GPU has started.",
              .head = {"text", "threads", "input", "mode", "rate", "GB for 1"}};
  table.text_columns = 4;
  for (const JsonView& cell : report.view().at("cases").items()) {
    for (const JsonView& mode : cell.at("modes").items()) {
      const auto of_money = mode.find("gigabytes_per_money");
      table.rows.push_back({cell.at("text").text(), threads_text(cell),
                            quantity_text(cell.at("input_bytes").number(), bytes_unit()), mode.at("mode").text(),
                            quantity_text(mode.number_at("bytes_per_second"), byte_rate_unit()),
                            of_money ? quantity_text(of_money->number(), {"GB", Prefixes::kNone}) : "-"});
    }
  }
  return table;
}

}  // namespace

std::vector<PageSection> sweep_sections(const Reports& reports) {
  PageSection borders{"CPU or GPU", {}}, rates{"Rates", {}}, money{"Every job", {}};
  for (const JsonReport* report : reports) {
    borders.items.emplace_back(borders_of(*report, reports));
    add_gains(*report, reports, borders);
    money.items.emplace_back(money_table(*report, reports));
  }
  for (LinePlot& plot : rate_plots(reports)) rates.items.emplace_back(std::move(plot));
  return {borders, rates, money};
}

}  // namespace spillway
