// Where a benchmark's results go: a readable table on standard output as they come, and at the end all of them as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

class BenchOutput {
 public:
  // Checks --json before any work. With --json - there is no table.
  BenchOutput(const Arguments& arguments, Session& session, nlohmann::ordered_json head);

  // A member of the report, beside its head.
  void set(const std::string& name, nlohmann::ordered_json value) { report_[name] = std::move(value); }
  // One more of its "cases", with its lines of the table.
  void add_case(nlohmann::ordered_json value, const std::string& lines);
  void say(const std::string& lines);
  void finish();

 private:
  Session& session_;
  bool has_table_ = true;
  std::optional<OutputFile> file_;
  nlohmann::ordered_json report_;
};

}  // namespace spillway
