// `plan --measured FILE`: what `bench modes --sweep` measured for jobs like the planned one.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

// For one text, the measured job that is nearest to the planned one by the ratios of threads, then of sizes.
struct MeasuredJob {
  std::string text;  // "pages"
  std::uint64_t threads = 0, input_bytes = 0;
  double times_faster = 0;                          // gpu+, once its GPU had started, to cpu+: median of the rounds
  bool has_border = false;                          // the report has one for this text and these threads
  std::optional<std::uint64_t> faster_from_bytes;   // with the GPU's start
  std::optional<std::uint64_t> cheaper_from_bytes;  // the same for money; none where no costs were given
};

// Texts are as the report has them: not safe to print.
struct MeasuredBorder {
  std::string date, commit, processor, gpu;  // of the report
  double gpu_start_seconds = 0;              // 0: not known
  bool has_costs = false;                    // prices without and with the GPU were given
  std::vector<MeasuredJob> jobs;             // one for each text
  // A line for each text. Safe to print.
  std::string describe() const;
  // Returns a sentence that says so if the report is of another processor than `machine` (tools/report/machine.hpp)
  // has, or of a GPU that it lacks; otherwise nothing. Safe to print.
  std::string warning(const nlohmann::ordered_json& machine) const;
};

// Reads a report of `bench modes --sweep`. `input_bytes`: of the files as stored, which are compared with the sweep's
// files of plain text. Throws IoError; FormatError naming `path` if it is no such report, has impossible numbers, or
// was measured without a GPU.
MeasuredBorder read_measured_border(FileSystem& files, const std::string& path, std::uint64_t threads,
                                    std::uint64_t input_bytes);

nlohmann::ordered_json measured_border_json(const MeasuredBorder& border);

}  // namespace spillway
