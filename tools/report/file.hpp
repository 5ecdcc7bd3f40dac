// Where --json of a job goes: checked before the work, written after it, and only if it is wanted.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

class ReportFile {
 public:
  // Throws UsageError for a file that could not be written, and for one inside the index at `output`, which is made
  // anew.
  ReportFile(const Arguments& arguments, Session& session, const std::string& output);

  // The report is only made if it is wanted.
  void write(const std::function<nlohmann::ordered_json()>& report);
  // The same for a job that failed: a failure to write must not hide why.
  void write_quietly(const std::string& command, const std::function<nlohmann::ordered_json()>& report);

 private:
  std::optional<OutputFile> file_;
};

}  // namespace spillway
