#include "tools/report_page/paper_glance.hpp"

#include <algorithm>
#include <array>

#include "tools/report_page/paper_columns.hpp"
#include "tools/report_page/paper_here.hpp"

namespace spillway {

namespace {

struct Ratio {
  std::string name;
  double paper = 0;
  std::vector<std::pair<std::string, double>> here = {};  // by report
};

void add(const std::string& label, const ColumnRatio& one, std::vector<Ratio>& ratios) {
  auto same = std::find_if(ratios.begin(), ratios.end(), [&](const Ratio& other) { return other.name == one.name; });
  if (same == ratios.end()) same = ratios.insert(ratios.end(), {one.name, one.paper});
  same->here.emplace_back(label, one.here);
}

// Names of the figures that the papers print as ratios. Every one is short enough for a phone.
struct NamedFigure {
  const char *paper, *item, *sort, *at, *name;  // sort: the first word of its series
};

constexpr std::array<NamedFigure, 15> kNamed{
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
     {"drozd2014", "figure 7", "largest", "two sockets, 32 cores", "Drozd fig. 7: all threads to one"}}};

std::string name_of(const PaperFigureHere& figure) {
  const auto* const found = std::find_if(kNamed.begin(), kNamed.end(), [&](const NamedFigure& named) {
    return figure.paper == named.paper && figure.item == named.item && figure.series.starts_with(named.sort) &&
           figure.at == named.at;
  });
  return found == kNamed.end() ? "" : found->name;
}

std::optional<ColumnRatio> printed_ratio(const JsonView& item, const PaperFigureHere& figure) {
  const std::string name = name_of(figure);
  if (name.empty() || item.at("paper").text() != figure.paper || item.at("id").text() != figure.item) {
    return std::nullopt;
  }
  for (const JsonView& series : item.at("paper_figures").items()) {
    if (!figure.series.starts_with(series.at("name").text())) continue;
    for (const JsonView& point : series.at("points").items()) {
      if (point.at("at").text() != figure.at) continue;
      const auto here = measured_here(item, figure.series, figure.at);
      const double paper = point.at("value").number();
      if (here && *here > 0 && paper > 0) return ColumnRatio{name, paper, *here};
    }
  }
  return std::nullopt;
}

std::vector<Ratio> ratios_of(const std::vector<ReportedItem>& items) {
  std::vector<Ratio> ratios;
  for (const auto& [label, item] : items) {
    for (const PaperFigureHere& figure : paper_figures_here()) {
      if (const auto ratio = printed_ratio(item, figure)) add(label, *ratio, ratios);
    }
    for (const ColumnRatio& ratio : column_ratios(item)) add(label, ratio, ratios);
  }
  return ratios;
}

// "measured here", or one for each report where several have the same ratio.
BarSeries& series_named(const std::string& label, bool is_one, BarPlot& plot) {
  const std::string name = is_one ? "measured here" : "measured here, " + label;
  const auto found =
      std::find_if(plot.series.begin(), plot.series.end(), [&](const BarSeries& one) { return one.name == name; });
  if (found != plot.series.end()) return *found;
  plot.series.push_back({.name = name});
  plot.series.back().values.resize(plot.categories.size());
  return plot.series.back();
}

}  // namespace

std::optional<PageSection> paper_glance(const std::vector<ReportedItem>& items) {
  const std::vector<Ratio> ratios = ratios_of(items);
  if (ratios.empty()) return std::nullopt;
  BarPlot plot{.title = "How many times as fast: the papers' figures, and ours",
               .note =
                   "Each line has one ratio: hollow as the paper prints it, filled as it was measured here, of the "
                   "largest input or the mean that the paper takes. Where the marks meet, the finding holds; 1 is no "
                   "gain. Ratios of several sets are geometric means, of jobs those of the largest collection. With "
                   "--quick inputs are small, and GPUs look slower.",
               .category_name = "ratio",
               .value_name = "times as fast",
               .unit = {"times", Prefixes::kNone},
               .form = BarForm::kMarks};
  const auto value = [](double ratio) { return Value{ratio, ratio, ratio}; };
  BarSeries papers{.name = "the paper's", .origin = Origin::kPaper};
  for (const Ratio& ratio : ratios) {
    plot.categories.push_back(ratio.name);
    papers.values.emplace_back(value(ratio.paper));
  }
  plot.series.push_back(std::move(papers));
  const bool is_one = std::all_of(ratios.begin(), ratios.end(), [](const Ratio& one) { return one.here.size() == 1; });
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    for (const auto& [label, here] : ratios[i].here) series_named(label, is_one, plot).values[i] = value(here);
  }
  return PageSection{"The papers at a glance", {std::move(plot)}};
}

}  // namespace spillway
