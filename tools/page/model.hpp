// The content of a page before any markup: sections of plots, tables and texts. Any text may hold any bytes; drawing
// escapes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tools/page/unit.hpp"

namespace spillway {

// A measured value: the median, and the least and the most of the rounds.
struct Value {
  double middle = 0, least = 0, most = 0;
  std::string note = {};  // more to show with it; may be empty
};

// The one who measured: a paper's own figures are drawn hollow and dotted.
enum class Origin : std::uint8_t { kOurs, kPaper };

enum class AxisKind : std::uint8_t { kLinear, kLog2, kLog10 };

struct LinePoint {
  double x = 0;
  Value y;
};

struct LineSeries {
  std::string name = {};
  std::vector<LinePoint> points = {};  // sorted by x
  Origin origin = Origin::kOurs;
  std::optional<std::size_t> style = {};  // number of its colour and mark; its place among the series by default
};

// y is logarithmic if the values span more than a factor of 20, and begins at 0 otherwise.
struct LinePlot {
  std::string title = {}, note = {};
  std::string x_name = {}, y_name = {};
  Unit x_unit = {}, y_unit = {};
  AxisKind x_axis = AxisKind::kLinear;
  std::vector<LineSeries> series = {};
};

struct BarSeries {
  std::string name = {};
  std::vector<std::optional<Value>> values = {};  // one for each category
  Origin origin = Origin::kOurs;
  std::optional<std::size_t> style = {};  // as that of LineSeries
};

// How values of several series stand in one category: each with a bar of its own, as marks on one line with a
// logarithmic axis (for many series), or one after the other in one bar (parts of a whole).
enum class BarForm : std::uint8_t { kBars, kMarks, kStacked };

struct BarPlot {
  std::string title = {}, note = {};
  std::string category_name = {}, value_name = {};
  Unit unit = {};
  BarForm form = BarForm::kBars;
  std::vector<std::string> categories = {};
  std::vector<BarSeries> series = {};
};

// Spans of time by lane.
struct GanttSpan {
  std::size_t lane = 0, stage = 0;
  double begin = 0, end = 0;  // seconds
  double busy = 1;            // share of the span that is work
};

struct GanttPlot {
  std::string title = {}, note = {};
  double seconds = 0;  // of the whole
  std::vector<std::string> lanes = {}, stages = {};
  std::vector<GanttSpan> spans = {};
};

// Parts of a sum over time, and a limit.
struct AreaPlot {
  std::string title = {}, note = {};
  std::string value_name = {};
  Unit unit = {};
  double seconds = 0;               // of the whole
  std::vector<double> begins = {};  // of the samples, in seconds
  std::vector<std::string> names = {};
  std::vector<std::vector<double>> values = {};  // of each name, one a sample
  std::optional<double> limit = {};
  std::string limit_name = {};
  std::vector<double> line = {};  // beside the sum; may be empty
  std::string line_name = {};
};

struct Table {
  std::string title = {}, note = {};
  std::vector<std::string> head = {};
  std::vector<std::vector<std::string>> rows = {};  // the first cell names the row
  std::size_t text_columns = 1;                     // are aligned to the left; the others hold numbers
};

struct Facts {
  std::vector<std::pair<std::string, std::string>> rows = {};
};

// Preformatted lines, such as a plan.
struct Listing {
  std::string title = {}, text = {};
};

struct Paragraph {
  std::string text = {};
};

using PageItem = std::variant<LinePlot, BarPlot, GanttPlot, AreaPlot, Table, Facts, Listing, Paragraph>;

struct PageSection {
  std::string title = {};
  std::vector<PageItem> items = {};
  std::string short_title = {};  // in the contents, beside the last section without one; empty: a line of its own
};

struct Page {
  std::string title = {}, subtitle = {};
  std::vector<PageSection> sections = {};
};

}  // namespace spillway
