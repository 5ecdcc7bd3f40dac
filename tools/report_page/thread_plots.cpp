#include "tools/report_page/thread_plots.hpp"

#include <algorithm>
#include <charconv>
#include <set>

namespace spillway {

namespace {

// "cpu-msd" and 4 of "cpu-msd, 4 threads"; 0 threads where the name has none.
std::pair<std::string, unsigned> parts_of(const std::string& name) {
  const std::size_t comma = name.rfind(", ");
  if (comma == std::string::npos || !(name.ends_with(" thread") || name.ends_with(" threads"))) return {name, 0};
  unsigned threads = 0;
  const char* const begin = name.data() + comma + 2;
  const auto [end, error] = std::from_chars(begin, name.data() + name.size(), threads);
  return error == std::errc() && *end == ' ' ? std::pair(name.substr(0, comma), threads) : std::pair(name, 0U);
}

LinePlot& plot_of(const std::string& set, std::vector<LinePlot>& plots) {
  const std::string title = set + ": strings per second by threads";
  const auto found =
      std::find_if(plots.begin(), plots.end(), [&](const LinePlot& plot) { return plot.title == title; });
  if (found != plots.end()) return *found;
  LinePlot& plot = plots.emplace_back();
  plot.title = title;
  plot.x_name = "threads";
  plot.y_name = "strings per second";
  plot.y_unit = rate_unit("strings");
  return plot;
}

void add_point(const std::string& name, const LinePoint& point, LinePlot& plot) {
  auto series = std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& one) { return one.name == name; });
  if (series == plot.series.end()) series = plot.series.insert(plot.series.end(), {.name = name, .points = {}});
  series->points.push_back(point);
}

bool has_one_point(const LineSeries& series) { return series.points.size() < 2; }

}  // namespace

std::vector<LinePlot> thread_plots(const JsonView& run) {
  std::set<double> counts;
  for (const JsonView& one : run.at("cases").items()) counts.insert(one.at("strings").number());
  std::vector<LinePlot> plots;
  for (const JsonView& one : run.at("cases").items()) {
    const double count = one.at("strings").number();
    for (const JsonView& sorter : one.at("sorters").items()) {
      const auto [name, threads] = parts_of(sorter.at("sorter").text());
      const auto seconds = sorter.value_at("sort_seconds");
      if (threads == 0 || !seconds) continue;
      const std::string line =
          counts.size() == 1 ? name : name + ", " + quantity_text(count, {"strings", Prefixes::kNone});
      add_point(line, {static_cast<double>(threads), rate_of(count, *seconds)}, plot_of(one.at("set").text(), plots));
    }
  }
  for (LinePlot& plot : plots) {
    std::erase_if(plot.series, has_one_point);
    for (LineSeries& series : plot.series) {
      std::sort(series.points.begin(), series.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
    }
  }
  std::erase_if(plots, [](const LinePlot& plot) { return plot.series.empty(); });
  return plots;
}

}  // namespace spillway
