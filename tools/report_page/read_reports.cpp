#include "tools/report_page/read_reports.hpp"

#include <filesystem>
#include <set>

#include "io/base/error.hpp"

namespace spillway {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 28;

// The library's message without its own name and number: the reason stands after the last ": ".
std::string reason_of(const ordered_json::parse_error& error) {
  const std::string text = error.what();
  const std::size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

ordered_json parsed(const std::string& path, const std::string& text) {
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    throw FormatError("'" + printable(path, 4096) + "', byte " + std::to_string(error.byte) +
                      ": expected JSON: " + printable(reason_of(error), 400));
  }
}

JsonReport read_report(FileSystem& files, const std::string& path) {
  JsonReport report{.path = path, .label = std::filesystem::path(path).stem().string()};
  report.json = parsed(path, read_file(files, path, kMostBytes));
  const JsonView view = report.view();
  report.command = view.at("command").text();
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
