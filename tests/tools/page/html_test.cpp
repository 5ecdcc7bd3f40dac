// Pages: what is drawn, that any text is safe in it, and that it is well formed and refers to nothing outside.
#include "tools/page/html.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <set>

#include "tools/page/figure.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"

namespace spillway {
namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The first tag that is closed in the wrong place or not at all; empty if there is none.
std::string wrong_tag(const std::string& html) {
  static const std::set<std::string> kVoid{"meta", "link", "!doctype"};
  std::vector<std::string> open;
  static const std::regex kTag(R"(<(/?)([!a-zA-Z0-9]+)((?:[^>"]|"[^"]*")*?)(/?)>)");
  const std::size_t style = html.find("<style>"), style_end = html.find("</style>");
  const std::size_t script = html.find("<script>"), script_end = html.find("</script>");
  std::string plain = html;
  if (script != std::string::npos) plain.erase(script + 8, script_end - script - 8);
  if (style != std::string::npos) plain.erase(style + 7, style_end - style - 7);
  for (std::sregex_iterator it(plain.begin(), plain.end(), kTag), end; it != end; ++it) {
    const std::string name = (*it)[2];
    if (kVoid.contains(name) || (*it)[4].length() != 0) continue;
    if ((*it)[1].length() == 0) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name) {
      return "/" + name;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

const std::string kHostile = "</script><script>alert(1)</script>\"'&<b>\x1B[31m\xE2\x80\xAE\xFF.json";

LinePlot line_plot(const std::string& name) {
  return {.title = name,
          .note = name,
          .x_name = "number of keys",
          .y_name = "keys per second",
          .y_unit = rate_unit("keys"),
          .x_axis = AxisKind::kLog2,
          .series = {{.name = name, .points = {{1024, {1e6, 0.9e6, 1.1e6}}, {4096, {3e6, 3e6, 3e6}}}},
                     {.name = "of the paper", .points = {{1024, {5e5, 5e5, 5e5}}}, .origin = Origin::kPaper}}};
}

BarPlot bar_plot(BarForm form) {
  return {.title = "Bars",
          .category_name = "mode",
          .value_name = "time",
          .unit = seconds_unit(),
          .form = form,
          .categories = {"cpu", "gpu"},
          .series = {{.name = "ingest", .values = {Value{2, 1.5, 2.5}, Value{1, 1, 1}}},
                     {.name = "rest", .values = {Value{1, 1, 1}, std::nullopt}}}};
}

GanttPlot gantt_plot() {
  return {.title = "Stages",
          .seconds = 10,
          .lanes = {"parse 1", "merge 1"},
          .stages = {"parse", "merge"},
          .spans = {{0, 0, 0, 6, 1}, {0, 0, 6, 7, 0.5}, {1, 1, 7, 10, 1}}};
}

AreaPlot area_plot() {
  return {.title = "Memory",
          .value_name = "memory",
          .unit = memory_unit(),
          .seconds = 3,
          .begins = {0, 1, 2},
          .names = {"chunks", "runs"},
          .values = {{1048576, 2097152, 0}, {0, 1048576, 3145728}},
          .limit = 4194304,
          .limit_name = "budget",
          .line = {1048576, 2097152, 3145728},
          .line_name = "resident"};
}

Page page_of_everything(const std::string& name) {
  return {.title = name,
          .subtitle = name,
          .sections = {{name, {line_plot(name), bar_plot(BarForm::kBars), bar_plot(BarForm::kMarks)}},
                       {"Two", {bar_plot(BarForm::kStacked), gantt_plot(), area_plot()}},
                       {"Three",
                        {Table{.title = name, .note = name, .head = {"a", name}, .rows = {{name, "1"}}},
                         Facts{{{name, name}}}, Listing{name, "line 1\n" + name}, Paragraph{name}}}}};
}

TEST(PageContents, PutShortTitlesBesideTheSectionBeforeThem) {
  const Page page{.title = "papers",
                  .sections = {{"Satish", {}, ""},
                               {"figure 3: rates", {}, "figure 3"},
                               {"figure 5: widths", {}, "figure 5"},
                               {"Davidson", {}, ""},
                               {"figure 7: rates", {}, "figure 7"}}};
  const std::string html = page_html(page);
  EXPECT_EQ(wrong_tag(html), "");
  EXPECT_NE(html.find("<li><a href=\"#part1\">Satish</a><ul>"
                      "<li><a href=\"#part2\" title=\"figure 3: rates\">figure 3</a></li>"
                      "<li><a href=\"#part3\" title=\"figure 5: widths\">figure 5</a></li></ul></li>"
                      "<li><a href=\"#part4\">Davidson</a><ul>"
                      "<li><a href=\"#part5\" title=\"figure 7: rates\">figure 7</a></li></ul></li></ul></nav>"),
            std::string::npos)
      << html.substr(html.find("<nav"), 900);
}

TEST(Escaped, MakesAnythingSafe) {
  EXPECT_EQ(escaped("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&#39;c");
  EXPECT_EQ(escaped(std::string("\0\x1B\n", 3)), "\\x00\\x1B\\x0A");
  EXPECT_EQ(escaped("\xE2\x80\xAE\xFFü"), "\\u{202E}\\xFFü");
  EXPECT_EQ(escaped_lines("a<\n\nb\n"), "a&lt;\n\nb\n");
  EXPECT_EQ(escaped_lines(""), "");
}

TEST(NumberText, IsShort) {
  EXPECT_EQ(number_text(12.5), "12.5");
  EXPECT_EQ(number_text(3), "3");
  EXPECT_EQ(number_text(-0.0001), "0");
  EXPECT_EQ(number_text(1.0 / 3), "0.333");
  EXPECT_EQ(number_text(NAN), "0");
  EXPECT_EQ(percent_place(0.125), "12.5%");
}

TEST(LinePlots, DrawEveryPointWithItsValue) {
  const Figure figure = draw(line_plot("cpu-radix"));
  EXPECT_EQ(count_of(figure.svg, "class=\"pt\""), 3u);
  EXPECT_EQ(count_of(figure.svg, "<title>cpu-radix, 2¹⁰: 1.00 (0.900 to 1.10) M keys/s</title>"), 1u);
  EXPECT_EQ(count_of(figure.svg, "class=\"error"), 1u) << "only one point has a spread";
  EXPECT_EQ(count_of(figure.svg, "mark s1 paper"), 1u) << "the paper's figures are drawn differently";
  EXPECT_EQ(count_of(figure.svg, "class=\"run s0\""), 1u) << "two points, one line";
  ASSERT_EQ(figure.table.rows.size(), 2u);
  EXPECT_EQ(figure.table.rows[0][2], "500 k keys/s");
  EXPECT_EQ(figure.table.rows[1][2], "") << "the paper has no figure there";
  EXPECT_EQ(figure.legend.size(), 2u);
}

TEST(BarPlots, DrawEveryFormOfTheSameTable) {
  for (const BarForm form : {BarForm::kBars, BarForm::kMarks, BarForm::kStacked}) {
    const Figure figure = draw(bar_plot(form));
    EXPECT_EQ(count_of(figure.svg, "class=\"pt\""), 3u);
    ASSERT_EQ(figure.table.rows.size(), 2u);
    EXPECT_EQ(figure.table.rows[0], (std::vector<std::string>{"cpu", "2.00 (1.50 to 2.50) s", "1.00 s"}));
    EXPECT_EQ(figure.table.rows[1][2], "");
  }
  EXPECT_EQ(count_of(draw(bar_plot(BarForm::kMarks)).svg, "<rect"), 0u);
}

// The bars of a stack follow one another: 2 s and 1 s of 3 s.
TEST(BarPlots, PutPartsAfterOneAnother) {
  const std::string svg = draw(bar_plot(BarForm::kStacked)).svg;
  EXPECT_NE(svg.find("x=\"0%\" y=\"19\" width=\"66.667%\""), std::string::npos) << svg;
  EXPECT_NE(svg.find("x=\"66.667%\" y=\"19\" width=\"33.333%\""), std::string::npos) << svg;
}

TEST(GanttPlots, DrawSpansInTheirLanes) {
  const Figure figure = draw(gantt_plot());
  EXPECT_EQ(count_of(figure.svg, "class=\"fill span"), 3u);
  EXPECT_NE(figure.svg.find("x=\"60%\" y=\"3\" width=\"10%\""), std::string::npos) << figure.svg;
  EXPECT_NE(figure.svg.find("x=\"70%\" y=\"25\" width=\"30%\""), std::string::npos) << figure.svg;
  ASSERT_EQ(figure.table.rows.size(), 2u);
  EXPECT_EQ(figure.table.rows[0][4], "6.50 s") << "half of the second span is busy";
}

TEST(AreaPlots, DrawPartsOnOneAnotherBelowTheLimit) {
  const Figure figure = draw(area_plot());
  EXPECT_NE(figure.svg.find("budget 4.00 MiB"), std::string::npos);
  EXPECT_EQ(count_of(figure.svg, "class=\"fill span s0\""), 2u);
  EXPECT_EQ(count_of(figure.svg, "class=\"fill span s1\""), 2u);
  EXPECT_EQ(count_of(figure.svg, "class=\"pt\""), 3u);
  EXPECT_NE(figure.svg.find("chunks 2.00 MiB; runs 1.00 MiB; resident 2.00 MiB"), std::string::npos);
  ASSERT_EQ(figure.table.rows.size(), 3u);
  EXPECT_EQ(figure.table.rows[1][3], "3.00 MiB") << "the sum";
}

// A limit far above all values would press them flat.
TEST(AreaPlots, LeaveOutALimitFarAbove) {
  AreaPlot plot = area_plot();
  plot.limit = 1e12;
  EXPECT_EQ(draw(plot).svg.find("class=\"limit\""), std::string::npos);
}

TEST(Pages, AreWellFormedWithAnyText) {
  for (const std::string& name : {std::string("plain"), kHostile}) {
    const std::string html = page_html(page_of_everything(name));
    EXPECT_EQ(wrong_tag(html), "") << name;
    EXPECT_EQ(count_of(html, "<script"), 1u) << name;
    EXPECT_EQ(count_of(html, "</script"), 1u) << name;
    EXPECT_EQ(html.find('\x1B'), std::string::npos);
    EXPECT_EQ(html.find("<b>"), std::string::npos);
  }
}

// Comparable plots of few lines stand side by side where there is room.
TEST(Pages, PutNarrowPlotsInColumns) {
  LinePlot wide = line_plot("wide");
  while (wide.series.size() < 5) wide.series.push_back(wide.series.front());
  const auto columns_in = [](std::vector<PageItem> items) {
    const std::string html = page_html({.title = "page", .sections = {{"one", std::move(items)}}});
    EXPECT_EQ(wrong_tag(html), "");
    return count_of(html, "<div class=\"columns\">");
  };
  EXPECT_EQ(columns_in({line_plot("a"), line_plot("b"), wide, line_plot("c")}), 1u);
  EXPECT_EQ(columns_in({line_plot("a"), wide, bar_plot(BarForm::kBars)}), 0u);
}

TEST(Pages, ReferToNothingOutside) {
  const std::string html = page_html(page_of_everything("plain"));
  for (const char* part : {"http:", "https:", "//cdn", "@import", "src=", "<link rel=\"stylesheet\""}) {
    EXPECT_EQ(html.find(part), std::string::npos) << part;
  }
  static const std::regex kReference("href=\"([^\"]*)\"");
  for (std::sregex_iterator it(html.begin(), html.end(), kReference), end; it != end; ++it) {
    const std::string target = (*it)[1];
    if (target == "data:,") continue;  // no icon is asked for
    ASSERT_TRUE(target.starts_with('#')) << target;
    EXPECT_EQ(count_of(html, "id=\"" + target.substr(1) + "\""), 1u) << target;
  }
}

TEST(Tables, OfWordsHaveTheHeadsThatTheirCellsNeedAsLines) {
  const Table words{
      .title = "rows", .head = {"item", "status", kHostile}, .rows = {{"a", "done", "none"}}, .text_columns = 3};
  const std::string html = table_html(words, "t1");
  EXPECT_EQ(wrong_tag(html), "");
  EXPECT_EQ(count_of(html, "class=\"scroll words\""), 1u);
  EXPECT_EQ(count_of(html, "data-head=\"status\">done"), 1u);
  EXPECT_EQ(count_of(html, "data-head=\"" + escaped(kHostile) + "\">none"), 1u);
  for (const char* role : {"table", "row", "columnheader", "rowheader", "cell"}) {
    EXPECT_GE(count_of(html, "role=\"" + std::string(role) + "\""), 1u) << role;
  }
  Table numbers = words;
  numbers.text_columns = 1;
  EXPECT_EQ(count_of(table_html(numbers, "t1"), "data-head"), 0u);
  EXPECT_EQ(count_of(table_html(numbers, "t1"), "role=\"cell\""), 0u);
}

// A line of the background between them would look like a sample of 0.
TEST(AreaPlots, LeaveNoGapBetweenSamples) {
  const auto width_of_first = [](double second) {
    const AreaPlot plot{.title = "disk",
                        .value_name = "bytes",
                        .seconds = 2,
                        .begins = {0, 1},
                        .names = {"one"},
                        .values = {{5, second}}};
    const std::string svg = draw(plot).svg;
    const std::size_t at = svg.find("width=\"", svg.find("fill span")) + 7;
    return std::stod(svg.substr(at));
  };
  EXPECT_GT(width_of_first(6), 50) << "reaches into the next one";
  EXPECT_DOUBLE_EQ(width_of_first(0), 50) << "there is no next one";
}

TEST(Pages, GiveEveryFigureATitleADescriptionAndATable) {
  const std::string html = page_html(page_of_everything("plain"));
  EXPECT_EQ(count_of(html, "<figure"), 6u);
  for (int i = 1; i <= 6; ++i) {
    const std::string id = "fig" + std::to_string(i);
    for (const char* suffix : {"", "t", "d", "-table"}) {
      EXPECT_EQ(count_of(html, "id=\"" + id + suffix + "\""), 1u) << id << suffix;
    }
    EXPECT_EQ(count_of(html, "aria-labelledby=\"" + id + "t " + id + "d\""), 1u);
  }
  EXPECT_EQ(count_of(html, "<caption>"), 7u);
  EXPECT_EQ(count_of(html, "<main"), 1u);
  EXPECT_EQ(count_of(html, "<h1>"), 1u);
  EXPECT_EQ(count_of(html, "lang=\"en\""), 1u);
}

}  // namespace
}  // namespace spillway
