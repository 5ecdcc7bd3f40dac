// Pages of `bench modes --sweep`: rates over the size of the input for each text and number of threads, and the border
// from which the GPU pays.
#include <algorithm>

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
    money.items.emplace_back(money_table(*report, reports));
  }
  for (LinePlot& plot : rate_plots(reports)) rates.items.emplace_back(std::move(plot));
  return {borders, rates, money};
}

}  // namespace spillway
