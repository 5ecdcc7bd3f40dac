// Pages of `bench sort records` and `bench sort strings`.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

struct SorterTimes {
  std::string name;
  std::optional<Value> sort, copies, pinned, pageable;  // copies: both ways, without the sort
  double scratch_bytes = 0;
};

struct SortCase {
  std::string input;
  double count = 0, bits = 0, bytes = 0;  // bits: 0 for strings
  std::vector<SorterTimes> sorters;
};

// A figure of a sorter in a case; nothing where it was not measured.
struct Metric {
  std::string name, note;
  Unit unit;
  std::function<std::optional<Value>(const SortCase&, const SorterTimes&)> of;
};

std::optional<Value> sum_of(const std::optional<Value>& a, const std::optional<Value>& b) {
  if (!a || !b) return std::nullopt;
  return Value{a->middle + b->middle, a->least + b->least, a->most + b->most};
}

class SortPage {
 public:
  explicit SortPage(const Reports& reports)
      : is_strings_(reports.front()->command.ends_with("strings")), what_(is_strings_ ? "strings" : "keys") {
    for (const JsonReport* report : reports) {
      for (const JsonView& one : report->view().at("cases").items()) add_case(one, *report, reports);
    }
  }

  std::vector<PageSection> sections() const {
    std::vector<PageSection> sections;
    for (const Metric& metric : metrics()) {
      PageSection section{metric.name, plots(metric)};
      if (!section.items.empty()) sections.push_back(std::move(section));
    }
    sections.push_back({"All figures", {all_figures()}});
    return sections;
  }

 private:
  // The cases of several reports with the same input are one case with more sorters.
  void add_case(const JsonView& view, const JsonReport& report, const Reports& all) {
    SortCase one;
    one.input = view.at(is_strings_ ? "set" : "distribution").text();
    one.count = view.at(is_strings_ ? "strings" : "count").number();
    one.bits = view.number_at("bits");
    one.bytes = view.at("bytes").number();
    const auto same = std::find_if(cases_.begin(), cases_.end(), [&](const SortCase& other) {
      return other.input == one.input && other.count == one.count && other.bits == one.bits;
    });
    SortCase& of = same == cases_.end() ? cases_.emplace_back(std::move(one)) : *same;
    for (const JsonView& sorter : view.at("sorters").items()) {
      of.sorters.push_back({series_name(sorter.at("sorter").text(), report, all), sorter.value_at("sort_seconds"),
                            sum_of(sorter.value_at("up_seconds"), sorter.value_at("down_seconds")),
                            sorter.value_at("from_pinned_seconds"), sorter.value_at("from_pageable_seconds"),
                            sorter.number_at("scratch_bytes")});
      const std::string& name = of.sorters.back().name;
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
    }
  }

  std::vector<Metric> metrics() const {
    const auto rate = [](std::optional<Value> SorterTimes::*seconds) {
      return [seconds](const SortCase& one, const SorterTimes& sorter) -> std::optional<Value> {
        const auto& value = sorter.*seconds;
        return value ? std::optional(rate_of(one.count, *value)) : std::nullopt;
      };
    };
    const Unit unit = rate_unit(what_);
    std::vector<Metric> metrics{{"Sorting alone", "Input and result are in the memory where the sorter works.", unit,
                                 rate(&SorterTimes::sort)}};
    if (is_strings_) {
      metrics.push_back({"Sorting alone, by bytes", "Bytes of the strings, without ends.", byte_rate_unit(),
                         [](const SortCase& one, const SorterTimes& sorter) -> std::optional<Value> {
                           return sorter.sort ? std::optional(rate_of(one.bytes, *sorter.sort)) : std::nullopt;
                         }});
    }
    metrics.push_back({"Copies alone",
                       "To the GPU and back without a sort: the bound of all sorts that send the whole input.", unit,
                       rate(&SorterTimes::copies)});
    metrics.push_back({"With transfers, from pinned memory", "From pinned memory of the host to the GPU and back.",
                       unit, rate(&SorterTimes::pinned)});
    metrics.push_back({"With transfers, from pageable memory", "From ordinary memory of the host to the GPU and back.",
                       unit, rate(&SorterTimes::pageable)});
    return metrics;
  }

  std::vector<PageItem> plots(const Metric& metric) const {
    std::vector<PageItem> items;
    std::set<const SortCase*> drawn;
    add_lines(metric, &SortCase::count, &SortCase::bits, items, drawn);
    if (!is_strings_) add_lines(metric, &SortCase::bits, &SortCase::count, items, drawn);
    add_inputs(metric, items, drawn);
    for (const SortCase& one : cases_) {
      if (!drawn.contains(&one)) add_bars(metric, one, items);
    }
    return items;
  }

  std::string text_of(double SortCase::*member, double value) const {
    if (member == &SortCase::bits) return quantity_text(value, {"bits", Prefixes::kNone});
    return quantity_text(value, {what_, Prefixes::kNone});
  }

