#include "tools/report/file.hpp"

#include "indexer/job/output.hpp"
#include "tools/cli/output.hpp"
#include "tools/report/json.hpp"

namespace spillway {

ReportFile::ReportFile(const Arguments& arguments, Session& session, const std::string& output) {
  const auto path = arguments.text("json");
  if (!path) return;
  const std::string resolved = session.files.resolve(output);
  const std::string report = *path == "-" ? "" : session.files.resolve(*path);
  if (is_inside(report, resolved) || is_inside(report, resolved + ".work")) {
    throw UsageError("--json '" + printable(*path, 4096) + "' is inside the output " + printable(output, 4096) +
                     "; name a file outside of it");
  }
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  file_.emplace(session, "--json", *path, if_there);
}

void ReportFile::write(const std::function<nlohmann::ordered_json()>& report) {
  if (!file_) return;
  file_->write(json_text(report()));
  file_->finish();
}

void ReportFile::write_quietly(const std::string& command, const std::function<nlohmann::ordered_json()>& report) {
  try {
    write(report);
  } catch (const Error& error) {
    print_message(command + ": the report: " + error.what());
  }
}

}  // namespace spillway
