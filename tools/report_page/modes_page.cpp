// Pages of `bench modes`.
#include <algorithm>

#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

struct NamedMode {
  std::string name;
  JsonView view;
};

std::vector<NamedMode> modes_of(const Reports& reports) {
  std::vector<NamedMode> modes;
  for (const JsonReport* report : reports) {
    for (const JsonView& mode : report->view().at("cases").items()) {
      modes.push_back({series_name(mode.at("mode").text(), *report, reports), mode});
    }
  }
  return modes;
}

BarPlot empty_plot(const std::vector<NamedMode>& modes, const std::string& title, const std::string& value_name,
                   const Unit& unit) {
  BarPlot plot{.title = title, .category_name = "mode", .value_name = value_name, .unit = unit};
  for (const NamedMode& mode : modes) plot.categories.push_back(mode.name);
  return plot;
}

BarPlot wall_plot(const Reports& reports, const std::vector<NamedMode>& modes) {
  BarPlot plot = empty_plot(modes, "Time of the whole job", "wall time", seconds_unit());
  plot.note = "Until the index is published and synced. 'Parsing alone' reads and parses, and drops the result.";
  BarSeries series{.name = "wall time", .values = {}};
  for (const NamedMode& mode : modes) {
    Value value = mode.view.value_at("wall_seconds").value_or(Value{});
    value.note = quantity_text(mode.view.number_at("bytes_per_second"), byte_rate_unit());
    series.values.push_back(value);
  }
  for (const JsonReport* report : reports) {
    const auto parsing = report->view().find("parsing_alone");
    if (!parsing) continue;
    for (const JsonView& form : parsing->items()) {
      plot.categories.push_back(series_name("parsing alone, to " + form.at("chunk_form").text(), *report, reports));
      series.values.push_back(form.value_at("wall_seconds"));
    }
  }
  plot.series.push_back(std::move(series));
  return plot;
}

BarPlot halves_plot(const std::vector<NamedMode>& modes) {
  BarPlot plot = empty_plot(modes, "Ingest and merge", "wall time", seconds_unit());
  plot.note = "Ingest ends when the last run is durable, or complete in memory; the rest merges, writes and syncs.";
  plot.form = BarForm::kStacked;
  for (const auto& [name, member] : {std::pair{"ingest", "ingest_seconds"}, std::pair{"rest", "rest_seconds"}}) {
    BarSeries series{.name = name, .values = {}};
    for (const NamedMode& mode : modes) series.values.push_back(mode.view.value_at(member));
    plot.series.push_back(std::move(series));
  }
  return plot;
}

BarPlot stages_plot(const std::vector<NamedMode>& modes) {
  BarPlot plot = empty_plot(modes, "Busy time of the stages", "busy time, summed over threads", seconds_unit());
  plot.form = BarForm::kStacked;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    const auto stages = modes[m].view.find("stages");
    if (!stages) continue;
    for (const JsonView& stage : stages->items()) {
      const std::string name = stage.at("name").text();
      auto found = std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == name; });
      if (found == plot.series.end()) {
        plot.series.push_back({.name = name, .values = {}});
        found = std::prev(plot.series.end());
        found->values.resize(modes.size());
      }
      found->values[m] = stage.value_at("busy_seconds");
    }
  }
  return plot;
}

BarPlot memory_plot(const std::vector<NamedMode>& modes) {
  BarPlot plot = empty_plot(modes, "Peak of the resident memory", "memory", memory_unit());
  BarSeries series{.name = "peak", .values = {}};
  for (const NamedMode& mode : modes) {
    auto value = mode.view.value_at("peak_resident_bytes");
    if (value) value->note = "of a budget of " + quantity_text(mode.view.number_at("memory_bytes"), memory_unit());
    series.values.push_back(value);
  }
  plot.series.push_back(std::move(series));
  return plot;
}

Table all_figures(const std::vector<NamedMode>& modes) {
  Table table{.title = "Every mode",
              .head = {"mode", "time", "rate", "ingest", "merge", "threads", "chunks", "runs", "spilled", "index"}};
  for (const NamedMode& mode : modes) {
    const auto seconds = [&](const char* name) {
      const auto value = mode.view.value_at(name);
      return value ? quantity_text(value->middle, seconds_unit()) : std::string("-");
    };
    const auto count = [&](const char* name) { return quantity_text(mode.view.number_at(name), plain_unit()); };
    table.rows.push_back(
        {mode.name, seconds("wall_seconds"), quantity_text(mode.view.number_at("bytes_per_second"), byte_rate_unit()),
         seconds("ingest_seconds"), seconds("rest_seconds"), count("threads"), mode.view.text_at("chunk_form", "-"),
         count("runs"), count("runs_spilled"), quantity_text(mode.view.number_at("index_bytes"), bytes_unit())});
  }
  return table;
}

Facts input_facts(const JsonReport& report) {
  Facts facts;
  const auto input = report.view().find("input");
  if (!input) return facts;
  for (const auto& [name, value] : input->members()) {
    facts.rows.emplace_back(name == "bytes" ? "input" : name, name == "bytes" && value.is_number()
                                                                  ? quantity_text(value.number(), bytes_unit())
                                                                  : value.words());
  }
  return facts;
}

}  // namespace

std::vector<PageSection> modes_sections(const Reports& reports) {
  const std::vector<NamedMode> modes = modes_of(reports);
  PageSection times{"Time", {}};
  if (reports.size() == 1) times.items.emplace_back(input_facts(*reports.front()));
  times.items.emplace_back(wall_plot(reports, modes));
  times.items.emplace_back(halves_plot(modes));
  if (BarPlot stages = stages_plot(modes); !stages.series.empty()) times.items.emplace_back(std::move(stages));
  return {times, {"Memory", {memory_plot(modes)}}, {"All figures", {all_figures(modes)}}};
}

}  // namespace spillway
