// The same measured several times: what a benchmark tells of it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace spillway {

class Series {
 public:
  void add(double seconds) { rounds_.push_back(seconds); }
  bool empty() const { return rounds_.empty(); }
  const std::vector<double>& rounds() const { return rounds_; }

  // Of an even number of rounds the mean of the two in the middle. Requires: !empty(), as of all below.
  double median() const;
  double least() const;
  double most() const;
  double spread() const;  // (most - least) / median

 private:
  std::vector<double> rounds_;
};

// How many times as fast as `base` the other is, round by round. Requires: no fewer rounds of `base`.
Series times_faster(const Series& base, const Series& other);

// {"median", "least", "most", "spread", "rounds"}, or null for an empty series.
nlohmann::ordered_json series_json(const Series& series);

}  // namespace spillway
