// Pages of `bench calibrate`.
#include <algorithm>

#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

// "second_per_record" in words.
std::string in_words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

// One category for each member of `inputs`, and one series for each sorter.
class SorterRates {
 public:
  SorterRates(const std::string& title, const std::string& what) {
    plot_.title = title;
    plot_.category_name = "input";
    plot_.value_name = what + " per second";
    plot_.unit = rate_unit(what);
    plot_.form = BarForm::kMarks;
  }

  void add(const std::string& category, const JsonView& sorters) {
    plot_.categories.push_back(category);
    for (BarSeries& series : plot_.series) series.values.resize(plot_.categories.size());
    for (const JsonView& sorter : sorters.items()) {
      BarSeries& series = series_of(sorter.at("sorter").text());
      const auto seconds = sorter.value_at("sort_seconds");
      if (!seconds) continue;
      // Elements are the rate times the seconds: the report names no count.
      series.values.back() = rate_of(sorter.at("per_second").number() * seconds->middle, *seconds);
    }
  }

  bool empty() const { return plot_.series.empty(); }
  const BarPlot& plot() const { return plot_; }

 private:
  BarSeries& series_of(const std::string& name) {
    for (BarSeries& series : plot_.series) {
      if (series.name == name) return series;
    }
    plot_.series.push_back({.name = name, .values = {}});
    plot_.series.back().values.resize(plot_.categories.size());
    return plot_.series.back();
  }

  BarPlot plot_;
};

std::vector<PageItem> sorter_plots(const JsonReport& report) {
  const auto measurements = report.view().find("measurements");
  if (!measurements) return {};
  SorterRates records("Sorters of records, by width of keys", "keys"), strings("Sorters of strings, by set", "strings");
  if (const auto found = measurements->find("records")) {
    for (const auto& [width, sorters] : found->members()) records.add(in_words(width), sorters);
  }
  if (const auto found = measurements->find("strings")) {
    for (const auto& [set, value] : found->members()) strings.add(set, value.at("sorters"));
  }
  std::vector<PageItem> items;
  if (!records.empty()) items.emplace_back(records.plot());
  if (!strings.empty()) items.emplace_back(strings.plot());
  return items;
}

void add_costs(const JsonView& costs, const std::string& prefix, Table& table) {
  for (const auto& [name, value] : costs.members()) {
    const std::string full = prefix.empty() ? in_words(name) : prefix + ", " + in_words(name);
    if (value.is_object()) {
      add_costs(value, full, table);
      continue;
    }
    std::string text = "not measured";
    if (value.is_number()) {
      const bool is_rate = full.ends_with("bytes per second");
      text = quantity_text(value.number(), is_rate ? byte_rate_unit() : seconds_unit());
    }
    table.rows.push_back({full, text});
  }
}

BarPlot disk_plot(const JsonView& costs) {
  BarPlot plot{
      .title = "Transfers", .category_name = "way", .value_name = "bytes per second", .unit = byte_rate_unit()};
  BarSeries series{.name = "rate", .values = {}};
  for (const auto& [name, member] :
       {std::pair{"to the GPU", "up_bytes_per_second"}, std::pair{"from the GPU", "down_bytes_per_second"},
        std::pair{"to the disk", "disk_write_bytes_per_second"},
        std::pair{"from the disk", "disk_read_bytes_per_second"}}) {
    if (const auto value = costs.value_at(member)) {
      plot.categories.emplace_back(name);
      series.values.push_back(value);
    }
  }
  plot.series.push_back(std::move(series));
  return plot;
}

}  // namespace

std::vector<PageSection> calibration_sections(const Reports& reports) {
  std::vector<PageSection> sections;
  for (const JsonReport* report : reports) {
    const JsonView costs = report->view().at("costs");
    PageSection section{reports.size() == 1 ? "Costs" : "Costs: " + report->label, sorter_plots(*report)};
    if (BarPlot disk = disk_plot(costs); !disk.categories.empty()) section.items.emplace_back(std::move(disk));
    Table table{.title = "Costs by which plans choose", .head = {"cost", "value"}};
    add_costs(costs, "", table);
    section.items.emplace_back(std::move(table));
    sections.push_back(std::move(section));
  }
  return sections;
}

}  // namespace spillway
