#include "tools/page/figure.hpp"

#include <array>

#include "tools/page/markup.hpp"

namespace spillway {

namespace {

constexpr std::size_t kShapes = 8;

// Shapes of about the same weight, 10 pixels wide.
constexpr std::array<const char*, kShapes> kMarkPaths{
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",
    "M-4 -4h8v8h-8z",
    "M0 -5.2L5 4H-5z",
    "M0 -5.8L5.2 0L0 5.8L-5.2 0z",
    "M0 5.2L5 -4H-5z",
    "M-1.7 -5.2h3.4v3.5h3.5v3.4h-3.5v3.5h-3.4v-3.5h-3.5v-3.4h3.5z",
    "M-5 0L-2.5 -4.4H2.5L5 0L2.5 4.4H-2.5z",
    "M0 -6L1.6 -1.9L5.8 -1.9L2.4 0.8L3.6 5L0 2.6L-3.6 5L-2.4 0.8L-5.8 -1.9L-1.6 -1.9z"};

// Lines over the colour of a fill, so that fills differ without colours.
constexpr std::array<const char*, kShapes> kFillPaths{"",
                                                      "M0 8L8 0M-2 2L2 -2M6 10L10 6",
                                                      "M0 4H8",
                                                      "M1.5 2h2v2h-2zM5.5 6h2v2h-2z",
                                                      "M0 0L8 8M-2 6L2 10M6 -2L10 2",
                                                      "M4 0V8",
                                                      "M0 8L8 0M0 0L8 8",
                                                      "M0 4H8M4 0V8"};

// The two styles of one colour have different marks and hatchings.
std::size_t mark_of(std::size_t style) { return style % kStyles < kShapes ? style % kShapes : (style + 1) % kShapes; }
std::size_t hatch_of(std::size_t style) { return style < kShapes ? style : (style + 3) % kShapes; }

std::string legend_key(const LegendEntry& entry, LegendKey key) {
  const std::string css = series_class(entry.style, entry.origin);
  if (key == LegendKey::kFills) {
    return "<svg class=\"key\" width=\"22\" height=\"14\" aria-hidden=\"true\"><rect class=\"fill " + css +
           "\" width=\"22\" height=\"14\"/></svg>";
  }
  return "<svg class=\"key\" width=\"34\" height=\"14\" aria-hidden=\"true\"><line class=\"run " + css +
         "\" x1=\"0\" y1=\"7\" x2=\"34\" y2=\"7\"/><use class=\"mark " + css + "\" href=\"#m" +
         std::to_string(mark_of(entry.style)) + "\" x=\"17\" y=\"7\"/></svg>";
}

std::string legend_html(const Figure& figure) {
  if (figure.legend.size() < 2) return "";
  std::string html = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < figure.legend.size(); ++i) {
    html += "<li data-s=\"" + std::to_string(i) + "\">" + legend_key(figure.legend[i], figure.key) + "<span>" +
            escaped(figure.legend[i].name) + "</span></li>";
  }
  return html + "</ul>\n";
}

constexpr std::size_t kFewColumns = 4, kManyColumns = 9;

// A table of sentences is shown whole, and on a narrow page with a line for each cell.
bool is_of_words(const Table& table) { return table.text_columns >= 3 && table.text_columns >= table.head.size(); }

std::string table_class(const Table& table) {
  if (is_of_words(table)) return " words";
  return table.head.size() >= kManyColumns ? " many" : table.head.size() <= kFewColumns ? " few" : "";
}

// A table whose cells become lines is none to a browser, and would be none to a screen reader.
std::string role_html(const Table& table, const char* role) {
  return is_of_words(table) ? " role=\"" + std::string(role) + "\"" : "";
}

std::string row_html(const std::vector<std::string>& cells, const Table& table, const char* cell) {
  std::string html = "<tr" + role_html(table, "row") + ">";
  const bool is_first = cell[1] == 'h';  // the head of the table
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool is_head = is_first || i == 0;
    html += is_head ? "<th" : "<td";
    html += is_first ? " scope=\"col\"" : i == 0 ? " scope=\"row\"" : "";
    html += role_html(table, is_first ? "columnheader" : i == 0 ? "rowheader" : "cell");
    if (i < table.text_columns) html += " class=\"text\"";
    if (is_of_words(table) && !is_head) html += " data-head=\"" + escaped(table.head[i]) + "\"";
    html += ">" + escaped(cells[i]) + (is_head ? "</th>" : "</td>");
  }
  return html + "</tr>\n";
}

}  // namespace

