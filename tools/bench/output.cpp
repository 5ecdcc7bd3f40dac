#include "tools/bench/output.hpp"

#include "tools/bench/report.hpp"
#include "tools/report/json.hpp"

namespace spillway {

BenchOutput::BenchOutput(const Arguments& arguments, Session& session, nlohmann::ordered_json head)
    : session_(session), report_(std::move(head)) {
  if (const auto path = arguments.text("json")) {
    const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
    refuse_input(session.files, "--json", *path, arguments.operands());
    file_.emplace(session, "--json", *path, if_there);
    has_table_ = *path != "-";
  }
  say(bench_head_text(report_));
}

void BenchOutput::add_case(nlohmann::ordered_json value, const std::string& lines) {
  report_["cases"].push_back(std::move(value));
  say(lines);
}

void BenchOutput::say(const std::string& lines) {
  if (!has_table_) return;
  session_.out.write(lines);
  session_.out.flush();
}

void BenchOutput::finish() {
  if (!file_) return;
  file_->write(json_text(report_));
  file_->finish();
}

}  // namespace spillway
