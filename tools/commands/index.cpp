// `spillway index`: documents in, an index out.
#include <cstdio>
#include <limits>

#include "indexer/job/index_job.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/index.hpp"
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

ExitCode run_index_command(const Arguments& arguments, Session& session) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  const IndexOptions options = index_options(arguments, session.files, interruption_check(session.signal_number));
  ReportFile report_file(arguments, session, options.output);
  SkippedFile skipped_file(arguments, session, options.output);
  IndexProgress progress;
  IndexReport report;
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), quiet));
  const auto warn = [&](const std::string& words) {
    if (!quiet) display.say("spillway: index: " + words);
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
                             .reports = report_paths(arguments)};
  try {
    run_index(options, context, report);
  } catch (const ReportIsInputError&) {
    throw;  // and write neither
  } catch (const std::exception& error) {
    display.stop();
    const JobOutcome outcome{exit_code_of(error), error.what()};
    if (!quiet && outcome.exit_code == ExitCode::kBadInput) std::fputs(skipped_summary(report).c_str(), stderr);
    skipped_file.finish_of_failed("index");
    report_file.write_of_failed("index", [&] { return index_report_json(options, report, outcome); });
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(index_summary(options, report).c_str(), stderr);
  skipped_file.finish_of_done();
  report_file.write_of_done([&] { return index_report_json(options, report, {}); });
  return ExitCode::kDone;
}

}  // namespace

Command index_command() {
  Command command;
  command.name = "index";
  command.summary = "build an index from documents";
  command.examples = {
      {"spillway index docs.jsonl.zst -o docs.index", "JSON objects, one per line; gzip and zstd are recognised"},
      {"spillway index --format lines --memory 256M corpus.txt -o corpus.index",
       "a document per line, in at most 256 MiB of memory"},
      {"spillway index --stop english --stem english --json report.json notes/ -o notes.index",
       "every text file below a directory, with stop words and stemming, and a report"},
      {"zcat docs.jsonl.gz | spillway index --format jsonl - -o docs.index", "standard input"}};
  command.operands = "INPUT... -o DIR [OPTIONS]";
  command.notes =
      "\nINPUT is a file, a directory (all files below it, except hidden files and links), @FILE (a list with one "
      "path\n"
      "per line) or - (standard input). Sizes: K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB powers of\n"
      "1000, % a share of the default. The same input and the same 'What the index holds' options give the same "
      "bytes,\n"
      "whatever the resources.";
  command.groups = index_option_groups();
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kBadInput, "more records were skipped than --max-error-rate or --strict allows; no index"},
      {ExitCode::kOverBudget, "--memory, --temp-limit or the machine's memory is too small; no index"},
      {ExitCode::kCorrupt, "a run is corrupt: check the disk and the memory; no index"},
      {ExitCode::kNoGpu, "--require-gpu, and no GPU is usable; no index"},
      {ExitCode::kReportFailed, "the index is complete, but the file of --json or --skipped could not be written"}};
  command.run = run_index_command;
  return command;
}

}  // namespace spillway
