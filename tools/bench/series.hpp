// The rounds of one measurement, and their statistics.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace spillway {

class Series {
 public:
  void add(double seconds) { rounds_.push_back(seconds); }
  bool empty() const { return rounds_.empty(); }
  const std::vector<double>& rounds() const { return rounds_; }

  // If the number of rounds is even, returns the mean of the middle two. Requires, here and below: !empty().
  double median() const;
  double least() const;
  double most() const;
  double spread() const;  // (most - least) / median

 private:
  std::vector<double> rounds_;
};

// base / other, round by round: how many times as fast as `base` the other is. Requires: `base` has at least as many
// rounds.
Series times_faster(const Series& base, const Series& other);

// {"median", "least", "most", "spread", "rounds"}, or null for an empty series.
nlohmann::ordered_json series_json(const Series& series);

}  // namespace spillway
