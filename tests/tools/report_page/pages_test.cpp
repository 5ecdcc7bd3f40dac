// `bench report`: the plots of each kind of report, and what is said of bad ones.
#include "tools/report_page/pages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/base/error.hpp"
#include "tests/support/index_files.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/scratch_directory.hpp"
#include "tools/bench/paper/item.hpp"
#include "tools/report_page/paper_columns.hpp"
#include "tools/report_page/paper_here.hpp"

namespace spillway {
namespace {

using nlohmann::ordered_json;
using testing::ProgramResult;
using testing::read_bytes;
using testing::run_spillway;
using testing::ScratchDirectory;
using testing::write_bytes;

JsonReport report_of(ordered_json json, const std::string& label = "one") {
  JsonReport report{.path = label + ".json", .label = label, .command = json.at("command")};
  report.json = std::move(json);
  return report;
}

ordered_json seconds(double median) {
  return {{"median", median}, {"least", median * 0.9}, {"most", median * 1.1}, {"rounds", {median}}};
}

ordered_json sorter(const std::string& name, double median) {
  return {{"sorter", name},
          {"on_gpu", false},
          {"scratch_bytes", 1024},
          {"per_second", 1e6},
          {"sort_seconds", seconds(median)},
          {"from_pinned_seconds", nullptr},
          {"from_pageable_seconds", nullptr}};
}

ordered_json keys_case(const std::string& distribution, std::uint64_t count, int bits) {
  return {{"distribution", distribution},
          {"count", count},
          {"bits", bits},
          {"bytes", 8 * count},
          {"sorters", {sorter("cpu-radix", 0.001), sorter("cpu-quick", 0.002)}}};
}

ordered_json keys_report(const std::vector<ordered_json>& cases) {
  return {{"program", "spillway"}, {"command", "bench sort records"}, {"version", "1"}, {"cases", cases}};
}

// All items of a kind in a page.
template <typename Item>
std::vector<Item> items_of(const Page& page) {
  std::vector<Item> found;
  for (const PageSection& section : page.sections) {
    for (const PageItem& item : section.items) {
      if (const auto* one = std::get_if<Item>(&item)) found.push_back(*one);
    }
  }
  return found;
}

TEST(SortPages, DrawLinesOverTheNumberOfKeys) {
  const Page page = page_of({report_of(keys_report({keys_case("uniform", 4096, 32), keys_case("uniform", 1024, 32)}))});
  const auto plots = items_of<LinePlot>(page);
  ASSERT_EQ(plots.size(), 1u);
  ASSERT_EQ(plots[0].series.size(), 2u);
  EXPECT_EQ(plots[0].series[0].name, "cpu-radix");
  ASSERT_EQ(plots[0].series[0].points.size(), 2u);
  EXPECT_DOUBLE_EQ(plots[0].series[0].points[0].x, 1024) << "sorted by their number";
  EXPECT_DOUBLE_EQ(plots[0].series[0].points[0].y.middle, 1.024e6);
  EXPECT_DOUBLE_EQ(plots[0].series[0].points[0].y.least, 1024 / 0.0011) << "of the slowest round";
  EXPECT_EQ(items_of<Table>(page).size(), 1u);
  EXPECT_EQ(items_of<Table>(page)[0].rows.size(), 4u);
}

TEST(SortPages, DrawLinesOverBitsAndMarksOverDistributions) {
  const Page page = page_of({report_of(
      keys_report({keys_case("uniform", 1024, 16), keys_case("uniform", 1024, 64), keys_case("zipfian", 1024, 64)}))});
  ASSERT_EQ(items_of<LinePlot>(page).size(), 1u);
  EXPECT_EQ(items_of<LinePlot>(page)[0].x_name, "bits of a key");
  ASSERT_EQ(items_of<BarPlot>(page).size(), 2u) << "the first is that of all inputs";
  EXPECT_EQ(items_of<BarPlot>(page)[1].categories, (std::vector<std::string>{"uniform", "zipfian"}));
  EXPECT_EQ(items_of<BarPlot>(page)[1].form, BarForm::kMarks);
}

// More plots would say the same.
TEST(SortPages, DrawTheWidthsOfAGridForItsGreatestNumber) {
  std::vector<ordered_json> grid;
  for (const std::uint64_t count : {1024, 4096, 16384}) {
    for (const int bits : {16, 32}) {
      for (const char* distribution : {"uniform", "zipfian"}) grid.push_back(keys_case(distribution, count, bits));
    }
  }
  const Page page = page_of({report_of(keys_report(grid))});
  std::vector<std::string> titles;
  for (const LinePlot& plot : items_of<LinePlot>(page)) titles.push_back(plot.title);
  EXPECT_EQ(titles,
            (std::vector<std::string>{"uniform, 16,384 keys: keys per second", "zipfian, 16,384 keys: keys per second",
                                      "uniform, 16 bits: keys per second", "uniform, 32 bits: keys per second",
                                      "zipfian, 16 bits: keys per second", "zipfian, 32 bits: keys per second"}));
  std::vector<std::string> marks;
  for (const BarPlot& plot : items_of<BarPlot>(page)) marks.push_back(plot.title);
  EXPECT_EQ(marks, (std::vector<std::string>{"Time as a multiple of the fastest sorter's, over 12 inputs",
                                             "Distributions of 16,384 keys of 16 bits: keys per second",
                                             "Distributions of 16,384 keys of 32 bits: keys per second"}));
}

TEST(SortPages, DrawBarsOfASingleCase) {
  const Page page = page_of({report_of(keys_report({keys_case("uniform", 1024, 64)}))});
  const auto plots = items_of<BarPlot>(page);
  ASSERT_EQ(plots.size(), 1u);
  EXPECT_EQ(plots[0].categories, (std::vector<std::string>{"cpu-radix", "cpu-quick"}));
}

// cpu-radix takes half of the time of cpu-quick on one input, and four times as long on the other.
TEST(SortPages, BeginWithTheAverageOverAllInputs) {
  ordered_json slow = keys_case("uniform", 4096, 32);
  slow["sorters"] = {sorter("cpu-quick", 0.001), sorter("cpu-radix", 0.004)};
  const Page page = page_of({report_of(keys_report({keys_case("uniform", 1024, 32), slow}))});
  EXPECT_EQ(page.sections[0].title, "At a glance");
  const BarPlot plot = items_of<BarPlot>(page).at(0);
  EXPECT_EQ(plot.categories, (std::vector<std::string>{"cpu-quick", "cpu-radix"})) << "the fastest on average first";
  const auto& values = plot.series.at(0).values;
  EXPECT_DOUBLE_EQ(values[0]->middle, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(values[0]->least, 1);
  EXPECT_DOUBLE_EQ(values[0]->most, 2);
  EXPECT_DOUBLE_EQ(values[1]->middle, 2);
  EXPECT_DOUBLE_EQ(values[1]->least, 1);
  EXPECT_DOUBLE_EQ(values[1]->most, 4);
}

// An average over easy inputs would look better than one over all.
TEST(SortPages, CompareAveragesOverTheSameInputsOnly) {
  const std::vector<ordered_json> two{keys_case("uniform", 1024, 32), keys_case("uniform", 2048, 32)};
  std::vector<ordered_json> three = two;
  three.push_back(keys_case("uniform", 4096, 32));
  three.back()["sorters"].push_back(sorter("gpu-radix", 0.0001));
  const Page page = page_of({report_of(keys_report(two), "small"), report_of(keys_report(three), "large")});
  const auto plots = items_of<BarPlot>(page);
  ASSERT_EQ(plots.size(), 2u) << "gpu-radix has a single input";
  EXPECT_EQ(plots[0].categories, (std::vector<std::string>{"cpu-radix, small", "cpu-quick, small"}));
  EXPECT_EQ(plots[1].categories, (std::vector<std::string>{"cpu-radix, large", "cpu-quick, large"}));
  EXPECT_DOUBLE_EQ(plots[1].series[0].values[0]->middle, 1) << "the fastest of those that are compared";
}

TEST(SortPages, ArePartsBesideReportsOfOtherKinds) {
  const ordered_json paper{{"program", "spillway"},
                           {"command", "bench paper"},
                           {"version", "1"},
                           {"papers", ordered_json::array()},
                           {"items", ordered_json::array()}};
  const Page page = page_of({report_of(keys_report({keys_case("uniform", 1024, 64)})), report_of(paper)});
  ASSERT_GE(page.sections.size(), 2u);
  EXPECT_EQ(page.sections[0].title, "Sorters of integer keys");
  EXPECT_EQ(page.sections[0].short_title, "");
  EXPECT_EQ(page.sections[0].items.size(), 2u) << "what they show, and the bars of the single input";
  EXPECT_EQ(page.sections[1].title, "Sorters of integer keys: All figures");
  EXPECT_EQ(page.sections[1].short_title, "All figures");
}

ordered_json pairs_case(std::uint64_t count, int bits) {
  ordered_json one = keys_case("uniform", count, bits);
  one["pairs"] = true;
  return one;
}

TEST(SortPages, CallPairsPairs) {
  const Page page =
      page_of({report_of(keys_report({pairs_case(1024, 32), pairs_case(4096, 32), pairs_case(1024, 8)}))});
  const auto plots = items_of<LinePlot>(page);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].title, "uniform, 1,024 pairs: pairs per second") << "comparisons of inputs come first";
  EXPECT_EQ(plots[1].title, "uniform, keys of 32 bits: pairs per second");
  EXPECT_EQ(plots[1].x_name, "number of pairs");
  ASSERT_EQ(items_of<Paragraph>(page).size(), 1u) << "what all of the plots show";
  EXPECT_TRUE(items_of<Paragraph>(page)[0].text.starts_with("Input and result are in the memory "));
}

TEST(SortPages, KeepPairsApartFromKeys) {
  const Page page = page_of({report_of(keys_report({keys_case("uniform", 1024, 32), pairs_case(1024, 32)}))});
  const auto plots = items_of<BarPlot>(page);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[1].categories, (std::vector<std::string>{"uniform", "uniform, pairs"}));
  EXPECT_EQ(plots[1].title, "Distributions of 1,024 records, keys of 32 bits: records per second");
}

