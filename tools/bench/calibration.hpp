// `bench calibrate`: the costs that plans choose by (sort/sort_plan.hpp, sort/gpu_plan.hpp), measured here.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/memory/budget.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/records.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

struct CalibrationSizes {
  std::uint64_t keys = std::uint64_t{1} << 24;
  std::uint64_t strings = 1'000'000;                   // of each set
  std::uint64_t text_bytes = std::uint64_t{32} << 20;  // whose runs are merged
  std::uint64_t disk_bytes = std::uint64_t{256} << 20;
};

// "costs": one number each, in seconds or bytes a second, with the names that the plans' structs have; null where there
// is no GPU to measure. "measurements": all rounds behind them.
struct Calibration {
  nlohmann::ordered_json costs = nlohmann::ordered_json::object();
  nlohmann::ordered_json measurements = nlohmann::ordered_json::object();
};

class Calibrator {
 public:
  // `scratch`: a directory that is empty, on the disk to be measured.
  Calibrator(Session& session, const BenchOptions& options, const CalibrationSizes& sizes, std::string scratch);

  // Seconds a record of every record sorter at 40 and 64 bits; copies to and from the GPU.
  void measure_records();
  // Seconds a string of every string sorter on a set of short, of middling and of long common prefixes.
  void measure_strings();
  // Bytes a second of the scratch directory's disk.
  void measure_disk_speed();
  // Of the merge of runs in memory, all threads working: seconds a posting, and seconds an entry (a term of a run).
  void measure_merge();

  const Calibration& result() const { return result_; }

  struct MergeRound {
    double seconds = 0;
    std::uint64_t runs = 0, entries = 0, postings = 0;
  };
  struct MergeSeries {
    MergeRound last;
    Series seconds;
  };

 private:
  // Text of so many equally frequent words, cut into about so many blocks: the merges of each, in turns.
  std::vector<MergeSeries> merge_rounds(std::uint64_t words, const std::vector<std::uint64_t>& blocks);
  void check_signal() const;
  SortPlace place() const;
  Session& session_;
  const BenchOptions& options_;
  CalibrationSizes sizes_;
  std::string scratch_;
  MemoryBudget budget_;
  Calibration result_;
};

std::string calibration_table(const Calibration& calibration);

}  // namespace spillway
