// Pages of `bench paper`: a section for each paper, a row for each table and figure, and plots of what ran with the
// paper's own figures beside.
#include <algorithm>
#include <array>
#include <cmath>

#include "tools/report_page/pages.hpp"
#include "tools/report_page/paper_columns.hpp"
#include "tools/report_page/paper_glance.hpp"
#include "tools/report_page/paper_here.hpp"
#include "tools/report_page/thread_plots.hpp"

namespace spillway {

namespace {

Unit unit_of(const std::string& name) {
  if (name == "ms" || name == "s") return seconds_unit();
  if (name == "bytes") return bytes_unit();
  return {name, name.ends_with("/s") ? Prefixes::kDecimal : Prefixes::kNone};
}

// A figure of a paper in the base of its unit.
double base_value(double value, const std::string& unit) { return unit == "ms" ? value / 1000 : value; }

// An item of a paper. `id` has the report's name, too, where several reports measured the item.
struct NamedItem {
  std::string id;
  JsonView item;
};

// There is nothing to measure of it, and nothing to say about that.
bool is_drawing(const JsonView& item) {
  return item.text_at("left_out").starts_with("A drawing: there is nothing to measure.");
}

Table items_table(const std::vector<NamedItem>& items) {
  Table table{.title = "Tables and figures", .head = {"item", "what it shows", "status", "measured here", "left out"}};
  table.text_columns = 5;
  for (const auto& [id, item] : items) {
    if (is_drawing(item)) {
      table.note += (table.note.empty() ? "Drawings, where there is nothing to measure: " : ", ") + id;
      continue;
    }
    table.rows.push_back(
        {id, item.at("title").text(), item.at("status").text(), item.text_at("stand_in"), item.text_at("left_out")});
  }
  if (!table.note.empty()) table.note += ".";
  return table;
}

// A column of the paper's figures, and one of ours where there are any; rows are shared with other columns.
void add_series(const JsonView& item, const JsonView& series, Table& table) {
  const std::string name = series.at("name").text(), unit = series.at("unit").text();
  const auto points = series.at("points").items();
  std::vector<std::optional<double>> ours;
  for (const JsonView& point : points) ours.push_back(measured_here(item, name, point.at("at").text()));
  const bool has_ours = std::any_of(ours.begin(), ours.end(), [](const auto& one) { return one.has_value(); });
  const std::size_t column = table.head.size();
  table.head.push_back(name);
  if (has_ours) table.head.push_back("measured here");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string at = points[i].at("at").text();
    auto row = std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& cells) { return cells[0] == at; });
    if (row == table.rows.end()) row = table.rows.insert(table.rows.end(), {at});
    row->resize(table.head.size());
    const auto cell = [&](double value) { return quantity_text(base_value(value, unit), unit_of(unit)); };
    (*row)[column] = cell(points[i].at("value").number());
    if (ours[i]) (*row)[column + 1] = cell(*ours[i]);
  }
}

std::optional<Table> paper_table(const JsonView& item) {
  const auto figures = item.at("paper_figures").items();
  if (figures.empty()) return std::nullopt;
  Table table{.title = "The paper's own figures", .head = {""}};
  if (const std::string machine = item.at("paper_machine").text(); !machine.empty()) {
    table.note = "Measured on: " + machine;
  }
  for (const JsonView& series : figures) add_series(item, series, table);
  for (auto& row : table.rows) row.resize(table.head.size());
  if (std::find(table.head.begin(), table.head.end(), "measured here") != table.head.end()) {
    table.title += ", and ours";
    table.note += (table.note.empty() ? "" : ". ") +
                  std::string("Ours are of the largest input, or the average or the most of all, as the paper has it.");
  }
  return table;
}

// Adds the paper's figures to a plot over the same sets, in the unit "ms".
void add_paper_times(const JsonView& item, const std::vector<std::string>& sets, BarPlot& plot) {
  for (const JsonView& figure : item.at("paper_figures").items()) {
    if (figure.at("unit").text() != "ms") continue;
    BarSeries series{.name = figure.at("name").text() + " (paper)", .values = {}, .origin = Origin::kPaper};
    series.values.resize(sets.size());
    for (const JsonView& point : figure.at("points").items()) {
      const auto found = std::find(sets.begin(), sets.end(), point.at("at").text());
      const double seconds = point.at("value").number() / 1000;
      if (found != sets.end())
        series.values[static_cast<std::size_t>(found - sets.begin())] = {seconds, seconds, seconds};
    }
    plot.series.push_back(std::move(series));
  }
}

