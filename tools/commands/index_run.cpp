#include "tools/commands/index_run.hpp"

#include <cstdio>

#include "indexer/job/index_job.hpp"
#include "tools/cli/signals.hpp"
#include "tools/options/index_report.hpp"
#include "tools/options/job.hpp"
#include "tools/report/file.hpp"
#include "tools/report/progress.hpp"
#include "tools/report/skipped.hpp"

namespace spillway {

namespace {

std::vector<std::string> report_paths(const Arguments& arguments) {
  std::vector<std::string> paths;
  for (const char* const option : {"json", "skipped"}) {
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
  ReportFile report_file(arguments, session, options.output);
  SkippedFile skipped_file(arguments, session, options.output);
  IndexProgress progress;
  IndexReport report;
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
                             .ends_gpu_use = true};
  try {
    run_index(options, context, report);
  } catch (const ReportIsInputError&) {
    throw;  // and write neither
  } catch (const std::exception& error) {
    display.stop();
    const JobOutcome outcome{exit_code_of(error), error.what()};
    if (!quiet && outcome.exit_code == ExitCode::kBadInput) std::fputs(skipped_summary(report).c_str(), stderr);
    skipped_file.finish_of_failed(command);
    report_file.write_of_failed(command, [&] { return index_report_json(options, report, outcome); });
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(index_summary(options, report).c_str(), stderr);
  skipped_file.finish_of_done();
  report_file.write_of_done([&] { return index_report_json(options, report, {}); });
  return ExitCode::kDone;
}

}  // namespace spillway
