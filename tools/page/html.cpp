#include "tools/page/html.hpp"

#include <algorithm>

#include "tools/page/figure.hpp"
#include "tools/page/markup.hpp"
#include "tools/page/plots.hpp"
#include "tools/page/style.hpp"

namespace spillway {

namespace {

std::string facts_html(const Facts& facts) {
  // Two columns of facts on a wide page, unless one is long.
  const bool any_long =
      std::any_of(facts.rows.begin(), facts.rows.end(), [](const auto& row) { return row.second.size() > 60; });
  std::string html = any_long || facts.rows.size() < 6 ? "<dl class=\"long\">\n" : "<dl>\n";
  for (const auto& [name, value] : facts.rows) {
    html += "<dt>" + escaped(name) + "</dt><dd>" + escaped(value) + "</dd>\n";
  }
  return html + "</dl>\n";
}

// Line plots of few series have room beside one another on a wide page.
bool is_narrow(const PageItem& item) {
  constexpr std::size_t kMostSeries = 4;
  const auto* const plot = std::get_if<LinePlot>(&item);
  return plot != nullptr && plot->series.size() <= kMostSeries;
}

class PageWriter {
 public:
  // Two or more narrow items in a row stand in columns.
  std::string items(const std::vector<PageItem>& items) {
    std::string html;
    for (std::size_t i = 0; i < items.size();) {
      std::size_t end = i;
      while (end < items.size() && is_narrow(items[end])) ++end;
      const bool is_grid = end - i > 1;
      end = std::max(end, i + 1);
      if (is_grid) html += "<div class=\"columns\">\n";
      for (; i < end; ++i) html += item(items[i]);
      if (is_grid) html += "</div>\n";
    }
    return html;
  }

 private:
  std::string item(const PageItem& item) {
    return std::visit([this](const auto& one) { return html(one); }, item);
  }
  template <typename Plot>
  std::string html(const Plot& plot) {
    return figure_html(draw(plot), ++figures_);
  }
  std::string html(const Table& table) {
    std::string html = "<h3>" + escaped(table.title) + "</h3>\n";
    if (!table.note.empty()) html += "<p class=\"note\">" + escaped(table.note) + "</p>\n";
    return html + table_html(table, "table" + std::to_string(++tables_));
  }
  std::string html(const Facts& facts) { return facts_html(facts); }
  std::string html(const Listing& listing) {
    const std::string title = listing.title.empty() ? "" : "<h3>" + escaped(listing.title) + "</h3>\n";
    return title + "<pre tabindex=\"0\">" + escaped_lines(listing.text) + "</pre>\n";
  }
  std::string html(const Paragraph& paragraph) { return "<p>" + escaped(paragraph.text) + "</p>\n"; }

  std::size_t figures_ = 0, tables_ = 0;
};

std::string contents_html(const Page& page) {
  if (page.sections.size() < 2) return "";
  const bool has_short = std::any_of(page.sections.begin(), page.sections.end(),
                                     [](const PageSection& section) { return !section.short_title.empty(); });
  std::string html =
      has_short ? "<nav class=\"parts\" aria-label=\"Contents\"><ul>" : "<nav aria-label=\"Contents\"><ul>";
  bool is_inside = false;  // of the list of a section's parts
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const PageSection& section = page.sections[i];
    const bool is_part = !section.short_title.empty() && i > 0;
    if (is_part != is_inside) html += is_part ? "<ul>" : "</ul>";
    if (i > 0 && !is_part) html += "</li>";
    is_inside = is_part;
    html += "<li><a href=\"#part" + std::to_string(i + 1) + "\"";
    if (is_part) html += " title=\"" + escaped(section.title) + "\"";
    html += ">" + escaped(is_part ? section.short_title : section.title) + "</a>";
    if (is_part) html += "</li>";
  }
  return html + (is_inside ? "</ul>" : "") + "</li></ul></nav>\n";
}

}  // namespace

std::string page_html(const Page& page) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>" +
      escaped(page.title) + "</title>\n<style>" + std::string(page_style()) + "</style>\n</head>\n<body>\n" +
      "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n" + definitions_svg() + "<header><h1>" +
      escaped(page.title) + "</h1>\n";
  if (!page.subtitle.empty()) html += "<p>" + escaped(page.subtitle) + "</p>\n";
  html += contents_html(page) + "</header>\n<main id=\"main\">\n";
  PageWriter writer;
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    html += "<section aria-labelledby=\"part" + std::to_string(i + 1) + "\"><h2 id=\"part" + std::to_string(i + 1) +
            "\">" + escaped(page.sections[i].title) + "</h2>\n";
    html += writer.items(page.sections[i].items) + "</section>\n";
  }
  return html +
         "</main>\n<footer>Made by spillway. Medians of the rounds; ranges are those of the "
         "rounds.</footer>\n<script>" +
         std::string(page_script()) + "</script>\n</body>\n</html>\n";
}

}  // namespace spillway
