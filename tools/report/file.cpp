#include "tools/report/file.hpp"

#include "indexer/job/output.hpp"
#include "tools/cli/output.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

// A pipe or device lies in no index, and a pipe's path may lead to no name.
void refuse_inside(const std::string& path, const std::string& output, FileSystem& files) {
  const auto status = files.status(path);
  if (status && status->type != FileType::kRegular) return;
  const std::string resolved = files.resolve(output), report = files.resolve(path);
  if (!is_inside(report, resolved) && !is_inside(report, resolved + ".work")) return;
  throw UsageError("--json '" + printable(path, 4096) + "' is inside the output " + printable(output, 4096) +
                   "; name a file outside of it");
}

}  // namespace

ReportFile::ReportFile(const Arguments& arguments, Session& session, const std::string& output) {
  const auto path = arguments.text("json");
  if (!path) return;
  if (*path != "-") refuse_inside(*path, output, session.files);
  std::vector<std::string> inputs = arguments.operands();
  for (const char* const list : {"stop", "drop"}) {
    if (const auto named = arguments.text(list)) inputs.push_back(*named);
  }
  refuse_input(session.files, "--json", *path, inputs);
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  file_.emplace(session, "--json", *path, if_there);
}

void ReportFile::write(const std::function<nlohmann::ordered_json()>& report) {
  if (!file_) return;
  file_->write(json_text(report()));
  file_->finish();
}

void ReportFile::write_of_done(const std::function<nlohmann::ordered_json()>& report) {
  constexpr const char* kDone = "the index is complete, only its report is not: ";
  try {
    write(report);
  } catch (const InterruptedError& error) {
    throw InterruptedError(error.signal_number(), std::string(kDone) + error.what());
  } catch (const Error& error) {
    throw Error(ExitCode::kReportFailed, std::string(kDone) + error.what());
  }
}

void ReportFile::write_of_failed(const std::string& command, const std::function<nlohmann::ordered_json()>& report) {
  try {
    write(report);
  } catch (const Error& error) {
    print_message(command + ": the report: " + error.what());
  }
}

}  // namespace spillway