TEST(SortPages, RefuseWordsForPairs) {
  ordered_json one = pairs_case(1024, 32);
  one["pairs"] = "yes";
  EXPECT_THROW(page_of({report_of(keys_report({one}))}), FormatError);
}

// So that machines can be compared.
TEST(SortPages, PutReportsOfOneBenchmarkInTheSamePlots) {
  const ordered_json one = keys_report({keys_case("uniform", 1024, 64), keys_case("uniform", 2048, 64)});
  const Page page = page_of({report_of(one, "small"), report_of(one, "large")});
  const auto plots = items_of<LinePlot>(page);
  ASSERT_EQ(plots.size(), 1u);
  ASSERT_EQ(plots[0].series.size(), 4u);
  EXPECT_EQ(plots[0].series[0].name, "cpu-radix, small");
  EXPECT_EQ(plots[0].series[3].name, "cpu-quick, large");
}

TEST(SortPages, ShowTransfersWhereTheyWereMeasured) {
  ordered_json one = keys_case("uniform", 1024, 64);
  one["sorters"][1]["from_pinned_seconds"] = seconds(0.004);
  const auto plots = items_of<BarPlot>(page_of({report_of(keys_report({one}))}));
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[1].categories, std::vector<std::string>{"cpu-quick"});
  EXPECT_EQ(plots[0].title, "uniform: 1,024 keys of 64 bits: keys per second");
  EXPECT_EQ(plots[1].title, "uniform: 1,024 keys of 64 bits: keys per second, from pinned memory")
      << "unlike the first";
}

