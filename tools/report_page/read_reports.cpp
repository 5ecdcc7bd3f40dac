#include "tools/report_page/read_reports.hpp"

#include <filesystem>
#include <set>

#include "tools/report/parse_json.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;

JsonReport read_report(FileSystem& files, const std::string& path) {
  JsonReport report{.path = path, .label = std::filesystem::path(path).stem().string()};
  report.json = parse_json(path, read_file(files, path, kMostBytes), kReportRemedy);
  const JsonView view = report.view();
  report.command = view.at("command").text();
  if (report.command.starts_with(kCountersScript)) report.command = kCountersScript;
  if (view.at("program").text() != "spillway") view.at("program").fail("\"spillway\"");
  return report;
}

}  // namespace

std::vector<JsonReport> read_json_reports(FileSystem& files, const std::vector<std::string>& paths) {
  std::vector<JsonReport> reports;
  std::set<std::string> labels;
  for (const std::string& path : paths) {
    reports.push_back(read_report(files, path));
    std::string& label = reports.back().label;
    if (!labels.insert(label).second) label = path;
  }
  return reports;
}

}  // namespace spillway
