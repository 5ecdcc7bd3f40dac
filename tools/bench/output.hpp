// The output of a benchmark: a table on standard output as results arrive, and all of them as JSON at the end.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tools/cli/output_file.hpp"

namespace spillway {

class BenchOutput {
 public:
  // Checks the path of --json. With --json - there is no table.
  BenchOutput(const Arguments& arguments, Session& session, nlohmann::ordered_json head);

  // Sets a member of the report.
  void set(const std::string& name, nlohmann::ordered_json value) { report_[name] = std::move(value); }
  // Appends to the member "cases", and prints its lines of the table.
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
