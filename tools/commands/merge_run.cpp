#include "tools/commands/merge_run.hpp"

#include <cstdio>
#include <optional>

#include "indexer/job/merge_job.hpp"
#include "tools/options/job.hpp"
#include "tools/options/merge_report.hpp"
#include "tools/report/file.hpp"
#include "tools/report/progress.hpp"
#include "tools/report/timeline.hpp"
#include "tools/report_page/pages.hpp"

namespace spillway {

ExitCode run_merge_job(const std::string& command, const Arguments& arguments, Session& session,
                       const MergeOptions& options) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  JobReports reports(arguments, session, options.output, job_page_html);
  IndexProgress progress;
  MergeReport report;
  std::optional<JobRecorder> recorder;
  if (reports.has_page()) recorder.emplace();
  const auto report_json = [&](const JobOutcome& outcome) {
    nlohmann::ordered_json json = merge_report_json(command, options, report, outcome);
    if (recorder) add_record(recorder->record(), json);
    return json;
  };
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), quiet));
  const auto warn = [&](const std::string& words) {
    if (!quiet) display.say("spillway: " + command + ": " + words);
  };
  const auto say = [&](const std::string& words) {
    if (verbose) display.say(words);
  };
  try {
    run_merge(options,
              {.files = session.files,
               .signal_number = session.signal_number,
               .progress = progress,
               .warn = warn,
               .say = say,
               .recorder = recorder ? &*recorder : nullptr},
              report);
  } catch (const std::exception& error) {
    display.stop();
    const JobOutcome outcome{exit_code_of(error), error.what()};
    reports.write_of_failed(command, [&] { return report_json(outcome); });
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(merge_summary(command, options, report).c_str(), stderr);
  reports.write_of_done([&] { return report_json({}); });
  return ExitCode::kDone;
}

}  // namespace spillway
