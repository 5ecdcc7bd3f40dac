#include "tools/report_page/read_reports.hpp"

#include <filesystem>
#include <map>

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

// "h100/quick" of ".../h100/quick.json".
std::string with_directory(const std::string& path) {
  const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
  return (whole.parent_path().filename() / whole.stem()).string();
}

}  // namespace

std::vector<JsonReport> read_json_reports(FileSystem& files, const std::vector<std::string>& paths) {
  std::vector<JsonReport> reports;
  std::map<std::string, std::size_t> names, longer_names;
  for (const std::string& path : paths) {
    reports.push_back(read_report(files, path));
    ++names[reports.back().label];
    ++longer_names[with_directory(path)];
  }
  for (JsonReport& report : reports) {
    if (names.at(report.label) == 1) continue;
    const std::string longer = with_directory(report.path);
    report.label = longer_names.at(longer) == 1 ? longer : report.path;
  }
  return reports;
}

}  // namespace spillway
