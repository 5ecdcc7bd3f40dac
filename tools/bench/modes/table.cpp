#include "tools/bench/modes/table.hpp"

#include <algorithm>

#include "tools/report/figures.hpp"

namespace spillway {

namespace {

std::string rate(std::uint64_t count, const Series& series) {
  return decimal_text(static_cast<double>(count) / std::max(series.median(), 1e-9) / 1e6, 1);
}

std::string row(const std::string& name, const std::vector<std::string>& cells, std::size_t columns) {
  std::string line = "  " + left_aligned(name, 26);
  for (const std::string& cell : cells) line += right_aligned(cell, columns);
  return line + "\n";
}

// The longest name of a mode, and two blanks.
std::size_t column_width(const ModesStats& stats) {
  std::size_t width = 12;
  for (const ModeStats& mode : stats.modes) width = std::max(width, mode.mode.size() + 2);
  return width;
}

std::string seconds_text_of(const Series& series) {
  return series.empty() ? "-" : decimal_text(series.median(), 3) + " s";
}

std::string times_text(const Series& ratios) { return ratios.empty() ? "-" : decimal_text(ratios.median(), 2); }

// A row with one cell per mode.
template <typename Cell>
std::string mode_row(const std::string& name, const ModesStats& stats, Cell cell) {
  std::vector<std::string> cells;
  for (const ModeStats& mode : stats.modes) cells.push_back(cell(mode));
  return row(name, cells, column_width(stats));
}

std::vector<std::string> stage_names(const ModesStats& stats) {
  std::vector<std::string> names;
  for (const ModeStats& mode : stats.modes) {
    auto place = names.begin();
    for (const auto& [name, series] : mode.busy) {
      const auto found = std::find(names.begin(), names.end(), name);
      place = (found == names.end() ? names.insert(place, name) : found) + 1;
    }
  }
  return names;
}

std::string head(const ModesStats& stats) {
  const ModeStats& first = stats.modes.front();
  std::string text = "\ninput " + bytes_text(stats.input_bytes) + ", " + count_text(first.report.documents) +
                     " documents, " + count_text(first.report.postings) + " postings; " +
                     count_text(first.wall.rounds().size()) + " rounds\n";
  for (const ParsingSeries& parsing : stats.parsing) {
    text += "parsing alone, to " + std::string(chunk_form_name(parsing.form)) + ": " +
            decimal_text(parsing.wall.median(), 3) + " s, " + rate(stats.input_bytes, parsing.wall) + " MB/s\n";
  }
  return text;
}

std::string parsing_rows(const ModesStats& stats) {
  std::string text;
  for (std::size_t i = 0; i < stats.parsing.size(); ++i) {
    text += mode_row("  times parsing to " + std::string(chunk_form_name(stats.parsing[i].form)), stats,
                     [&](const ModeStats& mode) { return times_text(mode.to_parsing[i]); });
  }
  return text;
}

std::string wall_rows(const ModesStats& stats) {
  const Series& first = stats.modes.front().wall;
  return mode_row("wall", stats, [](const ModeStats& mode) { return seconds_text_of(mode.wall); }) +
         mode_row("  spread", stats,
                  [](const ModeStats& mode) { return decimal_text(100 * mode.wall.spread(), 1) + " %"; }) +
         mode_row("  MB/s", stats, [&](const ModeStats& mode) { return rate(stats.input_bytes, mode.wall); }) +
         mode_row("  M postings/s", stats,
                  [](const ModeStats& mode) { return rate(mode.report.postings, mode.wall); }) +
         mode_row("  times faster", stats,
                  [&](const ModeStats& mode) { return times_text(times_faster(first, mode.wall)); });
}

std::string part_rows(const ModesStats& stats) {
  const Series& first = stats.modes.front().ingest;
  return mode_row("ingest", stats, [](const ModeStats& mode) { return seconds_text_of(mode.ingest); }) +
         mode_row("  MB/s", stats, [&](const ModeStats& mode) { return rate(stats.input_bytes, mode.ingest); }) +
         mode_row("  times faster", stats,
                  [&](const ModeStats& mode) { return times_text(times_faster(first, mode.ingest)); }) +
         parsing_rows(stats) +
         mode_row("merge and the rest", stats, [](const ModeStats& mode) { return seconds_text_of(mode.rest); });
}

std::string busy_row(const std::string& name, const ModesStats& stats) {
  return mode_row("busy: " + name, stats, [&](const ModeStats& mode) {
    const auto found =
        std::find_if(mode.busy.begin(), mode.busy.end(), [&](const auto& stage) { return stage.first == name; });
    return found == mode.busy.end() ? std::string("-") : seconds_text_of(found->second);
  });
}

}  // namespace

std::string modes_table(const ModesStats& stats) {
  std::string text = head(stats);
  text += mode_row("mode", stats, [](const ModeStats& mode) { return mode.mode; });
  text += wall_rows(stats) + part_rows(stats);
  text += mode_row("threads", stats, [](const ModeStats& mode) { return count_text(mode.report.threads); });
  text += mode_row("runs (spilled)", stats, [](const ModeStats& mode) {
    return count_text(mode.report.runs) + " (" + count_text(mode.report.runs_spilled) + ")";
  });
  for (const std::string& name : stage_names(stats)) text += busy_row(name, stats);
  return text;
}

}  // namespace spillway