  // A plot over `x` for each input and each value of `other` that has several values of `x`.
  void add_lines(const Metric& metric, double SortCase::*x, double SortCase::*other, std::vector<PageItem>& items,
                 std::set<const SortCase*>& drawn) const {
    std::map<std::pair<std::string, double>, std::vector<const SortCase*>> groups;
    for (const SortCase& one : cases_) groups[{one.input, is_strings_ ? 0 : one.*other}].push_back(&one);
    for (auto& [of, cases] : groups) {
      if (cases.size() < 2) continue;
      std::sort(cases.begin(), cases.end(), [x](const auto* a, const auto* b) { return a->*x < b->*x; });
      const std::string fixed = is_strings_ ? "" : ", " + text_of(other, of.second);
      LinePlot plot;
      plot.title = of.first + fixed + ": " + what_ + " per second";
      plot.note = metric.note;
      plot.x_name = x == &SortCase::count ? "number of " + what_ : "bits of a key";
      plot.y_name = what_ + " per second";
      plot.y_unit = metric.unit;
      plot.x_axis = x == &SortCase::count ? AxisKind::kLog2 : AxisKind::kLinear;
      if (metric.unit.symbol == "B/s") plot.title = of.first + ": bytes per second", plot.y_name = "bytes per second";
      for (std::size_t i = 0; i < names_.size(); ++i) {
        LineSeries series{.name = names_[i], .style = i};
        for (const SortCase* one : cases) {
          if (const auto value = value_of(metric, *one, names_[i])) series.points.push_back({one->*x, *value});
        }
        if (!series.points.empty()) plot.series.push_back(std::move(series));
      }
      if (plot.series.empty()) continue;
      items.push_back(std::move(plot));
      drawn.insert(cases.begin(), cases.end());
    }
  }

  // A plot over the inputs that have the same number and width of keys; of strings, of each set as many as there are.
  void add_inputs(const Metric& metric, std::vector<PageItem>& items, std::set<const SortCase*>& drawn) const {
    std::map<std::pair<double, double>, std::vector<const SortCase*>> groups;
    for (const SortCase& one : cases_) {
      if (!is_strings_ || !drawn.contains(&one)) groups[{is_strings_ ? 0 : one.count, one.bits}].push_back(&one);
    }
    for (const auto& [of, cases] : groups) {
      if (cases.size() < 2) continue;
      BarPlot plot{.title = is_strings_ ? "Sets of strings"
                                        : "Distributions of " + text_of(&SortCase::count, of.first) + " of " +
                                              text_of(&SortCase::bits, of.second),
                   .note = metric.note,
                   .category_name = is_strings_ ? "set" : "distribution",
                   .value_name = metric.unit.symbol == "B/s" ? "bytes per second" : what_ + " per second",
                   .unit = metric.unit,
                   .form = BarForm::kMarks};
      for (const SortCase* one : cases) {
        plot.categories.push_back(is_strings_ ? one->input + ", " + text_of(&SortCase::count, one->count) : one->input);
      }
      for (std::size_t i = 0; i < names_.size(); ++i) {
        BarSeries series{.name = names_[i], .values = {}, .style = i};
        for (const SortCase* one : cases) series.values.push_back(value_of(metric, *one, names_[i]));
        if (has_values(series)) plot.series.push_back(std::move(series));
      }
      if (plot.series.empty()) continue;
      items.push_back(std::move(plot));
      drawn.insert(cases.begin(), cases.end());
    }
  }

  void add_bars(const Metric& metric, const SortCase& one, std::vector<PageItem>& items) const {
    BarPlot plot{.title = one.input + ": " + text_of(&SortCase::count, one.count),
                 .note = metric.note,
                 .category_name = "sorter",
                 .value_name = metric.unit.symbol == "B/s" ? "bytes per second" : what_ + " per second",
                 .unit = metric.unit};
    if (!is_strings_) plot.title += " of " + text_of(&SortCase::bits, one.bits);
    BarSeries series{.name = "rate", .values = {}};
    for (const SorterTimes& sorter : one.sorters) {
      if (const auto value = metric.of(one, sorter)) {
        plot.categories.push_back(sorter.name);
        series.values.push_back(*value);
      }
    }
    plot.series.push_back(std::move(series));
    if (!plot.categories.empty()) items.push_back(std::move(plot));
  }

  static bool has_values(const BarSeries& series) {
    return std::any_of(series.values.begin(), series.values.end(), [](const auto& value) { return value.has_value(); });
  }

  static std::optional<Value> value_of(const Metric& metric, const SortCase& one, const std::string& name) {
    for (const SorterTimes& sorter : one.sorters) {
      if (sorter.name == name) return metric.of(one, sorter);
    }
    return std::nullopt;
  }

  Table all_figures() const {
    Table table{.title = "Every sorter on every input",
                .note = "Seconds are medians; the range is that of the rounds.",
                .head = {"input", "sorter", what_, "bits", "rate", "time", "scratch"}};
    table.text_columns = 2;
    for (const SortCase& one : cases_) {
      for (const SorterTimes& sorter : one.sorters) {
        if (!sorter.sort) continue;
        table.rows.push_back({one.input, sorter.name, quantity_text(one.count, plain_unit()),
                              one.bits == 0 ? "" : quantity_text(one.bits, plain_unit()),
                              quantity_text(one.count / std::max(sorter.sort->middle, 1e-12), rate_unit(what_)),
                              range_text(sorter.sort->middle, sorter.sort->least, sorter.sort->most, seconds_unit()),
                              quantity_text(sorter.scratch_bytes, memory_unit())});
      }
    }
    return table;
  }

  const bool is_strings_;
  const std::string what_;
  std::vector<std::string> names_;  // of all sorters, whose places are their styles
  std::vector<SortCase> cases_;
};

}  // namespace

std::vector<PageSection> sort_sections(const Reports& reports) { return SortPage(reports).sections(); }

}  // namespace spillway
