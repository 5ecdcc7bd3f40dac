#include "tools/bench/series.hpp"

#include <algorithm>

namespace spillway {

double Series::median() const {
  std::vector<double> sorted = rounds_;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Series::least() const { return *std::min_element(rounds_.begin(), rounds_.end()); }

double Series::most() const { return *std::max_element(rounds_.begin(), rounds_.end()); }

double Series::spread() const { return median() > 0 ? (most() - least()) / median() : 0; }

Series times_faster(const Series& base, const Series& other) {
  Series ratios;
  for (std::size_t i = 0; i < other.rounds().size(); ++i) {
    ratios.add(base.rounds()[i] / std::max(other.rounds()[i], 1e-9));
  }
  return ratios;
}

nlohmann::ordered_json series_json(const Series& series) {
  if (series.empty()) return nullptr;
  return {{"median", series.median()},
          {"least", series.least()},
          {"most", series.most()},
          {"spread", series.spread()},
          {"rounds", series.rounds()}};
}

}  // namespace spillway