// Time by set, ours and the paper's, where the paper prints times by set.
std::optional<BarPlot> times_plot(const JsonView& item, const JsonView& run) {
  BarPlot plot{.title = "Time by set, beside the paper's",
               .note =
                   "The paper's times are of its own sets and machine: compare shapes, not heights. A set with fewer "
                   "strings than the paper's names their number.",
               .category_name = "set",
               .value_name = "time",
               .unit = seconds_unit(),
               .form = BarForm::kMarks};
  std::vector<std::string> sets;
  for (const JsonView& one : run.at("cases").items()) {
    sets.push_back(one.at("set").text());
    plot.categories.push_back(sets.back() + ", " +
                              quantity_text(one.at("strings").number(), {"strings", Prefixes::kNone}));
    for (const JsonView& sorter : one.at("sorters").items()) {
      const std::string name = sorter.at("sorter").text();
      auto series = std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == name; });
      if (series == plot.series.end()) series = plot.series.insert(plot.series.end(), {.name = name, .values = {}});
      series->values.resize(sets.size());
      series->values.back() = sorter.value_at("sort_seconds");
    }
  }
  for (BarSeries& series : plot.series) series.values.resize(sets.size());
  const std::size_t ours = plot.series.size();
  add_paper_times(item, sets, plot);
  return plot.series.size() == ours ? std::nullopt : std::optional(std::move(plot));
}

// The steps of the sorters that have a clock for them, by set: `member` is "wall_seconds" or "work_seconds".
BarPlot steps_plot(const JsonView& run, const char* member, const std::string& title) {
  BarPlot plot{.title = title, .category_name = "set and sorter", .value_name = "time", .unit = seconds_unit()};
  plot.form = BarForm::kStacked;
  for (const JsonView& one : run.at("cases").items()) {
    for (const JsonView& sorter : one.at("sorters").items()) {
      const auto steps = sorter.find("steps");
      if (!steps) continue;
      plot.categories.push_back(one.at("set").text() + ", " + sorter.at("sorter").text());
      for (const JsonView& step : steps->items()) {
        const auto value = step.value_at(member);
        if (!value) continue;
        const std::string name = step.at("name").text();
        auto found =
            std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == name; });
        if (found == plot.series.end()) found = plot.series.insert(found, {.name = name, .values = {}});
        found->values.resize(plot.categories.size());
        found->values.back() = value;
      }
    }
  }
  for (BarSeries& series : plot.series) series.values.resize(plot.categories.size());
  return plot;
}

// Comparisons that read strings, by step, of the sorters that count them.
BarPlot ties_plot(const JsonView& run) {
  BarPlot plot{.title = "Comparisons that read strings, by step",
               .category_name = "step",
               .value_name = "comparisons",
               .unit = {"", Prefixes::kDecimal}};
  for (const JsonView& one : run.at("cases").items()) {
    for (const JsonView& sorter : one.at("sorters").items()) {
      const auto steps = sorter.find("steps");
      if (!steps) continue;
      BarSeries series{.name = one.at("set").text(), .values = {}};
      for (const JsonView& step : steps->items()) {
        const double ties = step.number_at("ties");
        if (ties == 0) continue;
        const std::string name = step.at("name").text();
        auto category = std::find(plot.categories.begin(), plot.categories.end(), name);
        if (category == plot.categories.end()) category = plot.categories.insert(category, name);
        series.values.resize(std::max(series.values.size(), plot.categories.size()));
        series.values[static_cast<std::size_t>(category - plot.categories.begin())] = Value{ties, ties, ties};
      }
      if (!series.values.empty()) plot.series.push_back(std::move(series));
    }
  }
  for (BarSeries& series : plot.series) series.values.resize(plot.categories.size());
  return plot;
}

