#include "tools/report/file.hpp"

#include "indexer/job/output.hpp"
#include "tools/cli/output.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

// A pipe or device lies in no index, and a pipe's path may lead to no name.
void refuse_inside(const std::string& option, const std::string& path, const std::string& output, FileSystem& files) {
  const auto status = files.status(path);
  if (status && status->type != FileType::kRegular) return;
  const std::string resolved = files.resolve(output), report = files.resolve(path);
  if (!is_inside(report, resolved) && !is_inside(report, resolved + ".work")) return;
  throw UsageError(option + " '" + printable(path, 4096) + "' is inside the output " + printable(output, 4096) +
                   "; name a file outside of it");
}

}  // namespace

std::unique_ptr<OutputFile> report_output(const Arguments& arguments, Session& session, const std::string& option,
                                          const std::string& output) {
  const auto path = arguments.text(option);
  if (!path) return nullptr;
  const std::string dashed = "--" + option;
  if (*path != "-") refuse_inside(dashed, *path, output, session.files);
  std::vector<std::string> inputs = arguments.operands();
  for (const char* const list : {"stop", "drop"}) {
    if (const auto named = arguments.text(list)) inputs.push_back(*named);
  }
  for (const char* const names : {"id", "url"}) {
    for (const std::string& name : arguments.texts(names)) {
      if (name.starts_with('@')) inputs.push_back(name);
    }
  }
  refuse_input(session.files, dashed, *path, inputs);
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  return std::make_unique<OutputFile>(session, dashed, *path, if_there);
}

ReportFile::ReportFile(const Arguments& arguments, Session& session, const std::string& output)
    : file_(report_output(arguments, session, "json", output)) {}

void ReportFile::write(const std::function<nlohmann::ordered_json()>& report) {
  if (!file_) return;
  file_->write(json_text(report()));
  file_->finish();
}

void finish_report(const std::string& what, const std::function<void()>& finish) {
  const std::string done = "the index is complete, only " + what + " not: ";
  try {
    finish();
  } catch (const InterruptedError& error) {
    throw InterruptedError(error.signal_number(), done + error.what());
  } catch (const Error& error) {
    throw Error(ExitCode::kReportFailed, done + error.what());
  }
}

void ReportFile::write_of_done(const std::function<nlohmann::ordered_json()>& report) {
  finish_report("its report is", [&] { write(report); });
}

void ReportFile::write_of_failed(const std::string& command, const std::function<nlohmann::ordered_json()>& report) {
  try {
    write(report);
  } catch (const Error& error) {
    print_message(command + ": the report: " + error.what());
  }
}

}  // namespace spillway