ordered_json counters_case(const std::string& sorter, int count, int sectors, ordered_json predicted, int divergent) {
  return {{"sorter", sorter},
          {"count", count},
          {"sectors", sectors},
          {"predicted_sectors", std::move(predicted)},
          {"bank_conflicts", 2 * count},
          {"divergent_branches", divergent}};
}

// The report of bench/sort_counters.py, whose command has options.
TEST(CounterPages, DrawCountersForEachKey) {
  const ScratchDirectory scratch;
  const ordered_json report{
      {"program", "spillway"},
      {"command", "bench/sort_counters.py --powers 10,12"},
      {"version", "1"},
      {"gpu", "a GPU"},
      {"cases",
       {counters_case("gpu-quick", 4096, 8192, nullptr, 1024), counters_case("gpu-quick", 1024, 1024, nullptr, 64),
        counters_case("gpu-bitonic", 1024, 512, 768, 0)}}};
  write_bytes(scratch / "counters.json", report.dump());
  const ProgramResult result =
      run_spillway({"bench", "report", scratch / "counters.json", "-o", scratch / "page.html"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(read_bytes(scratch / "page.html").find("bench/sort_counters.py --powers 10,12"), std::string::npos);

  ordered_json of_script = report;
  of_script["command"] = "bench/sort_counters.py";
  const Page page = page_of({report_of(of_script)});
  const auto plots = items_of<LinePlot>(page);
  ASSERT_EQ(plots.size(), 3u);
  ASSERT_EQ(plots[0].series.size(), 3u) << "two sorters, and the model of one";
  EXPECT_EQ(plots[0].series[1].name, "gpu-quick");
  ASSERT_EQ(plots[0].series[1].points.size(), 2u);
  EXPECT_DOUBLE_EQ(plots[0].series[1].points[0].y.middle, 1) << "sorted by the number of keys";
  EXPECT_DOUBLE_EQ(plots[0].series[1].points[1].y.middle, 2);
  EXPECT_EQ(plots[0].series[2].name, "gpu-bitonic, K-model");
  EXPECT_DOUBLE_EQ(plots[0].series[2].points[0].y.middle, 0.75);
  ASSERT_EQ(plots[2].series.size(), 1u) << "a sort without divergent branches has no line";
  EXPECT_EQ(items_of<Table>(page)[0].rows.size(), 3u);
}

// Every place of a figure is one that the papers have, and its sorters are measured there.
TEST(PaperFiguresHere, AreFiguresOfThePapers) {
  const auto runs_of = [](const PaperItem& item) {
    std::vector<std::string> sorters;
    for (const PaperRun& run : item.runs) {
      if (const auto* keys = std::get_if<KeysRun>(&run)) {
        sorters.insert(sorters.end(), keys->sorters.begin(), keys->sorters.end());
      } else if (const auto* strings = std::get_if<StringsRun>(&run)) {
        sorters.insert(sorters.end(), strings->sorters.begin(), strings->sorters.end());
      }
    }
    return sorters;
  };
  for (const PaperFigureHere& figure : paper_figures_here()) {
    std::size_t found = 0;
    for (const Paper& paper : papers()) {
      for (const PaperItem& item : paper.items) {
        if (paper.name != figure.paper || item.id != figure.item) continue;
        for (const PaperSeries& series : item.figures) {
          const bool is_it = series.name == figure.series;
          for (const PaperPoint& point : series.points) found += is_it && point.at == figure.at ? 1 : 0;
        }
        const std::vector<std::string> sorters = runs_of(item);
        EXPECT_TRUE(std::count(sorters.begin(), sorters.end(), figure.here.of.sorter) > 0) << figure.here.of.sorter;
        const std::string& rival = figure.here.against.sorter;
        EXPECT_TRUE(rival.empty() || std::count(sorters.begin(), sorters.end(), rival) > 0) << rival;
      }
    }
    EXPECT_EQ(found, 1u) << figure.paper << ", " << figure.item << ", " << figure.series << ", " << figure.at;
  }
}

ordered_json paper_report(const std::string& paper, const std::string& id, ordered_json figures, ordered_json cases) {
  return {{"program", "spillway"},
          {"command", "bench paper"},
          {"version", "1"},
          {"papers", {{{"name", paper}, {"title", "A paper"}}}},
          {"items",
           {{{"paper", paper},
             {"id", id},
             {"title", "rates"},
             {"paper_machine", "a machine"},
             {"status", "measured"},
             {"paper_figures", std::move(figures)},
             {"runs", {{{"kind", "keys"}, {"cases", std::move(cases)}}}}}}}};
}

ordered_json rates_case(std::uint64_t count, int bits, double radix, double quick) {
  ordered_json one = keys_case("uniform", count, bits);
  one["sorters"] = {sorter("gpu-radix:satish", 0.001), sorter("cpu-quick", 0.002)};
  one["sorters"][0]["per_second"] = radix;
  one["sorters"][1]["per_second"] = quick;
  return one;
}

// The last table of a page of one item, without its head.
std::vector<std::vector<std::string>> figures_table(const ordered_json& report) {
  const auto tables = items_of<Table>(page_of({report_of(report)}));
  for (const Table& table : tables) {
    if (table.title == "The paper's own figures, and ours") return table.rows;
  }
  return {};
}

TEST(PaperPages, PutOursBesideThePapersFigures) {
  const ordered_json widths{{{"name", "radix sort, times as fast as with 32 bits"},
                             {"unit", "times"},
                             {"points", {{{"at", "8 bits"}, {"value", 4}}, {{"at", "16 bits"}, {"value", 2}}}}}};
  const ordered_json by_width = paper_report("satish2009", "figure 5", widths,
                                             {rates_case(1024, 8, 90, 1), rates_case(4096, 8, 70, 1),
                                              rates_case(1024, 32, 10, 1), rates_case(4096, 32, 20, 1)});
  EXPECT_EQ(figures_table(by_width),
            (std::vector<std::vector<std::string>>{{"8 bits", "4 times", "3.50 times"}, {"16 bits", "2 times", ""}}))
      << "of the largest number of keys; 16 bits were not measured";
  const ordered_json gains{{{"name", "the paper's GPU radix sort, times as fast, above 8K pairs"},
                            {"unit", "times"},
                            {"points",
                             {{{"at", "tbb::parallel_sort, 8 cores"}, {"value", 4.4}},
                              {{"at", "radix sort with SSE2, 8 cores"}, {"value", 3.5}}}}}};
  const ordered_json beside_cpu =
      paper_report("satish2009", "figure 8a", gains,
                   {rates_case(8192, 32, 1000, 1), rates_case(16384, 32, 20, 10), rates_case(65536, 32, 40, 10)});
  EXPECT_EQ(figures_table(beside_cpu),
            (std::vector<std::vector<std::string>>{{"tbb::parallel_sort, 8 cores", "4.40 times", "3 times"},
                                                   {"radix sort with SSE2, 8 cores", "3.50 times", ""}}))
      << "the mean above 8,192";
  ordered_json rates{{{"name", "rate, on average"},
                      {"unit", "keys/s"},
                      {"points", {{{"at", "GPU radix sort, GTX 280"}, {"value", 187e6}}}}}};
  const ordered_json floats =
      paper_report("satish2009", "figure 8b", rates, {rates_case(1024, 32, 1e9, 1), rates_case(2048, 32, 4e9, 1)});
  EXPECT_EQ(figures_table(floats),
            (std::vector<std::vector<std::string>>{{"GPU radix sort, GTX 280", "187 M keys/s", "2.50 G keys/s"}}));
  const ordered_json speed_up{{{"name", "largest speed-up"},
                               {"unit", "times"},
                               {"points", {{{"at", "two sockets, 32 cores"}, {"value", 16}}}}}};
  ordered_json by_threads = keys_case("random-ascii", 1024, 32);
  by_threads["sorters"] = ordered_json::array();
  for (const auto& [threads, rate] : {std::pair("1 thread", 2), {"2 threads", 4}, {"16 threads", 15}}) {
    for (const std::string name : {"cpu-msd", "cpu-multikey"}) {
      by_threads["sorters"].push_back(sorter((name + ", " + threads).c_str(), 0.001));
      by_threads["sorters"].back()["per_second"] = name == "cpu-msd" ? rate : 100 * rate * rate;
    }
  }
  EXPECT_EQ(figures_table(paper_report("drozd2014", "figure 7", speed_up, {by_threads})),
            (std::vector<std::vector<std::string>>{{"two sockets, 32 cores", "16 times", "7.50 times"}}));
}

// A reader sees the ratios of the papers beside ours first.
TEST(PaperPages, BeginWithTheRatiosOfThePapersAndOurs) {
  const ordered_json widths{{{"name", "radix sort, times as fast as with 32 bits"},
                             {"unit", "times"},
                             {"points", {{{"at", "8 bits"}, {"value", 4}}, {{"at", "16 bits"}, {"value", 2}}}}}};
  const ordered_json report =
      paper_report("satish2009", "figure 5", widths, {rates_case(4096, 8, 70, 1), rates_case(4096, 32, 20, 1)});
  const Page page = page_of({report_of(report)});
  ASSERT_EQ(page.sections[0].title, "The papers at a glance");
  const BarPlot plot = items_of<BarPlot>(page)[0];
  EXPECT_EQ(plot.categories, std::vector<std::string>{"Satish fig. 5: radix, 8 bits to 32"}) << "16 were not measured";
  ASSERT_EQ(plot.series.size(), 2u);
  EXPECT_EQ(plot.series[0].origin, Origin::kPaper);
  EXPECT_DOUBLE_EQ(plot.series[0].values[0]->middle, 4);
  EXPECT_EQ(plot.series[1].name, "measured here");
  EXPECT_DOUBLE_EQ(plot.series[1].values[0]->middle, 3.5);
  EXPECT_TRUE(items_of<Paragraph>(page).size() == 1) << "no row lacks a GPU: only that of the sorts";
  const Page both = page_of({report_of(report, "a"), report_of(report, "b")});
  const BarPlot of_both = items_of<BarPlot>(both)[0];
  ASSERT_EQ(of_both.series.size(), 3u) << "a series for each machine";
  EXPECT_EQ(of_both.series[2].name, "measured here, b");
  const ordered_json other =
      paper_report("satish2009", "figure 5", widths, {rates_case(4096, 16, 50, 1), rates_case(4096, 32, 20, 1)});
  const BarPlot of_others = items_of<BarPlot>(page_of({report_of(report, "a"), report_of(other, "b")}))[0];
  ASSERT_EQ(of_others.categories.size(), 2u);
  ASSERT_EQ(of_others.series.size(), 3u) << "also where each machine measured something else";
  EXPECT_EQ(of_others.series[1].name, "measured here, a");
}

TEST(PaperPages, ShowRatesThenAndNowAndWhatLackedAGpu) {
  const ordered_json rates{{{"name", "rate, on average"},
                            {"unit", "keys/s"},
                            {"points", {{{"at", "GPU radix sort, GTX 280"}, {"value", 187e6}}}}}};
  ordered_json report = paper_report("satish2009", "figure 8b", rates, {rates_case(1024, 32, 4e9, 1)});
  const BarPlot plot = items_of<BarPlot>(page_of({report_of(report)}))[0];
  EXPECT_EQ(plot.title, "Rates, then and now");
  EXPECT_DOUBLE_EQ(plot.series[0].values[0]->middle, 187e6);
  EXPECT_DOUBLE_EQ(plot.series[1].values[0]->middle, 4e9);
  report["items"][0]["status"] = "needs a GPU";
  report["items"][0]["runs"] = ordered_json::array();
  report["items"].push_back(report["items"][0]);
  report["items"][1]["id"] = "figure 8a";
  report["items"][1]["status"] = "CPU part";
  const Page page = page_of({report_of(report)});
  EXPECT_EQ(page.sections[0].title, "The papers at a glance");
  EXPECT_EQ(items_of<Paragraph>(page)[0].text,
            "Without a GPU, tables and figures that were measured: 0; only on the CPU: 1; not at all: 1.");
  const Page both = page_of(
      {report_of(paper_report("satish2009", "figure 3", ordered_json::array(), {rates_case(1024, 32, 1, 1)}), "gpu"),
       report_of(report, "cpu")});
  EXPECT_TRUE(items_of<Paragraph>(both)[0].text.starts_with("Without a GPU (cpu), tables"))
      << items_of<Paragraph>(both)[0].text;
}

ordered_json column(const std::string& name, const std::string& unit,
                    const std::vector<std::pair<std::string, double>>& points) {
  ordered_json series{{"name", name}, {"unit", unit}, {"points", ordered_json::array()}};
  for (const auto& [at, value] : points) series["points"].push_back({{"at", at}, {"value", value}});
  return series;
}

// Means are over the sets that both have, and of the faster of several rivals.
TEST(PaperColumns, AreComparedOverTheSetsOfBoth) {
  ordered_json one = keys_case("", 10, 0), other = one;
  one["set"] = "url";
  other["set"] = "dna9";
  one["sorters"] = {sorter("cpu-msd", 6), sorter("cpu-multikey", 4), sorter("gpu-string-radix", 2)};
  other["sorters"] = {sorter("cpu-msd", 8), sorter("cpu-multikey", 9), sorter("gpu-string-radix", 1)};
  ordered_json report =
      paper_report("deshpande2013", "table VIII",
                   {column("the paper's GPU sort, with memory set-up", "ms", {{"url", 1}, {"dna9", 1}, {"words", 1}}),
                    column("burstsort", "ms", {{"url", 9}, {"dna9", 4}, {"words", 1000}}),
                    column("MSD radix sort", "ms", {{"url", 10}, {"dna9", 3}, {"words", 1000}})},
                   {one, other});
  ordered_json& item = report["items"][0];
  item["runs"][0]["kind"] = "strings";
  const auto ratios = column_ratios({item, "one.json"});
  ASSERT_EQ(ratios.size(), 1u);
  EXPECT_EQ(ratios[0].name, "Deshpande table VIII: GPU to the faster CPU");
  EXPECT_DOUBLE_EQ(ratios[0].paper, std::sqrt(9.0 * 3.0));
  EXPECT_DOUBLE_EQ(ratios[0].here, std::sqrt(2.0 * 8.0));
  // Steps are the time of sorters if all of them have steps.
  report =
      paper_report("deshpande2013", "table IV",
                   {column("fixed width", "ms", {{"url", 6}}), column("adaptive width", "ms", {{"url", 2}})}, {one});
  ordered_json& steps = report["items"][0];
  steps["runs"][0]["kind"] = "strings";
  ordered_json& sorters = steps["runs"][0]["cases"][0]["sorters"];
  sorters = {sorter("gpu-string-radix:paper", 100), sorter("gpu-string-radix:paper, ids of 4 bytes", 100)};
  sorters[0]["steps"] = {{{"name", "sort"}, {"wall_seconds", 1}}, {{"name", "scan"}, {"wall_seconds", 1}}};
  sorters[1]["steps"] = {{{"name", "sort"}, {"wall_seconds", 5}}};
  ASSERT_EQ(column_ratios({steps, "one.json"}).size(), 1u);
  EXPECT_DOUBLE_EQ(column_ratios({steps, "one.json"})[0].paper, 3);
  EXPECT_DOUBLE_EQ(column_ratios({steps, "one.json"})[0].here, 2.5);
  sorters[0].erase("steps");
  EXPECT_DOUBLE_EQ(column_ratios({steps, "one.json"})[0].here, 1);
}

ordered_json indexer(const std::string& name, double ingest, double rest) {
  return {{"mode", name}, {"ingest_seconds", seconds(ingest)}, {"rest_seconds", seconds(rest)}};
}

TEST(PaperColumns, PutTheGainsOfIndexersBesideThePapers) {
  ordered_json report = paper_report("capannini2012", "table 2",
                                     {column("Index_cpu, parse and sort", "s", {{"0.81 million documents", 40}}),
                                      column("Index_cpu, merge", "s", {{"0.81 million documents", 20}}),
                                      column("Index_gpu, parse and sort", "s", {{"0.81 million documents", 10}}),
                                      column("Index_gpu+, parse and sort", "s", {{"0.81 million documents", 8}}),
                                      column("Index_gpu and Index_gpu+, merge", "s", {{"0.81 million documents", 20}})},
                                     {{{"input_bytes", 8'000'000},
                                       {"documents", 9},
                                       {"modes",
                                        {indexer("cpu:cpu-quick@1", 6, 2), indexer("cpu+", 1, 1),
                                         indexer("gpu:gpu-bitonic", 1, 1), indexer("gpu+:gpu-bitonic", 0.5, 1.5)}}}});
  ordered_json& item = report["items"][0];
  item["runs"][0]["kind"] = "modes";
  const auto table = indexer_table({item, "one.json"});
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->rows,
            (std::vector<std::vector<std::string>>{{"here, 8.00 MB", "6", "12", "4", "4"},
                                                   {"the paper's, 0.81 million documents", "4", "5", "2", "2.14"}}));
  const auto ratios = column_ratios({item, "one.json"});
  ASSERT_EQ(ratios.size(), 4u);
  EXPECT_EQ(ratios[2].name, "Capannini table 2: GPU+ to CPU, parse and sort");
  EXPECT_DOUBLE_EQ(ratios[2].paper, 5);
  EXPECT_DOUBLE_EQ(ratios[2].here, 12);
  item["runs"][0]["cases"][0]["modes"].erase(2);
  item["runs"][0]["cases"][0]["modes"].erase(2);
  EXPECT_FALSE(indexer_table({item, "one.json"}).has_value()) << "without a GPU";
  EXPECT_TRUE(column_ratios({item, "one.json"}).empty());
}

// They have nothing to say but that.
TEST(PaperPages, NameDrawingsInALine) {
  ordered_json report = paper_report("satish2009", "figure 3", ordered_json::array(), {rates_case(4096, 8, 70, 1)});
  ordered_json drawing = report["items"][0];
  drawing["id"] = "figure 1";
  drawing["left_out"] = "A drawing: there is nothing to measure.";
  drawing["runs"] = ordered_json::array();
  report["items"].push_back(drawing);
  const Table table = items_of<Table>(page_of({report_of(report)}))[0];
  EXPECT_EQ(table.rows.size(), 1u);
  EXPECT_EQ(table.note, "Drawings, where there is nothing to measure: figure 1.");
}

TEST(SweepPages, SayWhyThereIsNoBorder) {
  ordered_json report{{"program", "spillway"},
                      {"command", "bench modes --sweep"},
                      {"version", "1"},
                      {"options", {{"cost_cpu_per_hour", nullptr}}},
                      {"cases", ordered_json::array()},
                      {"borders", ordered_json::array()}};
  const Page without = page_of({report_of(report)});
  ASSERT_EQ(items_of<Paragraph>(without).size(), 1u);
  EXPECT_NE(items_of<Paragraph>(without)[0].text.find("no GPU could be used"), std::string::npos);
  report["borders"].push_back({{"text", "pages"}, {"threads", 4}, {"faster_from_bytes", 1'000'000}});
  const Page with = page_of({report_of(report)});
  EXPECT_TRUE(items_of<Paragraph>(with).empty());
  EXPECT_EQ(items_of<Table>(with)[0].rows.at(0).at(2), "from 1.00 MB on");
}

// The border is where the lines cross 1, with the start of the GPU; of money, by the prices.
TEST(SweepPages, DrawTheBorder) {
  const auto cell = [](double bytes, double cpu, double gpu) {
    return ordered_json{
        {"text", "pages"},
        {"threads", 4},
        {"input_bytes", bytes},
        {"modes",
         {{{"mode", "cpu+"}, {"wall_seconds", seconds(cpu)}}, {{"mode", "gpu+"}, {"wall_seconds", seconds(gpu)}}}}};
  };
  ordered_json report{{"program", "spillway"},
                      {"command", "bench modes --sweep"},
                      {"version", "1"},
                      {"options", {{"gpu_start_seconds", 0.5}}},
                      {"cases", {cell(1e6, 0.5, 0.1), cell(8e6, 4, 0.5)}},
                      {"borders", ordered_json::array()}};
  const auto plots_titled = [&](const std::string& title) {
    std::vector<LinePlot> plots = items_of<LinePlot>(page_of({report_of(report)}));
    std::erase_if(plots, [&](const LinePlot& plot) { return plot.title != title; });
    return plots;
  };
  const auto faster = plots_titled("pages: how many times as fast gpu+ is");
  ASSERT_EQ(faster.size(), 1u);
  ASSERT_EQ(faster[0].series.size(), 2u);
  EXPECT_EQ(faster[0].series[0].name, "4 threads");
  EXPECT_DOUBLE_EQ(faster[0].series[0].points[0].y.middle, 0.5 / 0.6);
  EXPECT_DOUBLE_EQ(faster[0].series[0].points[1].y.middle, 4);
  EXPECT_EQ(faster[0].series[1].name, "border: 1");
  EXPECT_DOUBLE_EQ(faster[0].series[1].points[1].x, 8e6);
  EXPECT_TRUE(plots_titled("pages: how many times the bytes for the same money").empty()) << "there are no prices";
  report["options"]["cost_cpu_per_hour"] = 1;
  report["options"]["cost_gpu_per_hour"] = 8;
  const auto cheaper = plots_titled("pages: how many times the bytes for the same money");
  ASSERT_EQ(cheaper.size(), 1u);
  EXPECT_DOUBLE_EQ(cheaper[0].series[0].points[1].y.middle, 0.5);
}

TEST(PaperPages, NameWhatAHistogramsAxisHasNoPlaceFor) {
  const ordered_json one{{"set", "words"},
                         {"strings", 10},
                         {"bytes", 100},
                         {"most_bytes", 20},
                         {"mean_tie_bytes", 1},
                         {"max_tie_bytes", 2},
                         {"histograms", {{"lengths", {0, 10}}, {"ties", {3, 7}}, {"equal_starts", {0, 5}}}}};
  const ordered_json run{{"kind", "sets"}, {"cases", ordered_json::array({one})}};
  const ordered_json item{{"paper", "p"},
                          {"id", "figure 1"},
                          {"title", "Lengths"},
                          {"paper_machine", ""},
                          {"status", "measured"},
                          {"paper_figures", ordered_json::array()},
                          {"runs", ordered_json::array({run})}};
  const ordered_json paper{{"name", "p"}, {"title", "A paper"}};
  const Page page = page_of({report_of({{"program", "spillway"},
                                        {"command", "bench paper"},
                                        {"papers", ordered_json::array({paper})},
                                        {"items", ordered_json::array({item})}})});
  const auto plots = items_of<LinePlot>(page);
  ASSERT_EQ(plots.size(), 3u);
  EXPECT_EQ(plots[0].note.find("Not drawn"), std::string::npos) << plots[0].note;
  EXPECT_NE(plots[1].note.find(" Not drawn: 3 strings of words with 0."), std::string::npos) << plots[1].note;
}

// A report of `bench paper` with one item, measured or not.
ordered_json paper_report(const std::string& id, const std::vector<ordered_json>& cases) {
  ordered_json runs = ordered_json::array();
  if (!cases.empty()) runs.push_back({{"kind", "keys"}, {"cases", cases}});
  const ordered_json item{{"paper", "p"},        {"id", id},      {"title", "Rates"},
                          {"paper_machine", ""}, {"status", "-"}, {"paper_figures", ordered_json::array()},
                          {"runs", runs}};
  const ordered_json paper{{"name", "p"}, {"title", "A paper"}};
  return {{"program", "spillway"},
          {"command", "bench paper"},
          {"papers", ordered_json::array({paper})},
          {"items", ordered_json::array({item})}};
}

TEST(PaperPages, PutTheItemsOfSeveralReportsIntoOneSectionOfTheirPaper) {
  const ordered_json one = keys_case("uniform", 1024, 64);
  const Page page = page_of(
      {report_of(paper_report("figure 1", {one}), "small"), report_of(paper_report("figure 2", {one}), "only"),
       report_of(paper_report("figure 1", {one}), "large"), report_of(paper_report("figure 2", {}), "without a run")});
  std::vector<std::string> titles;
  for (const PageSection& section : page.sections) titles.push_back(section.title);
  titles.resize(5);
  EXPECT_EQ(titles, (std::vector<std::string>{"A paper", "p, figure 1, small: Rates", "p, figure 1, large: Rates",
                                              "p, figure 2: Rates", "Machines and commands"}));
  ASSERT_FALSE(items_of<Table>(page).empty());
  EXPECT_EQ(items_of<Table>(page)[0].rows.size(), 3u);
}

TEST(Pages, NameTheMemberThatIsWrong) {
  ordered_json json = keys_report({keys_case("uniform", 1024, 64)});
  json["cases"][0]["sorters"][1]["sort_seconds"] = "fast";
  try {
    page_of({report_of(json)});
    FAIL() << "a string is no series";
  } catch (const FormatError& error) {
    const std::string text = error.what();
    EXPECT_NE(
        text.find("'one.json', at /cases/0/sorters/1/sort_seconds: expected an object, found string \"fast\"; give "),
        std::string::npos)
        << text;
  }
}

TEST(Pages, NameTheCommandsThatHaveOne) {
  try {
    page_of({report_of({{"program", "spillway"}, {"command", "doctor"}})});
    FAIL();
  } catch (const FormatError& error) {
    EXPECT_NE(std::string(error.what()).find("one of bench sort records, "), std::string::npos) << error.what();
  }
}

class BenchReport : public ::testing::Test {
 protected:
  ProgramResult report(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"bench", "report"};
    all.insert(all.end(), words.begin(), words.end());
    return run_spillway(all);
  }
  std::string write(const std::string& name, const std::string& text) const {
    write_bytes(scratch_ / name, text);
    return scratch_ / name;
  }
  ScratchDirectory scratch_;
};

