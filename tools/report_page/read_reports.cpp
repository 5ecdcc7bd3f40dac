#include "tools/report_page/read_reports.hpp"

#include <filesystem>
#include <set>

#include "io/base/error.hpp"

namespace spillway {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 28;

// The library's message without its own name and number: the reason stands after the first ": ", or after "] ".
std::string reason_of(const ordered_json::exception& error) {
  const std::string text = error.what();
  for (const char* before : {": ", "] "}) {
    if (const std::size_t at = text.find(before); at != std::string::npos) return text.substr(at + 2);
  }
  return text;
}

ordered_json parsed(const std::string& path, const std::string& text) {
  try {
    return ordered_json::parse(text);
  } catch (const ordered_json::parse_error& error) {
    throw FormatError("'" + printable(path, 4096) + "', byte " + std::to_string(error.byte) +
                      ": expected JSON: " + printable(reason_of(error), 400));
  } catch (const ordered_json::out_of_range& error) {  // a number such as 1e999
    throw FormatError("'" + printable(path, 4096) + "': expected JSON with numbers in range: " +
                      printable(reason_of(error), 400) + "; give a file that --json of this program wrote");
  }
}

JsonReport read_report(FileSystem& files, const std::string& path) {
  JsonReport report{.path = path, .label = std::filesystem::path(path).stem().string()};
  report.json = parsed(path, read_file(files, path, kMostBytes));
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
