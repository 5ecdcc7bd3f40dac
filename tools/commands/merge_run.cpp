#include "tools/commands/merge_run.hpp"

#include <cstdio>

#include "indexer/job/merge_job.hpp"
#include "tools/options/job.hpp"
#include "tools/options/merge_report.hpp"
#include "tools/report/file.hpp"
#include "tools/report/progress.hpp"

namespace spillway {

ExitCode run_merge_job(const std::string& command, const Arguments& arguments, Session& session,
                       const MergeOptions& options) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  ReportFile report_file(arguments, session, options.output);
  IndexProgress progress;
  MergeReport report;
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), quiet));
  const auto warn = [&](const std::string& words) {
    if (!quiet) display.say("spillway: " + command + ": " + words);
  };
  const auto say = [&](const std::string& words) {
    if (verbose) display.say(words);
  };
  try {
    run_merge(options, {session.files, session.signal_number, progress, warn, say}, report);
  } catch (const std::exception& error) {
    display.stop();
    const JobOutcome outcome{exit_code_of(error), error.what()};
    report_file.write_of_failed(command, [&] { return merge_report_json(command, options, report, outcome); });
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(merge_summary(command, options, report).c_str(), stderr);
  report_file.write_of_done([&] { return merge_report_json(command, options, report, {}); });
  return ExitCode::kDone;
}

}  // namespace spillway
