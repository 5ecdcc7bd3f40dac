// `spillway bench report`: a page of JSON reports.
#include <limits>

#include "tools/cli/output_file.hpp"
#include "tools/commands/commands.hpp"
#include "tools/page/html.hpp"
#include "tools/report_page/pages.hpp"
#include "tools/report_page/read_reports.hpp"

namespace spillway {

namespace {

ExitCode run_bench_report_command(const Arguments& arguments, Session& session) {
  const auto path = arguments.text("output");
  if (!path || path->empty()) throw UsageError("no page named; give -o FILE, such as -o report.html, or -o -");
  refuse_input(session.files, "-o", *path, arguments.operands());
  const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
  OutputFile file(session, "-o", *path, if_there);
  file.write(page_html(page_of(read_json_reports(session.files, arguments.operands()))));
  file.finish();
  return ExitCode::kDone;
}

}  // namespace

Command bench_report_command() {
  Command command;
  command.name = "bench report";
  command.summary = "make a page of plots and tables from JSON reports";
  command.examples = {
      {"spillway bench report keys.json -o keys.html", "the rates that `bench sort records --json keys.json` measured"},
      {"spillway bench report cpu.json gpu.json -o both.html", "two machines in the same plots"},
      {"spillway bench report job.json -o job.html", "a job's report: stages, memory, plan, what was skipped"}};
  command.operands = "JSON... -o FILE [OPTIONS]";
  command.notes =
      "\nJSON is a file that --json of `bench sort records`, `bench sort strings`, `bench modes`, `bench calibrate`,\n"
      "`bench paper`, `index`, `append`, `merge`, `delete` or `sort` wrote, or that bench/sort_counters.py wrote. The\n"
      "page is one file that needs no network. It shows its plots and tables without a script, too; a script adds\n"
      "values under the pointer, the keys (arrow keys step through the values of a plot that has the focus, Enter\n"
      "goes to its table), and legends that hide series. Reports of the same benchmark share their plots.";
  auto output = option_group("Output");
  add_value(output, "output,o", "FILE", "the page to make (-: standard output)");
  add_flag(output, "force", "replace an existing page");
  command.groups.push_back(output);
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kCorrupt, "a file is not JSON, or no report that has a page"}};
  command.run = run_bench_report_command;
  return command;
}

}  // namespace spillway
