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
  double times_faster = 0;                          // gpu+ to cpu+, median of the rounds
  std::optional<std::uint64_t> faster_from_bytes;   // with these threads
  std::optional<std::uint64_t> cheaper_from_bytes;  // the same for money; none where no costs were given
};

struct MeasuredBorder {
  std::string date, commit, gpu;  // of the report
  std::vector<MeasuredJob> jobs;  // one for each text
  // A line for each text.
  std::string describe() const;
};

// Reads a report of `bench modes --sweep`. Throws IoError; FormatError naming `path` if it is no such report, or was
// measured without a GPU.
MeasuredBorder read_measured_border(FileSystem& files, const std::string& path, std::uint64_t threads,
                                    std::uint64_t input_bytes);

nlohmann::ordered_json measured_border_json(const MeasuredBorder& border);

}  // namespace spillway