std::string series_class(std::size_t style, Origin origin) {
  return "s" + std::to_string(style % kStyles) + (origin == Origin::kPaper ? " paper" : "");
}

std::string mark_svg(std::size_t style, Origin origin, double x, double y) {
  return "<use class=\"mark " + series_class(style, origin) + "\" href=\"#m" + std::to_string(mark_of(style)) +
         "\" x=\"" + percent_place(x) + "\" y=\"" + number_text(y) + "\"/>";
}

std::string line_svg(std::string_view css, double x1, double y1, double x2, double y2) {
  return "<line class=\"" + std::string(css) + "\" x1=\"" + percent_place(x1) + "\" y1=\"" + number_text(y1) +
         "\" x2=\"" + percent_place(x2) + "\" y2=\"" + number_text(y2) + "\"/>";
}

std::string hover_begin(std::size_t series, const std::string& text) {
  return "<g class=\"pt\" data-s=\"" + std::to_string(series) + "\"><title>" + escaped(text) + "</title>";
}

std::string value_text(const Value& value, const Unit& unit) {
  if (value.least == value.most) return quantity_text(value.middle, unit);
  return range_text(value.middle, value.least, value.most, unit);
}

std::string definitions_svg() {
  std::string svg = "<svg width=\"0\" height=\"0\" class=\"defs\" aria-hidden=\"true\"><defs>";
  for (std::size_t i = 0; i < kShapes; ++i) {
    svg += "<path id=\"m" + std::to_string(i) + "\" d=\"" + kMarkPaths[i] + "\"/>";
  }
  for (std::size_t i = 0; i < kStyles; ++i) {
    const std::string id = std::to_string(i);
    svg += "<pattern id=\"f" + id + "\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><rect class=\"tint s" +
           id + "\" width=\"8\" height=\"8\"/><path class=\"hatch\" d=\"" + kFillPaths[hatch_of(i)] + "\"/></pattern>";
  }
  return svg + "</defs></svg>\n";
}

std::string table_html(const Table& table, const std::string& id) {
  std::string html = "<div class=\"scroll" + table_class(table) + "\" tabindex=\"0\" role=\"region\" aria-label=\"" +
                     escaped(table.title) + ", table\"><table id=\"" + id + "\"" + role_html(table, "table") +
                     "><caption>" + escaped(table.title) + "</caption>\n<thead" + role_html(table, "rowgroup") + ">";
  html += row_html(table.head, table, "th") + "</thead>\n<tbody" + role_html(table, "rowgroup") + ">\n";
  for (const auto& row : table.rows) html += row_html(row, table, "td");
  return html + "</tbody></table></div>\n";
}

std::string figure_html(const Figure& figure, std::size_t number) {
  const std::string id = "fig" + std::to_string(number);
  std::string html = "<figure id=\"" + id + "\">\n<figcaption><h3>" + escaped(figure.title) + "</h3>";
  if (!figure.note.empty()) html += "<p>" + escaped(figure.note) + "</p>";
  html += "</figcaption>\n" + legend_html(figure);
  constexpr double kTall = 600;  // does not fit below its caption on a printed page
  html += "<div class=\"plot" + std::string(figure.height > kTall ? " tall" : "") +
          "\" style=\"padding:" + number_text(figure.top) + "px 26px " + number_text(figure.bottom) + "px " +
          number_text(figure.left) + "px\"><svg role=\"img\" width=\"100%\" height=\"" + number_text(figure.height) +
          "\" aria-labelledby=\"" + id + "t " + id + "d\"><title id=\"" + id + "t\">" + escaped(figure.title) +
          "</title><desc id=\"" + id + "d\">" + escaped(figure.description) +
          " The table below has all values.</desc>\n";
  html += figure.svg + "</svg></div>\n";
  return html + table_html(figure.table, id + "-table") + "</figure>\n";
}

}  // namespace spillway