void add_steps(const JsonView& run, std::vector<PageItem>& items) {
  BarPlot wall = steps_plot(run, "wall_seconds", "Time of the steps");
  BarPlot work = steps_plot(run, "work_seconds", "Work of the steps, summed over threads");
  if (!wall.series.empty()) items.emplace_back(std::move(wall));
  if (!work.series.empty()) items.emplace_back(std::move(work));
  if (BarPlot ties = ties_plot(run); !ties.series.empty()) items.emplace_back(std::move(ties));
}

// A logarithmic axis has no place for them.
std::string zeros_text(const std::string& set, double count, const std::string& counted) {
  return " Not drawn: " + quantity_text(count, plain_unit()) + " " + counted + " of " + set + " with 0.";
}

// One plot for each histogram: values on the axis, from 2^(b-1) to 2^b - 1 at each point.
void add_histograms(const JsonView& run, std::vector<PageItem>& items) {
  constexpr std::array<std::array<const char*, 3>, 3> kPlots{
      {{"lengths", "Lengths of the strings", "strings"},
       {"ties", "Ties with the neighbours in sorted order", "strings"},
       {"equal_starts", "Sorted strings in a row with the same first four bytes", "sequences"}}};
  for (const auto& [member, title, counted] : kPlots) {
    LinePlot plot{.title = title,
                  .note = "Each point counts the values from it up to the next one.",
                  .x_name = member == kPlots[2][0] ? "strings in the sequence" : "bytes",
                  .y_name = counted,
                  .x_axis = AxisKind::kLog2};
    for (const JsonView& one : run.at("cases").items()) {
      const auto histograms = one.find("histograms");
      if (!histograms) return;
      LineSeries series{.name = one.at("set").text(), .points = {}};
      const auto counts = histograms->at(member).items();
      if (!counts.empty() && counts[0].number() > 0) plot.note += zeros_text(series.name, counts[0].number(), counted);
      for (std::size_t bucket = 1; bucket < counts.size(); ++bucket) {
        const double value = counts[bucket].number();
        if (value > 0) series.points.push_back({std::exp2(static_cast<double>(bucket - 1)), {value, value, value}});
      }
      plot.series.push_back(std::move(series));
    }
    items.emplace_back(std::move(plot));
  }
}

Table sets_table(const JsonView& run) {
  Table table{.title = "Our sets", .head = {"set", "strings", "bytes", "longest", "mean tie", "longest tie"}};
  for (const JsonView& one : run.at("cases").items()) {
    table.rows.push_back({one.at("set").text(), quantity_text(one.at("strings").number(), plain_unit()),
                          quantity_text(one.at("bytes").number(), bytes_unit()),
                          quantity_text(one.at("most_bytes").number(), plain_unit()),
                          quantity_text(one.at("mean_tie_bytes").number(), plain_unit()),
                          quantity_text(one.at("max_tie_bytes").number(), plain_unit())});
  }
  return table;
}

// Time over the size of the input, a series for each mode and half of the job.
LinePlot modes_plot(const JsonView& run) {
  LinePlot plot{.title = "Time over the size of the collection",
                .note = "Ingest parses and sorts; the rest merges, writes and syncs.",
                .x_name = "input",
                .y_name = "time",
                .x_unit = bytes_unit(),
                .y_unit = seconds_unit(),
                .x_axis = AxisKind::kLog10};
  for (const JsonView& one : run.at("cases").items()) {
    for (const JsonView& mode : one.at("modes").items()) {
      for (const auto& [half, member] : {std::pair{"ingest", "ingest_seconds"}, std::pair{"rest", "rest_seconds"}}) {
        const std::string name = mode.at("mode").text() + ", " + half;
        auto series =
            std::find_if(plot.series.begin(), plot.series.end(), [&](const auto& s) { return s.name == name; });
        if (series == plot.series.end()) series = plot.series.insert(plot.series.end(), {.name = name, .points = {}});
        if (const auto seconds = mode.value_at(member)) {
          series->points.push_back({one.at("input_bytes").number(), *seconds});
        }
      }
    }
  }
  return plot;
}

// The plots that the page of `bench sort` makes of the same cases.
void add_sorts(const JsonView& run, const std::string& command, std::vector<PageItem>& items) {
  JsonReport report{.path = "", .label = "", .command = command, .json = {{"cases", run.at("cases").json()}}};
  for (PageItem& plot : sort_plots({&report})) items.push_back(std::move(plot));
}

