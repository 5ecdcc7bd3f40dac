// What `bench modes` prints.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tools/bench/modes.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

namespace {

std::string number(const char* format, double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string rate(std::uint64_t count, const Series& series) {
  return number("%.1f", static_cast<double>(count) / std::max(series.median(), 1e-9) / 1e6);
}

std::string row(const std::string& name, const std::vector<std::string>& cells, std::size_t columns) {
  std::string line = "  " + left_aligned(name, 26);
  for (const std::string& cell : cells) line += right_aligned(cell, columns);
  return line + "\n";
}

// Of a column: those of the longest name of a mode and two blanks.
std::size_t column_width(const ModesFigures& figures) {
  std::size_t width = 12;
  for (const ModeFigures& mode : figures.modes) width = std::max(width, mode.mode.size() + 2);
  return width;
}

std::string seconds_text_of(const Series& series) { return series.empty() ? "-" : number("%.3f s", series.median()); }

std::string times_text(const Series& ratios) { return ratios.empty() ? "-" : number("%.2f", ratios.median()); }

// A row of one cell a mode.
template <typename Cell>
std::string mode_row(const std::string& name, const ModesFigures& figures, Cell cell) {
  std::vector<std::string> cells;
  for (const ModeFigures& mode : figures.modes) cells.push_back(cell(mode));
  return row(name, cells, column_width(figures));
}

std::vector<std::string> stage_names(const ModesFigures& figures) {
  std::vector<std::string> names;
  for (const ModeFigures& mode : figures.modes) {
    auto place = names.begin();
    for (const auto& [name, series] : mode.busy) {
      const auto found = std::find(names.begin(), names.end(), name);
      place = (found == names.end() ? names.insert(place, name) : found) + 1;
    }
  }
  return names;
}

std::string head(const ModesFigures& figures) {
  const ModeFigures& first = figures.modes.front();
  std::string text = "\ninput " + bytes_text(figures.input_bytes) + ", " + count_text(first.report.documents) +
                     " documents, " + count_text(first.report.postings) + " postings; " +
                     count_text(first.wall.rounds().size()) + " rounds\n";
  for (const ParsingSeries& parsing : figures.parsing) {
    text += "parsing alone, to " + std::string(chunk_form_name(parsing.form)) + ": " +
            number("%.3f s", parsing.wall.median()) + ", " + rate(figures.input_bytes, parsing.wall) + " MB/s\n";
  }
  return text;
}

std::string parsing_rows(const ModesFigures& figures) {
  std::string text;
  for (std::size_t i = 0; i < figures.parsing.size(); ++i) {
    text += mode_row("  times parsing to " + std::string(chunk_form_name(figures.parsing[i].form)), figures,
                     [&](const ModeFigures& mode) { return times_text(mode.to_parsing[i]); });
  }
  return text;
}

std::string wall_rows(const ModesFigures& figures) {
  const Series& first = figures.modes.front().wall;
  return mode_row("wall", figures, [](const ModeFigures& mode) { return seconds_text_of(mode.wall); }) +
         mode_row("  spread", figures,
                  [](const ModeFigures& mode) { return number("%.1f %%", 100 * mode.wall.spread()); }) +
         mode_row("  MB/s", figures, [&](const ModeFigures& mode) { return rate(figures.input_bytes, mode.wall); }) +
         mode_row("  M postings/s", figures,
                  [](const ModeFigures& mode) { return rate(mode.report.postings, mode.wall); }) +
         mode_row("  times faster", figures,
                  [&](const ModeFigures& mode) { return times_text(times_faster(first, mode.wall)); });
}

std::string part_rows(const ModesFigures& figures) {
  const Series& first = figures.modes.front().ingest;
  return mode_row("ingest", figures, [](const ModeFigures& mode) { return seconds_text_of(mode.ingest); }) +
         mode_row("  MB/s", figures, [&](const ModeFigures& mode) { return rate(figures.input_bytes, mode.ingest); }) +
         mode_row("  times faster", figures,
                  [&](const ModeFigures& mode) { return times_text(times_faster(first, mode.ingest)); }) +
         parsing_rows(figures) +
         mode_row("merge and the rest", figures, [](const ModeFigures& mode) { return seconds_text_of(mode.rest); });
}

std::string busy_row(const std::string& name, const ModesFigures& figures) {
  return mode_row("busy: " + name, figures, [&](const ModeFigures& mode) {
    const auto found =
        std::find_if(mode.busy.begin(), mode.busy.end(), [&](const auto& stage) { return stage.first == name; });
    return found == mode.busy.end() ? std::string("-") : seconds_text_of(found->second);
  });
}

}  // namespace

std::string modes_table(const ModesFigures& figures) {
  std::string text = head(figures);
  text += mode_row("mode", figures, [](const ModeFigures& mode) { return mode.mode; });
  text += wall_rows(figures) + part_rows(figures);
  text += mode_row("threads", figures, [](const ModeFigures& mode) { return count_text(mode.report.threads); });
  text += mode_row("runs (spilled)", figures, [](const ModeFigures& mode) {
    return count_text(mode.report.runs) + " (" + count_text(mode.report.runs_spilled) + ")";
  });
  for (const std::string& name : stage_names(figures)) text += busy_row(name, figures);
  return text;
}

}  // namespace spillway
