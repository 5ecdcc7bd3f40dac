// The file of the option --skipped: a line of JSON for each record that is not indexed, written while the job runs.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "indexer/options/index_report.hpp"
#include "tools/cli/output_file.hpp"

namespace spillway {

class SkippedFile {
 public:
  // Throws as report_output(), and UsageError for the file that --json names.
  SkippedFile(const Arguments& arguments, Session& session, const std::string& output);

  // Empty if --skipped was not given. Needs this file. A line that cannot be written ends no job: finish_of_done() and
  // finish_of_failed() tell the error. Throws InterruptedError.
  std::function<void(const SkippedRecord&)> listener();

  // After a job that made its index. An error says that the index is complete, and has the code kReportFailed.
  void finish_of_done();
  // After a job that failed: prints an error of writing, so that the job's own error is thrown.
  void finish_of_failed(const std::string& command);

 private:
  void add(const SkippedRecord& record);
  void write();
  void finish();
  std::unique_ptr<OutputFile> file_;
  std::string lines_;         // not written yet
  std::exception_ptr error_;  // the first of writing; then no more is written
};

}  // namespace spillway