void add_run(const JsonView& item, const JsonView& run, std::vector<PageItem>& items) {
  const std::string kind = run.at("kind").text();
  if (kind == "keys") {
    add_sorts(run, "bench sort records", items);
  } else if (kind == "strings") {
    if (auto times = times_plot(item, run)) items.emplace_back(std::move(*times));
    for (LinePlot& plot : thread_plots(run)) items.emplace_back(std::move(plot));
    add_steps(run, items);
    add_sorts(run, "bench sort strings", items);
  } else if (kind == "sets") {
    items.emplace_back(sets_table(run));
    add_histograms(run, items);
  } else if (kind == "modes") {
    items.emplace_back(modes_plot(run));
  } else {
    run.at("kind").fail("keys, strings, sets or modes");
  }
}

PageSection item_section(const NamedItem& named) {
  const auto& [id, item] = named;
  PageSection section{item.at("paper").text() + ", " + id + ": " + item.at("title").text(), {}, id};
  Facts facts{{{"status", item.at("status").text()}}};
  if (const std::string ours = item.text_at("stand_in"); !ours.empty()) facts.rows.emplace_back("measured here", ours);
  if (const std::string out = item.text_at("left_out"); !out.empty()) facts.rows.emplace_back("left out", out);
  section.items.emplace_back(std::move(facts));
  if (auto table = paper_table(item)) section.items.emplace_back(std::move(*table));
  if (auto table = indexer_table(item)) section.items.emplace_back(std::move(*table));
  for (const JsonView& run : item.at("runs").items()) add_run(item, run, section.items);
  return section;
}

bool was_run(const ReportedItem& found) { return !found.item.at("runs").items().empty(); }

// The items of one paper in all reports, each as often as it was measured, or once.
std::vector<NamedItem> items_of(const Reports& reports, const std::string& paper) {
  std::vector<std::pair<std::string, std::vector<ReportedItem>>> by_id;
  for (const JsonReport* report : reports) {
    for (const JsonView& item : report->view().at("items").items()) {
      if (item.at("paper").text() != paper) continue;
      const std::string id = item.at("id").text();
      auto same = std::find_if(by_id.begin(), by_id.end(), [&](const auto& one) { return one.first == id; });
      if (same == by_id.end()) same = by_id.insert(by_id.end(), {id, {}});
      same->second.push_back({report->label, item});
    }
  }
  std::vector<NamedItem> items;
  for (auto& [id, found] : by_id) {
    if (std::any_of(found.begin(), found.end(), was_run)) {
      std::erase_if(found, [](const ReportedItem& one) { return !was_run(one); });
    } else {
      found.erase(found.begin() + 1, found.end());
    }
    for (const ReportedItem& one : found) items.push_back({found.size() == 1 ? id : id + ", " + one.label, one.item});
  }
  return items;
}

std::vector<ReportedItem> all_items(const Reports& reports) {
  std::vector<ReportedItem> all;
  for (const JsonReport* report : reports) {
    for (const JsonView& item : report->view().at("items").items()) all.push_back({report->label, item});
  }
  return all;
}

// Name and title of each paper that the reports have.
std::vector<std::pair<std::string, std::string>> papers_of(const Reports& reports) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const JsonReport* report : reports) {
    for (const JsonView& paper : report->view().at("papers").items()) {
      std::pair one{paper.at("name").text(), paper.at("title").text()};
      if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

std::vector<PageSection> paper_sections(const Reports& reports) {
  std::vector<PageSection> sections;
  if (auto glance = paper_glance(all_items(reports))) sections.push_back(std::move(*glance));
  for (const auto& [name, title] : papers_of(reports)) {
    const std::vector<NamedItem> items = items_of(reports, name);
    Table table = items_table(items);
    sections.push_back({title, {}});
    if (!table.rows.empty() || !table.note.empty()) sections.back().items.emplace_back(std::move(table));
    for (const NamedItem& named : items) {
      if (!named.item.at("runs").items().empty() || !named.item.at("paper_figures").items().empty()) {
        sections.push_back(item_section(named));
      }
    }
  }
  return sections;
}

}  // namespace spillway
