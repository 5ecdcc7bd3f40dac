// The file of a job's --json option: reserved before the job, written after it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

class ReportFile {
 public:
  // Throws UsageError for a file that cannot be written, for one inside the index at `output`, which the job replaces,
  // and for one of the inputs or inside of one.
  ReportFile(const Arguments& arguments, Session& session, const std::string& output);

  // After a job that made its index. Calls `report` only if --json was given. An error says that the index is complete,
  // and has the code kReportFailed.
  void write_of_done(const std::function<nlohmann::ordered_json()>& report);
  // After a job that failed: prints an error of writing, so that the job's own error is thrown.
  void write_of_failed(const std::string& command, const std::function<nlohmann::ordered_json()>& report);

 private:
  void write(const std::function<nlohmann::ordered_json()>& report);
  std::optional<OutputFile> file_;
};

}  // namespace spillway
