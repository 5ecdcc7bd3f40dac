// The interface of `bench sort`: one sorter on one input, timed round after round. It is the same for records and
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

#include "sort/interface/sort_steps.hpp"
#include "tools/bench/series.hpp"

namespace spillway {

enum class Transfers : std::uint8_t { kMeasured, kLeftOut };  // a GPU's times from host memory and back
enum class StepTimes : std::uint8_t { kLeftOut, kMeasured };  // of sorters that have a clock for their steps
enum class Baselines : std::uint8_t { kLeftOut, kMeasured };  // those of sort/gpu/registry.hpp

// Where sorters run, and what is measured besides the sort itself.
struct SortPlace {
  unsigned threads = 1;
  std::optional<int> gpu;  // set if a sorter needs one
  Transfers transfers = Transfers::kMeasured;
  Baselines baselines = Baselines::kLeftOut;
  StepTimes steps = StepTimes::kLeftOut;
  bool is_profiled = false;  // the first sort of each GPU sorter of records is marked for a profiler
};

// Seconds of one round. `sort` excludes transfers; `pinned` and `pageable` include them.
struct SortTimes {
  double sort = 0;                 // input and result in the memory where the sorter works
  std::optional<double> up, down;  // copies from and to pinned host memory
  std::optional<double> pinned;    // from pinned host memory and back: up + sort + down
  std::optional<double> pageable;  // from ordinary host memory and back
  SortSteps steps;                 // of the sort itself; empty where they are not measured
};

class TimedSort {
 public:
  virtual ~TimedSort() = default;
  virtual std::string_view name() const = 0;
  virtual bool on_gpu() const = 0;
  // Whether this is a yardstick (CUB called directly) and not a sorter of the program.
  virtual bool is_baseline() const { return false; }
  // Whether equal records keep their order, which is_right() then demands; nothing where that is not asked.
  virtual std::optional<bool> is_stable() const { return std::nullopt; }
  // Bytes in the memory where the sorter works: of the GPU or of the host.
  virtual std::uint64_t scratch_bytes() const = 0;
  virtual SortTimes run() = 0;
  // Whether the result of the last round is the sorted input.
  virtual bool is_right() const = 0;
};

// A step of a sort, round by round.
struct StepStats {
  std::string name;
  Series wall, work;       // work: empty where it is not measured
  std::uint64_t ties = 0;  // of the last round
};

struct SorterStats {
  std::string name;
  bool on_gpu = false, is_baseline = false;
  std::optional<bool> is_stable;
  std::uint64_t scratch_bytes = 0;
  Series sort, up, down, pinned, pageable;
  std::vector<StepStats> steps;
  unsigned rounds = 0;  // of a sort in rounds; 0 where it is not known
};

// Runs each sorter once as a warm-up, then `rounds` times in turn. Checks every result before its time counts and
// throws std::logic_error naming a sorter whose result is wrong. Calls `between` before each run; it may throw.
std::vector<SorterStats> measure_sorts(const std::vector<std::unique_ptr<TimedSort>>& sorts, unsigned rounds,
                                       const std::function<void()>& between);

// Runs each sorter once, and adds its times to its place in `all`. Checks, throws and calls `between` as measure_sorts.
void add_round(const std::vector<std::unique_ptr<TimedSort>>& sorts, const std::function<void()>& between,
               std::vector<SorterStats>& all);

// Millions of elements per second, by the median of the rounds.
double millions_per_second(std::uint64_t count, const Series& series);

// {"sorter", "on_gpu", "scratch_bytes", "per_second", "sort_seconds", "up_seconds", "down_seconds",
// "from_pinned_seconds", "from_pageable_seconds"}; of records also "stable", and with step times "steps": [{"name",
// "wall_seconds", "work_seconds"}] and "sort_rounds".
nlohmann::ordered_json sorter_json(const SorterStats& stats, std::uint64_t count);

// An array of those. With a baseline among them, each also has "times_baseline": the baseline's time divided by its
// own, for the sort alone.
nlohmann::ordered_json sorters_json(const std::vector<SorterStats>& all, std::uint64_t count);

// One line per sorter: rate, median time and spread of the sort alone, scratch, and the rates with transfers.
std::string sorter_table(const std::vector<SorterStats>& all, std::uint64_t count, std::string_view unit);

}  // namespace spillway
