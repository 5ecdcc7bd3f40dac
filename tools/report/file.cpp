#include "tools/report/file.hpp"

#include <map>

#include "indexer/job/output.hpp"
#include "tools/cli/output.hpp"
#include "tools/report/json.hpp"

namespace spillway {

namespace {

constexpr const char* kReportOptions[] = {"json", "report", "skipped"};

// A pipe or device lies in no index, and a pipe's path may lead to no name.
void refuse_inside(const std::string& option, const std::string& path, const std::string& output, FileSystem& files) {
  const auto status = files.status(path);
  if (status && status->type != FileType::kRegular) return;
  const std::string resolved = files.resolve(output), report = files.resolve(path);
  if (!is_inside(report, resolved) && !is_inside(report, resolved + ".work")) return;
  throw UsageError(option + " '" + printable(path, 4096) + "' is inside the output " + printable(output, 4096) +
                   "; name a file outside of it");
}

// Of the options for reports that this command has. Pipes and devices are told apart by their paths.
void refuse_same_reports(const Arguments& arguments, FileSystem& files) {
  std::map<std::string, std::string> options;  // by the resolved path
  for (const char* const option : kReportOptions) {
    const auto path = arguments.text(option);
    if (!path) continue;
    const auto status = files.status(*path);
    const bool has_name = !status || status->type == FileType::kRegular;
    const auto [at, is_new] = options.emplace(has_name ? files.resolve(*path) : *path, option);
    if (!is_new) throw UsageError("--" + at->second + " and --" + option + " name the same file; name two");
  }
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

ReportFile::ReportFile(const Arguments& arguments, Session& session, const std::string& option,
                       const std::string& output)
    : file_(report_output(arguments, session, option, output)) {}

void ReportFile::write(const std::function<std::string()>& text) {
  if (!file_) return;
  file_->write(text());
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

void ReportFile::write_of_done(const std::function<std::string()>& text) {
  finish_report("its report is", [&] { write(text); });
}

void ReportFile::write_of_failed(const std::string& command, const std::function<std::string()>& text) {
  try {
    write(text);
  } catch (const Error& error) {
    print_message(command + ": the report: " + error.what());
  }
}

JobReports::JobReports(const Arguments& arguments, Session& session, const std::string& output, PageText page)
    : make_page_((refuse_same_reports(arguments, session.files), std::move(page))),
      json_(arguments, session, "json", output),
      page_(arguments, session, "report", output) {}

void JobReports::write_of_done(const Json& report) {
  std::exception_ptr error;  // of the first: the second is written all the same
  try {
    json_.write_of_done([&] { return json_text(report()); });
  } catch (const Error&) {
    error = std::current_exception();
  }
  page_.write_of_done([&] { return make_page_(report()); });
  if (error != nullptr) std::rethrow_exception(error);
}

void JobReports::write_of_failed(const std::string& command, const Json& report) {
  json_.write_of_failed(command, [&] { return json_text(report()); });
  page_.write_of_failed(command, [&] { return make_page_(report()); });
}

}  // namespace spillway
