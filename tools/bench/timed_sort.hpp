// One sorter on one input, timed round after round: the interface behind `bench sort`, the same for records and
// strings, on the CPU and on the GPU.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/series.hpp"

namespace spillway {

// Seconds of one round. Transfers are in the last two figures and not in the first.
struct SortTimes {
  double sort = 0;                 // input and result where the sorter works: memory of the host or of the GPU
  std::optional<double> up, down;  // copies between pinned host memory and the GPU
  std::optional<double> pinned;    // from pinned host memory and back: up, sort and down
  std::optional<double> pageable;  // from and to ordinary host memory
};

class TimedSort {
 public:
  virtual ~TimedSort() = default;
  virtual std::string_view name() const = 0;
  virtual bool on_gpu() const = 0;
  // Something to compare with, and not one of the sorters.
  virtual bool is_baseline() const { return false; }
  // Of the place where it works.
  virtual std::uint64_t scratch_bytes() const = 0;
  virtual SortTimes run() = 0;
  // False: the last round's result is not the input, sorted.
  virtual bool is_right() const = 0;
};

struct SorterStats {
  std::string name;
  bool on_gpu = false, is_baseline = false;
  std::uint64_t scratch_bytes = 0;
  Series sort, up, down, pinned, pageable;
};

// A round that warms up, then `rounds`, in which the sorters take turns. Every result is checked before its time
// counts: std::logic_error names a sorter whose result is wrong. `between` is called before each round and may throw.
std::vector<SorterStats> measure_sorts(const std::vector<std::unique_ptr<TimedSort>>& sorts, unsigned rounds,
                                       const std::function<void()>& between);

// The rate in millions a second, median of rounds.
double millions_per_second(std::uint64_t count, const Series& series);

// {"sorter", "on_gpu", "scratch_bytes", "per_second", series of seconds by name}
nlohmann::ordered_json sorter_json(const SorterStats& stats, std::uint64_t count);

// One for each; with a baseline among them also "times_baseline": how many times as fast as it the sort alone is.
nlohmann::ordered_json sorters_json(const std::vector<SorterStats>& all, std::uint64_t count);

// A line a sorter under a head: rate and spread of the sort alone, then the rates with transfers, where there are any,
// and those of the baseline.
std::string sorter_table(const std::vector<SorterStats>& all, std::uint64_t count, std::string_view unit);

}  // namespace spillway
