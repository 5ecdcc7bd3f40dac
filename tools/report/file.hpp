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
  // `option`: json or report. Throws as report_output().
  ReportFile(const Arguments& arguments, Session& session, const std::string& option, const std::string& output);

  bool is_wanted() const { return file_ != nullptr; }
  // After a job that made its index. Calls `text` only if the option was given. An error says that the index is
  // complete, and has the code kReportFailed.
  void write_of_done(const std::function<std::string()>& text);
  // After a job that failed: prints an error of writing, so that the job's own error is thrown.
  void write_of_failed(const std::string& command, const std::function<std::string()>& text);

 private:
  void write(const std::function<std::string()>& text);
  std::unique_ptr<OutputFile> file_;
};

// The reports that --json and --report ask for, of one job.
class JobReports {
 public:
  using Json = std::function<nlohmann::ordered_json()>;
  using PageText = std::function<std::string(const nlohmann::ordered_json&)>;

  // `page` makes the page of a report. Throws as report_output(), and UsageError if two options name the same file.
  JobReports(const Arguments& arguments, Session& session, const std::string& output, PageText page);

  bool has_page() const { return page_.is_wanted(); }
  // As those of ReportFile.
  void write_of_done(const Json& report);
  void write_of_failed(const std::string& command, const Json& report);

 private:
  PageText make_page_;
  ReportFile json_, page_;
};

}  // namespace spillway