TEST_F(BenchReport, NamesReportsByTheirDirectoriesWhereTheirNamesAreTheSame) {
  const std::string one = keys_report({keys_case("uniform", 1024, 64)}).dump();
  for (const char* directory : {"a", "b", "a/b"}) std::filesystem::create_directory(scratch_ / directory);
  const std::string page = scratch_ / "page.html";
  const ProgramResult result =
      report({write("a/keys.json", one), write("b/keys.json", one), write("a/other.json", one), "-o", page});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* name : {"cpu-radix, a/keys", "cpu-radix, b/keys", "cpu-radix, other"}) {
    EXPECT_NE(read_bytes(page).find(std::string(name) + "<"), std::string::npos) << name;
  }
  ASSERT_EQ(report({scratch_ / "b/keys.json", write("a/b/keys.json", one), "-o", page, "--force"}).exit_code, 0);
  EXPECT_NE(read_bytes(page).find("cpu-radix, " + (scratch_ / "a/b/keys.json") + "<"), std::string::npos);
}

TEST_F(BenchReport, MakesAPageOfWhatTheBenchmarksWrite) {
  const std::string keys = scratch_ / "keys.json", page = scratch_ / "page.html";
  ASSERT_EQ(run_spillway(
                {"bench", "sort", "records", "--count", "2^8,2^10", "--sorter", "cpu-radix,cpu-quick", "--json", keys})
                .exit_code,
            0);
  const ProgramResult result = report({keys, "-o", page});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string html = read_bytes(page);
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_NE(html.find("number of keys by"), 0u);
  EXPECT_NE(html.find(">cpu-quick<"), std::string::npos);
  EXPECT_EQ(report({keys, "-o", page}).exit_code, 2) << "there is a page";
  EXPECT_EQ(report({keys, "-o", page, "--force"}).exit_code, 0);
  EXPECT_EQ(report({keys, "-o", "-"}).out, html);
}

