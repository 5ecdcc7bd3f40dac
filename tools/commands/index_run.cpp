#include "tools/commands/index_run.hpp"

#include <cstdio>
#include <optional>

#include "indexer/job/index_job.hpp"
#include "tools/cli/signals.hpp"
#include "tools/options/index_report.hpp"
#include "tools/options/job.hpp"
#include "tools/report/file.hpp"
#include "tools/report/progress.hpp"
#include "tools/report/skipped.hpp"
#include "tools/report/timeline.hpp"
#include "tools/report_page/pages.hpp"

namespace spillway {

namespace {

std::vector<std::string> report_paths(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const char* const option : {"json", "report", "skipped"}) {
    const auto path = arguments.text(option);
    if (path && *path != "-") paths.push_back(*path);
  }
  return paths;
}

}  // namespace

ExitCode run_index_job(const std::string& command, const Arguments& arguments, Session& session,
                       const ReadIndexOptions& read_options) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  const IndexOptions options = read_options(arguments, session.files, interruption_check(session.signal_number));
  JobReports reports(arguments, session, options.output, job_page_html);
  SkippedFile skipped_file(arguments, session, options.output);
  IndexProgress progress;
  IndexReport report;
  std::optional<JobRecorder> recorder;
  if (reports.has_page()) recorder.emplace();
  const auto report_json = [&](const JobOutcome& outcome) {
    nlohmann::ordered_json json = index_report_json(options, report, outcome);
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
  const IndexContext context{.files = session.files,
                             .signal_number = session.signal_number,
                             .progress = progress,
                             .warn = warn,
                             .say = say,
                             .skipped = skipped_file.listener(),
                             .reports = report_paths(arguments),
                             .ends_gpu_use = true,
                             .recorder = recorder ? &*recorder : nullptr};
  try {
    run_index(options, context, report);
  } catch (const ReportIsInputError&) {
    throw;  // and write neither
  } catch (const std::exception& error) {
    display.stop();
    const JobOutcome outcome{exit_code_of(error), error.what()};
    if (!quiet && outcome.exit_code == ExitCode::kBadInput) std::fputs(skipped_summary(report).c_str(), stderr);
    skipped_file.finish_of_failed(command);
    reports.write_of_failed(command, [&] { return report_json(outcome); });
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(index_summary(options, report).c_str(), stderr);
  skipped_file.finish_of_done();
  reports.write_of_done([&] { return report_json({}); });
  return ExitCode::kDone;
}

}  // namespace spillway
