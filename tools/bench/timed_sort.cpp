#include "tools/bench/timed_sort.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

#include "tools/report/figures.hpp"

namespace spillway {

namespace {

void add(const std::optional<double>& seconds, Series& series) {
  if (seconds) series.add(*seconds);
}

SortTimes checked_round(TimedSort& sort) {
  const SortTimes times = sort.run();
  if (!sort.is_right()) throw std::logic_error("the sorter " + std::string(sort.name()) + " does not sort: no times");
  return times;
}

std::string rate_cell(std::uint64_t count, const Series& series) {
  if (series.empty()) return "-";
  std::array<char, 32> text{};
  const double rate = millions_per_second(count, series);
  std::snprintf(text.data(), text.size(), rate < 100 ? "%.2f" : "%.0f", rate);
  return text.data();
}

std::string milliseconds_cell(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f ms", 1000 * seconds);
  return text.data();
}

std::string spread_cell(const Series& series) {
  return percent_text(static_cast<std::uint64_t>(series.spread() * 1e6), 1'000'000);
}

std::string times_cell(const Series& base, const Series& other) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f", times_faster(base, other).median());
  return text.data();
}

const SorterFigures* baseline_of(const std::vector<SorterFigures>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const SorterFigures& one) { return one.is_baseline; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<SorterFigures> measure_sorts(const std::vector<std::unique_ptr<TimedSort>>& sorts, unsigned rounds,
                                         const std::function<void()>& between) {
  std::vector<SorterFigures> all;
  for (const auto& sort : sorts) {
    between();
    checked_round(*sort);
    SorterFigures figures;
    figures.name = sort->name();
    figures.on_gpu = sort->on_gpu();
    figures.is_baseline = sort->is_baseline();
    figures.scratch_bytes = sort->scratch_bytes();
    all.push_back(std::move(figures));
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sorts.size(); ++i) {
      between();
      const SortTimes times = checked_round(*sorts[i]);
      all[i].sort.add(times.sort);
      add(times.up, all[i].up);
      add(times.down, all[i].down);
      add(times.pinned, all[i].pinned);
      add(times.pageable, all[i].pageable);
    }
  }
  return all;
}

double millions_per_second(std::uint64_t count, const Series& series) {
  return static_cast<double>(count) / std::max(series.median(), 1e-9) / 1e6;
}

nlohmann::ordered_json sorter_json(const SorterFigures& figures, std::uint64_t count) {
  return {{"sorter", figures.name},
          {"on_gpu", figures.on_gpu},
          {"scratch_bytes", figures.scratch_bytes},
          {"per_second", 1e6 * millions_per_second(count, figures.sort)},
          {"sort_seconds", series_json(figures.sort)},
          {"up_seconds", series_json(figures.up)},
          {"down_seconds", series_json(figures.down)},
          {"from_pinned_seconds", series_json(figures.pinned)},
          {"from_pageable_seconds", series_json(figures.pageable)}};
}

nlohmann::ordered_json sorters_json(const std::vector<SorterFigures>& all, std::uint64_t count) {
  const SorterFigures* const baseline = baseline_of(all);
  nlohmann::ordered_json sorters = nlohmann::ordered_json::array();
  for (const SorterFigures& figures : all) {
    sorters.push_back(sorter_json(figures, count));
    if (baseline == nullptr) continue;
    sorters.back()["times_baseline"] = {{"baseline", baseline->name},
                                        {"sort", series_json(times_faster(baseline->sort, figures.sort))}};
  }
  return sorters;
}

std::string sorter_table(const std::vector<SorterFigures>& all, std::uint64_t count, std::string_view unit) {
  const auto row = [](const std::vector<std::string>& cells) {
    std::string line = "  " + left_aligned(cells[0], 22);
    for (std::size_t i = 1; i < cells.size(); ++i) line += right_aligned(cells[i], 15);
    return line + "\n";
  };
  const SorterFigures* const baseline = baseline_of(all);
  std::vector<std::string> head{"sorter",  std::string(unit), "median",       "spread",
                                "scratch", "from pinned",     "from pageable"};
  if (baseline != nullptr) head.push_back("x " + baseline->name);
  std::string text = row(head);
  for (const SorterFigures& figures : all) {
    std::vector<std::string> cells{figures.name,
                                   rate_cell(count, figures.sort),
                                   milliseconds_cell(figures.sort.median()),
                                   spread_cell(figures.sort),
                                   memory_text(figures.scratch_bytes),
                                   rate_cell(count, figures.pinned),
                                   rate_cell(count, figures.pageable)};
    if (baseline != nullptr) cells.push_back(times_cell(baseline->sort, figures.sort));
    text += row(cells);
  }
  return text;
}

}  // namespace spillway
