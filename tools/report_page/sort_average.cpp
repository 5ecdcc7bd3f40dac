#include "tools/report_page/sort_average.hpp"

#include <algorithm>
#include <cmath>

namespace spillway {

namespace {

using Cases = std::vector<const SortCase*>;

// 0 where the sorter was not measured.
double seconds_of(const SortCase& one, const std::string& name) {
  for (const SorterTimes& sorter : one.sorters) {
    if (sorter.name == name && sorter.sort) return sorter.sort->middle;
  }
  return 0;
}

Cases cases_of(const std::string& name, const std::vector<SortCase>& all) {
  Cases cases;
  for (const SortCase& one : all) {
    if (seconds_of(one, name) > 0) cases.push_back(&one);
  }
  return cases;
}

// The time of a sorter by that of the fastest of `names`, over `cases`.
Value slowness_of(const std::string& name, const std::vector<std::string>& names, const Cases& cases) {
  double logarithms = 0, least = INFINITY, most = 0;
  for (const SortCase* one : cases) {
    double fastest = INFINITY;
    for (const std::string& other : names) fastest = std::min(fastest, seconds_of(*one, other));
    const double slowness = seconds_of(*one, name) / fastest;
    logarithms += std::log(slowness);
    least = std::min(least, slowness);
    most = std::max(most, slowness);
  }
  return {std::exp(logarithms / static_cast<double>(cases.size())), least, most};
}

BarPlot average_plot(const Cases& cases, const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, Value>> sorters;
  for (const std::string& name : names) {
    const Value slowness = slowness_of(name, names, cases);
    if (std::isfinite(slowness.most)) sorters.emplace_back(name, slowness);  // a report may say anything
  }
  std::stable_sort(sorters.begin(), sorters.end(),
                   [](const auto& a, const auto& b) { return a.second.middle < b.second.middle; });
  BarPlot plot{.title = "Time as a multiple of the fastest sorter's, over " +
                        quantity_text(static_cast<double>(cases.size()), plain_unit()) + " inputs",
               .note =
                   "The sort alone: the geometric mean over the inputs, and the least and the most of them. 1 is the "
                   "fastest on every input.",
               .category_name = "sorter",
               .value_name = "time / time of the fastest sorter on the same input",
               .unit = {"times", Prefixes::kNone}};
  BarSeries series{.name = "times"};
  for (const auto& [name, value] : sorters) {
    plot.categories.push_back(name);
    series.values.emplace_back(value);
  }
  plot.series.push_back(std::move(series));
  return plot;
}

}  // namespace

std::vector<PageItem> average_plots(const std::vector<SortCase>& all, const std::vector<std::string>& names_of_all) {
  std::vector<std::pair<Cases, std::vector<std::string>>> groups;
  for (const std::string& name : names_of_all) {
    const Cases cases = cases_of(name, all);
    auto same = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == cases; });
    if (same == groups.end()) same = groups.insert(groups.end(), {cases, {}});
    same->second.push_back(name);
  }
  std::vector<PageItem> plots;
  for (const auto& [cases, names] : groups) {
    if (cases.size() < 2 || names.size() < 2) continue;
    BarPlot plot = average_plot(cases, names);
    if (!plot.categories.empty()) plots.emplace_back(std::move(plot));
  }
  return plots;
}

}  // namespace spillway
