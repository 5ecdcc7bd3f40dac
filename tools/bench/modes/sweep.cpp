#include "tools/bench/modes/sweep.hpp"

#include <algorithm>

#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::optional<double> money_rate(const SweepCell& cell, const Series& seconds, const std::optional<double>& cost) {
  if (!cost || seconds.empty()) return std::nullopt;
  return gigabytes_per_money(cell, seconds.median(), *cost);
}

ordered_json mode_json(const SweepCell& cell, const char* mode, const Series& seconds,
                       const std::optional<double>& cost) {
  const auto of_money = money_rate(cell, seconds, cost);
  return {{"mode", mode},
          {"wall_seconds", series_json(seconds)},
          {"bytes_per_second", static_cast<double>(cell.input_bytes) / std::max(seconds.median(), 1e-9)},
          {"gigabytes_per_money", of_money ? ordered_json(*of_money) : ordered_json()}};
}

double gpu_seconds(const SweepCell& cell, const SweepTerms& terms) {
  return cell.gpu_seconds.median() + terms.gpu_start_seconds;
}

bool is_faster_on_gpu(const SweepCell& cell, const SweepTerms& terms) {
  return gpu_seconds(cell, terms) < cell.cpu_seconds.median();
}

bool is_cheaper_on_gpu(const SweepCell& cell, const SweepTerms& terms) {
  return gigabytes_per_money(cell, gpu_seconds(cell, terms), *terms.gpu_cost) >
         gigabytes_per_money(cell, cell.cpu_seconds.median(), *terms.cpu_cost);
}

// Requires: `cells` ascend by size, and there is one.
template <typename IsBetter>
std::optional<std::uint64_t> border_of(const std::vector<const SweepCell*>& cells, const SweepTerms& terms,
                                       IsBetter is_better) {
  std::optional<std::uint64_t> border;
  for (auto cell = cells.rbegin(); cell != cells.rend() && is_better(**cell, terms); ++cell) {
    border = (*cell)->input_bytes;
  }
  return border;
}

std::string money_text(const std::optional<double>& rate) { return rate ? decimal_text(*rate, 0) : "-"; }

}  // namespace

const std::vector<SweepText>& sweep_texts() {
  static const std::vector<SweepText> kTexts{{"pages", 300}, {"books", 33'000}};
  return kTexts;
}

std::vector<SweepBorder> find_borders(const std::vector<SweepCell>& cells, const SweepTerms& terms) {
  std::vector<SweepBorder> borders;
  for (const SweepCell& first : cells) {
    const bool is_known = std::any_of(borders.begin(), borders.end(), [&](const SweepBorder& border) {
      return border.text == first.text && border.threads == first.threads;
    });
    if (is_known || first.gpu_seconds.empty()) continue;
    std::vector<const SweepCell*> of;
    for (const SweepCell& cell : cells) {
      if (cell.text == first.text && cell.threads == first.threads) of.push_back(&cell);
    }
    std::sort(of.begin(), of.end(), [](const auto* a, const auto* b) { return a->input_bytes < b->input_bytes; });
    SweepBorder border{first.text, first.threads, border_of(of, terms, is_faster_on_gpu)};
    border.has_costs = terms.cpu_cost && terms.gpu_cost;
    if (border.has_costs) border.cheaper_from_bytes = border_of(of, terms, is_cheaper_on_gpu);
    borders.push_back(std::move(border));
  }
  return borders;
}

double gigabytes_per_money(const SweepCell& cell, double seconds, double cost_of_hour) {
  const double cost = cost_of_hour * std::max(seconds, 1e-9) / 3600;
  return static_cast<double>(cell.input_bytes) / 1e9 / cost;
}

ordered_json sweep_cell_json(const SweepCell& cell, const SweepTerms& terms) {
  ordered_json modes = ordered_json::array();
  modes.push_back(mode_json(cell, "cpu+", cell.cpu_seconds, terms.cpu_cost));
  if (!cell.gpu_seconds.empty()) modes.push_back(mode_json(cell, "gpu+", cell.gpu_seconds, terms.gpu_cost));
  return {{"text", cell.text},
          {"threads", cell.threads},
          {"input_bytes", cell.input_bytes},
          {"documents", cell.documents},
          {"modes", std::move(modes)},
          {"times_faster",
           cell.gpu_seconds.empty() ? ordered_json() : series_json(times_faster(cell.cpu_seconds, cell.gpu_seconds))}};
}

ordered_json sweep_border_json(const SweepBorder& border) {
  const auto bytes = [](const std::optional<std::uint64_t>& from) {
    return from ? ordered_json(*from) : ordered_json();
  };
  return {{"text", border.text},
          {"threads", border.threads},
          {"faster_from_bytes", bytes(border.faster_from_bytes)},
          {"cheaper_from_bytes", bytes(border.cheaper_from_bytes)}};
}

std::string sweep_cell_text(const SweepCell& cell, const SweepTerms& terms) {
  const auto rate = [&](const Series& seconds) {
    if (seconds.empty()) return std::string("-");
    return decimal_text(static_cast<double>(cell.input_bytes) / std::max(seconds.median(), 1e-9) / 1e6, 0);
  };
  const std::string times =
      cell.gpu_seconds.empty() ? "-" : decimal_text(times_faster(cell.cpu_seconds, cell.gpu_seconds).median(), 2);
  std::string line = "  " + left_aligned(cell.text, 8) + right_aligned(std::to_string(cell.threads), 8) +
                     right_aligned(bytes_text(cell.input_bytes), 12) + right_aligned(rate(cell.cpu_seconds), 12) +
                     right_aligned(rate(cell.gpu_seconds), 12) + right_aligned(times, 12);
  if (!terms.cpu_cost && !terms.gpu_cost) return line + "\n";
  return line + right_aligned(money_text(money_rate(cell, cell.cpu_seconds, terms.cpu_cost)), 14) +
         right_aligned(money_text(money_rate(cell, cell.gpu_seconds, terms.gpu_cost)), 14) + "\n";
}

std::string sweep_border_text(const SweepBorder& border) {
  std::string text =
      border.text + ", " + std::to_string(border.threads) + (border.threads == 1 ? " thread: " : " threads: ");
  text += border.faster_from_bytes
              ? "with its start gpu+ is faster from " + bytes_text(*border.faster_from_bytes) + " on"
              : "with its start gpu+ is not faster at the largest size";
  if (!border.has_costs) return text;
  return text + (border.cheaper_from_bytes ? ", and cheaper from " + bytes_text(*border.cheaper_from_bytes) + " on"
                                           : ", and not cheaper at the largest size");
}

}  // namespace spillway