TEST_F(BenchReport, MakesAPageOfJobsThatSucceededAndFailed) {
  const std::string input =
      write("in<put>.jsonl", "{\"id\":\"1\",\"text\":\"a b c\"}\n{\"id\":\"2\",\"text\":\"c d\"}\nno\n");
  const std::string good = scratch_ / "good.json", bad = scratch_ / "bad.json", index = scratch_ / "index";
  ASSERT_EQ(run_spillway({"index", input, "-o", index, "--json", good, "--max-error-rate", "0.5", "-q"}).exit_code, 0);
  ASSERT_EQ(run_spillway({"index", input, "-o", index + "2", "--json", bad, "--strict", "-q"}).exit_code, 3);
  const ProgramResult result = report({good, bad, "-o", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"An indexing job, good: What was skipped", "bad_json", "The plan and its reasons",
                           "in&lt;put&gt;.jsonl", "The job failed: ", "Time of the stages"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(result.out.find("in<put>"), std::string::npos);
}

TEST_F(BenchReport, MakesAPageOfMergesAndSorts) {
  const std::string input = write("in.txt", "b\na\n");
  for (const char* name : {"1", "2"}) {
    ASSERT_EQ(run_spillway({"index", "--format", "lines", input, "-o", scratch_ / name, "-q"}).exit_code, 0);
  }
  ASSERT_EQ(run_spillway({"merge", scratch_ / "1", scratch_ / "2", "-o", scratch_ / "all", "--json",
                          scratch_ / "merge.json", "-q"})
                .exit_code,
            0);
  ASSERT_EQ(run_spillway({"sort", input, "-o", scratch_ / "sorted", "--json", scratch_ / "sort.json"}).exit_code, 0);
  const ProgramResult result = report({scratch_ / "merge.json", scratch_ / "sort.json", "-o", "-"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("A merge of indexes, merge: Stages"), std::string::npos);
  EXPECT_NE(result.out.find("A sort of lines, sort: Stages"), std::string::npos);
}

TEST_F(BenchReport, NamesPathAndOffsetOfBadJson) {
  const ProgramResult result = report({write("cut.json", "{\"program\": \"spillway\", "), "-o", scratch_ / "page"});
  EXPECT_EQ(result.exit_code, 5);
  EXPECT_NE(result.err.find("cut.json', byte 25: expected JSON: "), std::string::npos) << result.err;
  const ProgramResult beyond = report({write("beyond.json", "{\"program\": 1e999}"), "-o", "-"});
  EXPECT_EQ(beyond.exit_code, 5);
  EXPECT_NE(beyond.err.find("beyond.json': expected JSON with numbers in range: "), std::string::npos) << beyond.err;
  EXPECT_EQ(report({write("list.json", "[]"), "-o", "-"}).exit_code, 5);
  EXPECT_EQ(report({write("other.json", "{\"program\":\"x\",\"command\":\"index\"}"), "-o", "-"}).exit_code, 5);
  EXPECT_EQ(report({write("empty.json", ""), "-o", "-"}).exit_code, 5);
  const std::string deep = "{\"program\":\"spillway\",\"command\":\"index\",\"options\":";
  const ProgramResult nested = report({write("deep.json", deep + std::string(100'000, '[')), "-o", "-"});
  EXPECT_EQ(nested.exit_code, 5) << "recursion over its levels";
  EXPECT_NE(nested.err.find("levels"), std::string::npos) << nested.err;
  const ProgramResult without = report({write("without.json", "{\"command\":\"index\"}"), "-o", "-"});
  EXPECT_NE(without.err.find("at the top: expected the member \"program\", found none; give a file"), std::string::npos)
      << without.err;
  EXPECT_EQ(report({scratch_ / "none.json", "-o", "-"}).exit_code, 2);
  EXPECT_EQ(report({write("ok.json", "{}")}).exit_code, 2) << "no page is named";
  EXPECT_EQ(report({scratch_ / "ok.json", "-o", scratch_ / "ok.json", "--force"}).exit_code, 2) << "the input";
}

// The page is not begun before the reports are read.
TEST_F(BenchReport, LeavesAPageThatIsThere) {
  const std::string page = write("page.html", "old");
  EXPECT_EQ(report({write("bad.json", "{"), "-o", page, "--force"}).exit_code, 5);
  EXPECT_EQ(read_bytes(page), "old");
}

}  // namespace
}  // namespace spillway
