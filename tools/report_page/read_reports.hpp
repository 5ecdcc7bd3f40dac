// Reads JSON reports from files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "tools/report_page/json_view.hpp"

namespace spillway {

// Counts what a program cannot count by itself; the command of its reports has options, too.
inline constexpr const char* kCountersScript = "bench/sort_counters.py";

struct JsonReport {
  std::string path = {};
  std::string label = {};    // names it among several: the file's name without its ending, after its directory's or its
                             // path where others have the same
  std::string command = {};  // of a script: without options
  nlohmann::ordered_json json = {};
  JsonView view() const { return {json, path}; }
};

// Throws IoError if a file cannot be read, FormatError naming path and offset if it is not JSON, and FormatError if it
// is no report of this program.
std::vector<JsonReport> read_json_reports(FileSystem& files, const std::vector<std::string>& paths);

}  // namespace spillway
