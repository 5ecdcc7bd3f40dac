// The file of a job's --json option: checked before the job, written after it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

class ReportFile {
 public:
  // Throws UsageError for a file that cannot be written, and for one inside the index at `output`, which the job
  // replaces.
  ReportFile(const Arguments& arguments, Session& session, const std::string& output);

  // Calls `report` only if --json was given.
  void write(const std::function<nlohmann::ordered_json()>& report);
  // The same after a job failed: prints an error of writing, so that the job's own error is thrown.
  void write_quietly(const std::string& command, const std::function<nlohmann::ordered_json()>& report);

 private:
  std::optional<OutputFile> file_;
};

}  // namespace spillway
