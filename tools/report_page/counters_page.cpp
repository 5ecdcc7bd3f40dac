// Pages of bench/sort_counters.py: counters of a GPU's profiler for the sorters of records, and the K-model beside
// them.
#include <algorithm>
#include <map>

#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

struct Counter {
  const char* member;
  const char* name;
  const char* note;
};

constexpr Counter kCounters[] = {
    {"sectors", "Memory transactions",
     "Sectors of 32 bytes between the multiprocessors and the second cache. The K-model's transactions are those of "
     "Capannini, Silvestri and Baraglia (2012), in such sectors."},
    {"bank_conflicts", "Conflicts of banks", "Of accesses to shared memory."},
    {"divergent_branches", "Divergent branches", "A sort whose warps never part has none, and no line."}};
constexpr const char* kPredicted = "predicted_sectors";

// The names of the series of all reports, whose places are their styles.
std::vector<std::string> sorters_of(const Reports& reports) {
  std::vector<std::string> names;
  for (const JsonReport* report : reports) {
    for (const JsonView& one : report->view().at("cases").items()) {
      const std::string name = series_name(one.at("sorter").text(), *report, reports);
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// The counters of one report.
class CounterLines {
 public:
  CounterLines(const JsonReport& report, const Reports& all) : report_(report), all_(all), names_(sorters_of(all)) {}

  void add(const char* member, const std::string& mark, Origin origin, LinePlot& plot) const {
    std::map<std::string, LineSeries> by_sorter;
    for (const JsonView& one : report_.view().at("cases").items()) {
      const double count = one.at("count").number(), value = one.number_at(member);
      if (count <= 0 || value <= 0) continue;
      const double each = value / count;
      by_sorter[one.at("sorter").text()].points.push_back({count, {each, each, each}});
    }
    for (auto& [sorter, series] : by_sorter) {
      std::sort(series.points.begin(), series.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
      series.name = series_name(sorter + mark, report_, all_);
      series.origin = origin;
      const auto place = std::find(names_.begin(), names_.end(), series_name(sorter, report_, all_));
      series.style = static_cast<std::size_t>(place - names_.begin());
      plot.series.push_back(std::move(series));
    }
  }

 private:
  const JsonReport& report_;
  const Reports& all_;
  const std::vector<std::string> names_;
};

LinePlot plot_of(const Counter& counter, const Reports& reports) {
  LinePlot plot{.title = std::string(counter.name) + " for each key",
                .note = counter.note,
                .x_name = "number of keys",
                .y_name = "for each key",
                .x_axis = AxisKind::kLog2};
  for (const JsonReport* report : reports) {
    const CounterLines lines(*report, reports);
    lines.add(counter.member, "", Origin::kOurs, plot);
    if (counter.member == kCounters[0].member) lines.add(kPredicted, ", K-model", Origin::kPaper, plot);
  }
  return plot;
}

std::string cell_of(const JsonView& one, const char* member) {
  return one.has(member) ? quantity_text(one.at(member).number(), plain_unit()) : "";
}

Table table_of(const Reports& reports) {
  Table table{.title = "Every sorter and size",
              .note = "Sums over all kernels of one sort of uniform keys of 64 bits.",
              .head = {"sorter", "keys", "transactions", "K-model", "conflicts of banks", "divergent branches"}};
  for (const JsonReport* report : reports) {
    for (const JsonView& one : report->view().at("cases").items()) {
      table.rows.push_back({series_name(one.at("sorter").text(), *report, reports), cell_of(one, "count"),
                            cell_of(one, "sectors"), cell_of(one, kPredicted), cell_of(one, "bank_conflicts"),
                            cell_of(one, "divergent_branches")});
    }
  }
  return table;
}

}  // namespace

std::vector<PageSection> counters_sections(const Reports& reports) {
  PageSection plots{"Counters of the profiler", {}}, all{"All figures", {table_of(reports)}};
  for (const Counter& counter : kCounters) {
    LinePlot plot = plot_of(counter, reports);
    if (!plot.series.empty()) plots.items.emplace_back(std::move(plot));
  }
  return {plots, all};
}

}  // namespace spillway
