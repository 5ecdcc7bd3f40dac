#include "tools/report_page/paper_glance.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/report_page/paper_columns.hpp"
#include "tools/report_page/paper_here.hpp"

namespace spillway {

namespace {

// A ratio or a rate of a paper, and here.
struct Finding {
  std::string name;
  double paper = 0;
  std::vector<std::pair<std::string, double>> here = {};  // by report
};

void add(const std::string& label, const ColumnRatio& one, std::vector<Finding>& findings) {
  auto same =
      std::find_if(findings.begin(), findings.end(), [&](const Finding& other) { return other.name == one.name; });
  if (same == findings.end()) same = findings.insert(findings.end(), {one.name, one.paper});
  same->here.emplace_back(label, one.here);
}

// Names of ratios and rates that the papers print. Every one is short enough for a phone.
struct NamedFigure {
  const char *paper, *item, *sort, *at, *name;  // sort: the first word of its series
};

constexpr std::array<NamedFigure, 19> kNamed{
    {{"satish2009", "figure 5", "radix", "8 bits", "Satish fig. 5: radix, 8 bits to 32"},
     {"satish2009", "figure 5", "radix", "16 bits", "Satish fig. 5: radix, 16 bits to 32"},
     {"satish2009", "figure 5", "radix", "24 bits", "Satish fig. 5: radix, 24 bits to 32"},
     {"satish2009", "figure 5", "merge", "8 bits, at most", "Satish fig. 5: merge, 8 bits to 32"},
     {"satish2009", "figure 6", "merge", "all-zero", "Satish fig. 6: merge, equal keys to random"},
     {"satish2009", "figure 6", "merge", "sorted", "Satish fig. 6: merge, sorted keys to random"},
     {"satish2009", "figure 7", "the paper's GPU radix", "quicksort of Cederman and Tsigas (keys alone, GTX 280)",
      "Satish fig. 7: radix to quicksort"},
     {"satish2009", "figure 8a", "the paper's GPU radix", "tbb::parallel_sort, 8 cores",
      "Satish fig. 8a: radix to tbb::parallel_sort"},
     {"satish2009", "figure 8a", "the paper's GPU radix", "radix sort with TBB, 8 cores",
      "Satish fig. 8a: radix to radix with TBB"},
     {"satish2009", "figure 8a", "the paper's GPU merge", "tbb::parallel_sort, 8 cores",
      "Satish fig. 8a: merge to tbb::parallel_sort"},
     {"davidson2012", "figure 7a", "the paper's merge", "Thrust, keys", "Davidson fig. 7a: merge to Thrust's, keys"},
     {"davidson2012", "figure 7a", "the paper's merge", "Thrust, pairs", "Davidson fig. 7a: merge to Thrust's, pairs"},
     {"davidson2012", "figure 7a", "the paper's merge", "Satish et al., pairs",
      "Davidson fig. 7a: merge to Satish's, pairs"},
     {"davidson2012", "figure 7b", "sentences", "sentences", "Davidson fig. 7b: words to sentences"},
     {"davidson2012", "figure 7b", "strings per second", "words", "Davidson fig. 7b: words"},
     {"satish2009", "figure 8b", "rate", "GPU radix sort, GTX 280", "Satish fig. 8b: floats by radix"},
     {"drozd2014", "figure 8", "rate", "CPU", "Drozd fig. 8: strings on the CPU"},
     {"drozd2014", "figure 8", "rate", "hybrid of CPU and GPU", "Drozd fig. 8: strings, hybrid"},
     {"drozd2014", "figure 7", "largest", "two sockets, 32 cores", "Drozd fig. 7: all threads to one"}}};

std::string name_of(const PaperFigureHere& figure) {
  const auto* const found = std::find_if(kNamed.begin(), kNamed.end(), [&](const NamedFigure& named) {
    return figure.paper == named.paper && figure.item == named.item && figure.series.starts_with(named.sort) &&
           figure.at == named.at;
  });
  return found == kNamed.end() ? "" : found->name;
}

enum class FindingKind : std::uint8_t { kRatio, kRate };

std::optional<ColumnRatio> printed(const JsonView& item, const PaperFigureHere& figure, FindingKind kind) {
  const std::string name = name_of(figure);
  if (name.empty() || item.at("paper").text() != figure.paper || item.at("id").text() != figure.item) {
    return std::nullopt;
  }
  for (const JsonView& series : item.at("paper_figures").items()) {
    const bool is_rate = series.at("unit").text().ends_with("/s");
    if (is_rate != (kind == FindingKind::kRate) || !figure.series.starts_with(series.at("name").text())) continue;
    for (const JsonView& point : series.at("points").items()) {
      if (point.at("at").text() != figure.at) continue;
      const auto here = measured_here(item, figure.series, figure.at);
      const double paper = point.at("value").number();
      if (here && *here > 0 && paper > 0) return ColumnRatio{name, paper, *here};
    }
  }
  return std::nullopt;
}

std::vector<Finding> findings_of(const std::vector<ReportedItem>& items, FindingKind kind) {
  std::vector<Finding> findings;
  for (const auto& [label, item] : items) {
    for (const PaperFigureHere& figure : paper_figures_here()) {
      if (const auto one = printed(item, figure, kind)) add(label, *one, findings);
    }
    if (kind == FindingKind::kRate) continue;
    for (const ColumnRatio& ratio : column_ratios(item)) add(label, ratio, findings);
  }
  return findings;
}

// "measured here", or one for each report where there are several: they may be of different machines.
BarSeries& series_named(const std::string& label, bool is_one, BarPlot& plot) {
  const std::string name = is_one ? "measured here" : "measured here, " + label;
  const auto found =
      std::find_if(plot.series.begin(), plot.series.end(), [&](const BarSeries& one) { return one.name == name; });
  if (found != plot.series.end()) return *found;
  plot.series.push_back({.name = name});
  plot.series.back().values.resize(plot.categories.size());
  return plot.series.back();
}

BarPlot empty_plot(FindingKind kind) {
  BarPlot plot{.category_name = "figure", .form = BarForm::kMarks};
  if (kind == FindingKind::kRatio) {
    plot.title = "How many times as fast: the papers' figures, and ours";
    plot.note =
        "Each line has one ratio: hollow as the paper prints it, filled as it was measured here, of the largest input "
        "or the mean that the paper takes. Where the marks meet, the finding holds; 1 is no gain. Ratios of several "
        "sets are geometric means, of jobs those of the largest collection. Times of sorts here are without transfers; "
        "the paper's of table VIII are with memory set-up. With --quick inputs are small, and GPUs look slower.";
    plot.value_name = "times as fast";
    plot.unit = {"times", Prefixes::kNone};
  } else {
    plot.title = "Rates, then and now";
    plot.note = "Keys or strings a second: hollow on the paper's machine, filled on this one.";
    plot.value_name = "per second";
    plot.unit = {"", Prefixes::kDecimal};
  }
  return plot;
}

BarPlot plot_of(const std::vector<Finding>& findings, FindingKind kind) {
  BarPlot plot = empty_plot(kind);
  const auto value = [](double number) { return Value{number, number, number}; };
  BarSeries papers{.name = "the paper's", .origin = Origin::kPaper};
  for (const Finding& finding : findings) {
    plot.categories.push_back(finding.name);
    papers.values.emplace_back(value(finding.paper));
  }
  plot.series.push_back(std::move(papers));
  const std::string& first = findings.front().here.front().first;
  const bool is_one = std::all_of(findings.begin(), findings.end(), [&](const Finding& one) {
    return one.here.size() == 1 && one.here.front().first == first;
  });
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (const auto& [label, here] : findings[i].here) series_named(label, is_one, plot).values[i] = value(here);
  }
  return plot;
}

// Nothing where no row of the report lacks a GPU.
std::string lack_of_gpu_text(const std::vector<ReportedItem>& items, const std::string& report) {
  std::size_t measured = 0, parts = 0, none = 0;
  bool is_one = true;
  for (const auto& [label, item] : items) {
    is_one = is_one && label == report;
    if (label != report) continue;
    const std::string status = item.at("status").text();
    measured += status == "measured" ? 1 : 0;
    parts += status == "CPU part" ? 1 : 0;
    none += status == "needs a GPU" ? 1 : 0;
  }
  if (parts + none == 0) return "";
  return "Without a GPU" + (is_one ? "" : " (" + report + ")") +
         ", tables and figures that were measured: " + std::to_string(measured) +
         "; only on the CPU: " + std::to_string(parts) + "; not at all: " + std::to_string(none) + ".";
}

}  // namespace

std::optional<PageSection> paper_glance(const std::vector<ReportedItem>& items) {
  PageSection section{"The papers at a glance", {}};
  std::string before;
  for (const ReportedItem& one : items) {
    if (std::exchange(before, one.label) == one.label) continue;
    std::string text = lack_of_gpu_text(items, one.label);
    if (!text.empty()) section.items.emplace_back(Paragraph{std::move(text)});
  }
  for (const FindingKind kind : {FindingKind::kRatio, FindingKind::kRate}) {
    const std::vector<Finding> findings = findings_of(items, kind);
    if (!findings.empty()) section.items.emplace_back(plot_of(findings, kind));
  }
  return section.items.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace spillway
