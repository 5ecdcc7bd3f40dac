// The file of a job's --json option: reserved before the job, written after it.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

// Opens the file that `option` names, for a job that writes the index `output`. Returns nullptr if the option is not
// given. Throws UsageError for a file that cannot be written, for one inside the index, which the job replaces, and for
// one of the inputs or inside of one.
std::unique_ptr<OutputFile> report_output(const Arguments& arguments, Session& session, const std::string& option,
                                          const std::string& output);

// Ends a job that made its index by `finish`. Its errors say that the index is complete, "only <what> not", and have
// the code kReportFailed.
void finish_report(const std::string& what, const std::function<void()>& finish);

class ReportFile {
 public:
  // Throws as report_output().
  ReportFile(const Arguments& arguments, Session& session, const std::string& output);

  // After a job that made its index. Calls `report` only if --json was given. An error says that the index is complete,
  // and has the code kReportFailed.
  void write_of_done(const std::function<nlohmann::ordered_json()>& report);
  // After a job that failed: prints an error of writing, so that the job's own error is thrown.
  void write_of_failed(const std::string& command, const std::function<nlohmann::ordered_json()>& report);

 private:
  void write(const std::function<nlohmann::ordered_json()>& report);
  std::unique_ptr<OutputFile> file_;
};

}  // namespace spillway
