// Pages of `bench sort records` and `bench sort strings`.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "tools/report_page/pages.hpp"
#include "tools/report_page/sort_average.hpp"
#include "tools/report_page/sort_cases.hpp"

namespace spillway {

namespace {

// A figure of a sorter in a case; nothing where it was not measured.
struct Metric {
  std::string name, note;
  std::string title_end;  // of plots, after "keys per second"
  Unit unit;
  std::function<std::optional<Value>(const SortCase&, const SorterTimes&)> of;
};

class SortPage {
 public:
  explicit SortPage(SortCases measured)
      : is_strings_(measured.what == "strings"),
        what_(std::move(measured.what)),
        names_(std::move(measured.names)),
        cases_(std::move(measured.cases)) {}

  std::vector<PageSection> sections() const {
    std::vector<PageSection> sections;
    if (auto plots = average_plots(cases_, names_); !plots.empty())
      sections.push_back({"At a glance", std::move(plots)});
    for (const Metric& metric : metrics()) {
      PageSection section{metric.name, plots(metric)};
      if (!section.items.empty()) sections.push_back(std::move(section));
    }
    sections.push_back({"All figures", {all_figures()}});
    return sections;
  }

  std::vector<PageItem> all_plots() const {
    std::vector<PageItem> all;
    for (const Metric& metric : metrics()) {
      for (PageItem& plot : plots(metric)) all.push_back(std::move(plot));
    }
    return all;
  }

 private:
  using Cases = std::vector<const SortCase*>;

  std::vector<Metric> metrics() const {
    const auto rate = [](std::optional<Value> SorterTimes::*seconds) {
      return [seconds](const SortCase& one, const SorterTimes& sorter) -> std::optional<Value> {
        const auto& value = sorter.*seconds;
        return value ? std::optional(rate_of(one.count, *value)) : std::nullopt;
      };
    };
    const Unit unit = rate_unit(what_);
    std::vector<Metric> metrics{{"Sorting alone", "Input and result are in the memory where the sorter works.", "",
                                 unit, rate(&SorterTimes::sort)}};
    if (is_strings_) {
      metrics.push_back({"Sorting alone, by bytes", "Bytes of the strings, without ends.", "", byte_rate_unit(),
                         [](const SortCase& one, const SorterTimes& sorter) -> std::optional<Value> {
                           return sorter.sort ? std::optional(rate_of(one.bytes, *sorter.sort)) : std::nullopt;
                         }});
    }
    metrics.push_back({"Copies alone",
                       "To the GPU and back without a sort: the bound of all sorts that send the whole input.",
                       ", copies alone", unit, rate(&SorterTimes::copies)});
    metrics.push_back({"With transfers, from pinned memory", "From pinned memory of the host to the GPU and back.",
                       ", from pinned memory", unit, rate(&SorterTimes::pinned)});
    metrics.push_back({"With transfers, from pageable memory", "From ordinary memory of the host to the GPU and back.",
                       ", from pageable memory", unit, rate(&SorterTimes::pageable)});
    return metrics;
  }

  // Plots that compare inputs or widths come first: those over the number of keys are many.
  std::vector<PageItem> plots(const Metric& metric) const {
    std::vector<PageItem> by_count, by_width, items;
    std::set<const SortCase*> drawn;
    add_lines(metric, &SortCase::count, &SortCase::bits, by_count, drawn);
    if (!is_strings_) add_lines(metric, &SortCase::bits, &SortCase::count, by_width, drawn);
    add_inputs(metric, items, drawn);
    for (auto* const more : {&by_width, &by_count}) std::move(more->begin(), more->end(), std::back_inserter(items));
    for (const SortCase& one : cases_) {
      if (!drawn.contains(&one)) add_bars(metric, one, items);
    }
    if (!items.empty()) items.insert(items.begin(), Paragraph{metric.note});
    return items;
  }

  // An axis names the rate of a metric; a title also says how it was measured.
  std::string rate_name(const Metric& metric) const {
    return metric.unit.symbol == "B/s" ? "bytes per second" : what_ + " per second";
  }
  std::string title_end(const Metric& metric) const { return rate_name(metric) + metric.title_end; }

  std::string text_of(double SortCase::*member, double value) const {
    if (member == &SortCase::bits)
      return (what_ == "keys" ? "" : "keys of ") + quantity_text(value, {"bits", Prefixes::kNone});
    return quantity_text(value, {what_, Prefixes::kNone});
  }

  std::string width_text(double bits) const {
    return (what_ == "keys" ? " of " : ", ") + text_of(&SortCase::bits, bits);
  }

  // Of a grid over numbers and widths, plots beside those over the number of keys show the greatest number only.
  bool is_said_already(const Cases& cases, const std::set<const SortCase*>& drawn) const {
    return std::all_of(cases.begin(), cases.end(), [&](const SortCase* one) {
      return drawn.contains(one) && std::any_of(cases_.begin(), cases_.end(), [&](const SortCase& other) {
               return other.input == one->input && other.bits == one->bits && other.count > one->count;
             });
    });
  }

  // A plot over `x` for each input and each value of `other` that has several values of `x`.
  void add_lines(const Metric& metric, double SortCase::*x, double SortCase::*other, std::vector<PageItem>& items,
                 std::set<const SortCase*>& drawn) const {
    std::map<std::pair<std::string, double>, std::vector<const SortCase*>> groups;
    for (const SortCase& one : cases_) groups[{one.input, is_strings_ ? 0 : one.*other}].push_back(&one);
    for (auto& [of, cases] : groups) {
      if (cases.size() < 2 || (x == &SortCase::bits && is_said_already(cases, drawn))) continue;
      std::sort(cases.begin(), cases.end(), [x](const auto* a, const auto* b) { return a->*x < b->*x; });
      const std::string fixed = is_strings_ ? "" : ", " + text_of(other, of.second);
      LinePlot plot;
      plot.title = of.first + fixed + ": " + title_end(metric);
      plot.x_name = x == &SortCase::count ? "number of " + what_ : "bits of a key";
      plot.y_name = rate_name(metric);
      plot.y_unit = metric.unit;
      plot.x_axis = x == &SortCase::count ? AxisKind::kLog2 : AxisKind::kLinear;
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
      if (cases.size() < 2 || (!is_strings_ && is_said_already(cases, drawn))) continue;
      const std::string inputs =
          is_strings_ ? "Sets of strings"
                      : "Distributions of " + text_of(&SortCase::count, of.first) + width_text(of.second);
      BarPlot plot{.title = inputs + ": " + title_end(metric),
                   .category_name = is_strings_ ? "set, strings" : "distribution",
                   .value_name = rate_name(metric),
                   .unit = metric.unit,
                   .form = BarForm::kMarks};
      for (const SortCase* one : cases) {
        plot.categories.push_back(is_strings_ ? one->input + ", " + quantity_text(one->count, plain_unit())
                                              : one->input);
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
                 .category_name = "sorter",
                 .value_name = rate_name(metric),
                 .unit = metric.unit};
    if (!is_strings_) plot.title += width_text(one.bits);
    plot.title += ": " + title_end(metric);
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
  const std::vector<std::string> names_;  // their places are their styles
  const std::vector<SortCase> cases_;
};

}  // namespace

std::vector<PageSection> sort_sections(const Reports& reports) { return SortPage(sort_cases(reports)).sections(); }

std::vector<PageItem> sort_plots(const Reports& reports) { return SortPage(sort_cases(reports)).all_plots(); }

}  // namespace spillway
