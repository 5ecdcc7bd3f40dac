#include "tools/bench/sorts/timed_sort.hpp"

#include <algorithm>
#include <stdexcept>

#include "tools/report/figures.hpp"

namespace spillway {

namespace {

void add(const std::optional<double>& seconds, Series& series) {
  if (seconds) series.add(*seconds);
}

void add_steps(const SortSteps& steps, SorterStats& stats) {
  stats.steps.resize(steps.steps.size());
  for (std::size_t i = 0; i < steps.steps.size(); ++i) {
    stats.steps[i].name = steps.steps[i].name;
    stats.steps[i].ties = steps.steps[i].ties;
    stats.steps[i].wall.add(steps.steps[i].wall_seconds);
    if (steps.steps[i].work_seconds > 0) stats.steps[i].work.add(steps.steps[i].work_seconds);
  }
  stats.rounds = steps.rounds;
}

SortTimes checked_round(TimedSort& sort) {
  const SortTimes times = sort.run();
  if (!sort.is_right()) throw std::logic_error("the sorter " + std::string(sort.name()) + " does not sort: no times");
  return times;
}

std::string rate_cell(std::uint64_t count, const Series& series) {
  if (series.empty()) return "-";
  const double rate = millions_per_second(count, series);
  return decimal_text(rate, rate < 100 ? 2 : 0);
}

const SorterStats* baseline_of(const std::vector<SorterStats>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [](const SorterStats& one) { return one.is_baseline; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::vector<SorterStats> measure_sorts(const std::vector<std::unique_ptr<TimedSort>>& sorts, unsigned rounds,
                                       const std::function<void()>& between) {
  std::vector<SorterStats> all;
  for (const auto& sort : sorts) {
    between();
    checked_round(*sort);
    SorterStats stats;
    stats.name = sort->name();
    stats.on_gpu = sort->on_gpu();
    stats.is_baseline = sort->is_baseline();
    stats.is_stable = sort->is_stable();
    stats.scratch_bytes = sort->scratch_bytes();
    all.push_back(std::move(stats));
  }
  for (unsigned round = 0; round < rounds; ++round) add_round(sorts, between, all);
  return all;
}

void add_round(const std::vector<std::unique_ptr<TimedSort>>& sorts, const std::function<void()>& between,
               std::vector<SorterStats>& all) {
  for (std::size_t i = 0; i < sorts.size(); ++i) {
    between();
    const SortTimes times = checked_round(*sorts[i]);
    all[i].sort.add(times.sort);
    add(times.up, all[i].up);
    add(times.down, all[i].down);
    add(times.pinned, all[i].pinned);
    add(times.pageable, all[i].pageable);
    add_steps(times.steps, all[i]);
  }
}

double millions_per_second(std::uint64_t count, const Series& series) {
  return static_cast<double>(count) / std::max(series.median(), 1e-9) / 1e6;
}

nlohmann::ordered_json sorter_json(const SorterStats& stats, std::uint64_t count) {
  nlohmann::ordered_json json{{"sorter", stats.name},
                              {"on_gpu", stats.on_gpu},
                              {"scratch_bytes", stats.scratch_bytes},
                              {"per_second", 1e6 * millions_per_second(count, stats.sort)},
                              {"sort_seconds", series_json(stats.sort)},
                              {"up_seconds", series_json(stats.up)},
                              {"down_seconds", series_json(stats.down)},
                              {"from_pinned_seconds", series_json(stats.pinned)},
                              {"from_pageable_seconds", series_json(stats.pageable)}};
  if (stats.is_stable) json["stable"] = *stats.is_stable;
  if (stats.steps.empty()) return json;
  for (const StepStats& step : stats.steps) {
    json["steps"].push_back({{"name", step.name},
                             {"wall_seconds", series_json(step.wall)},
                             {"work_seconds", series_json(step.work)},
                             {"ties", step.ties}});
  }
  if (stats.rounds > 0) json["sort_rounds"] = stats.rounds;
  return json;
}

nlohmann::ordered_json sorters_json(const std::vector<SorterStats>& all, std::uint64_t count) {
  const SorterStats* const baseline = baseline_of(all);
  nlohmann::ordered_json sorters = nlohmann::ordered_json::array();
  for (const SorterStats& stats : all) {
    sorters.push_back(sorter_json(stats, count));
    if (baseline == nullptr) continue;
    sorters.back()["times_baseline"] = {{"baseline", baseline->name},
                                        {"sort", series_json(times_faster(baseline->sort, stats.sort))}};
  }
  return sorters;
}

std::string sorter_table(const std::vector<SorterStats>& all, std::uint64_t count, std::string_view unit) {
  const auto row = [](const std::vector<std::string>& cells) {
    std::string line = "  " + left_aligned(cells[0], 22);
    for (std::size_t i = 1; i < cells.size(); ++i) line += right_aligned(cells[i], 15);
    return line + "\n";
  };
  const SorterStats* const baseline = baseline_of(all);
  std::vector<std::string> head{"sorter",  std::string(unit), "median",       "spread",
                                "scratch", "from pinned",     "from pageable"};
  if (baseline != nullptr) head.push_back("x " + baseline->name);
  std::string text = row(head);
  for (const SorterStats& stats : all) {
    std::vector<std::string> cells{stats.name,
                                   rate_cell(count, stats.sort),
                                   decimal_text(1000 * stats.sort.median(), 3) + " ms",
                                   decimal_text(100 * stats.sort.spread(), 1) + " %",
                                   memory_text(stats.scratch_bytes),
                                   rate_cell(count, stats.pinned),
                                   rate_cell(count, stats.pageable)};
    if (baseline != nullptr) cells.push_back(decimal_text(times_faster(baseline->sort, stats.sort).median(), 3));
    text += row(cells);
  }
  return text;
}

}  // namespace spillway
