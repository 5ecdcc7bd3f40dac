// `bench calibrate`: measures the costs by which plans choose (sort/sort_plan.hpp, sort/gpu_plan.hpp).
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/memory/budget.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/sorts/records.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

struct CalibrationSizes {
  std::uint64_t keys = std::uint64_t{1} << 24;
  std::uint64_t strings = 1'000'000;                   // of each set
  std::uint64_t text_bytes = std::uint64_t{32} << 20;  // whose runs are merged
  std::uint64_t disk_bytes = std::uint64_t{256} << 20;
};

// `costs` has one number each, in seconds or bytes per second, under the names of the plans' structs; null for costs of
// a GPU that is not there. `measurements` has all rounds.
struct Calibration {
  nlohmann::ordered_json costs = nlohmann::ordered_json::object();
  nlohmann::ordered_json measurements = nlohmann::ordered_json::object();
};

class Calibrator {
 public:
  // `scratch` is an empty directory on the disk to be measured.
  Calibrator(Session& session, const BenchOptions& options, const CalibrationSizes& sizes, std::string scratch);

  // Seconds per record of every record sorter at 40 and 64 bits; bytes per second of copies to and from the GPU.
  void measure_records();
  // Seconds per string of every string sorter on sets with short, medium and long common prefixes.
  void measure_strings();
  // Bytes per second of the disk of the scratch directory.
  void measure_disk_speed();
  // Seconds per posting and per entry (a term of a run) of the merge of runs in memory, on all threads.
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
  // Makes text of `words` equally frequent words and measures, in turn, merges of it cut into about `blocks` blocks.
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
