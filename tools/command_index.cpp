// `spillway index`: documents in, an index out.
#include <cstdio>
#include <limits>

#include "indexer/index_job.hpp"
#include "tools/command_line.hpp"
#include "tools/index_options.hpp"
#include "tools/index_report.hpp"
#include "tools/json_output.hpp"
#include "tools/output_file.hpp"
#include "tools/progress.hpp"

namespace spillway {

namespace {

// Where --json goes. Checked before the work, written after it, and only if it is wanted.
class ReportFile {
 public:
  ReportFile(const Arguments& arguments, Session& session) {
    const auto if_there = arguments.has("force") ? OutputFile::IfThere::kReplace : OutputFile::IfThere::kRefuse;
    if (const auto path = arguments.text("json")) file_.emplace(session, "--json", *path, if_there);
  }
  void write(const IndexOptions& options, const IndexReport& report, const JobOutcome& outcome) {
    if (!file_) return;
    file_->write(json_text(index_report_json(options, report, outcome)));
    file_->finish();
  }

 private:
  std::optional<OutputFile> file_;
};

// A failure to write the report must not hide why the job failed.
void report_failure(ReportFile& file, const IndexOptions& options, const IndexReport& report,
                    const JobOutcome& outcome) {
  try {
    file.write(options, report, outcome);
  } catch (const Error& error) {
    print_message(std::string("index: the report: ") + error.what());
  }
}

ExitCode run_index_command(const Arguments& arguments, Session& session) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  const IndexOptions options = index_options(arguments, session.files);
  ReportFile report_file(arguments, session);
  IndexProgress progress;
  IndexReport report;
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), quiet));
  const auto warn = [&](const std::string& words) {
    if (!quiet) display.say("spillway: index: " + words);
  };
  const auto say = [&](const std::string& words) {
    if (verbose) display.say(words);
  };
  try {
    run_index(options, {session.files, session.signal_number, progress, warn, say}, report);
  } catch (const std::exception& error) {
    display.stop();
    const auto* known = dynamic_cast<const Error*>(&error);
    const auto* memory = dynamic_cast<const std::bad_alloc*>(&error);
    const ExitCode code = known != nullptr    ? known->code()
                          : memory != nullptr ? ExitCode::kOverBudget
                                              : ExitCode::kUsageOrIo;
    if (!quiet && code == ExitCode::kBadInput) std::fputs(skipped_summary(report).c_str(), stderr);
    report_failure(report_file, options, report, {code, error.what()});
    throw;
  }
  display.stop();
  if (!quiet) std::fputs(index_summary(options, report).c_str(), stderr);
  report_file.write(options, report, {});
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
       "a document a line, in at most 256 MiB of memory"},
      {"spillway index --stop english --stem english --json report.json notes/ -o notes.index",
       "every text file below a directory, with stop words and stemming, and a report"},
      {"zcat docs.jsonl.gz | spillway index --format jsonl - -o docs.index", "standard input"}};
  command.operands = "INPUT... -o DIR [OPTIONS]";
  command.notes =
      "\nINPUT is a file, a directory (all below it, hidden files and links left out), @FILE (a list: a path a line)\n"
      "or - (standard input). Sizes: K M G T and KiB MiB GiB TiB are powers of 1024, KB MB GB TB powers of 1000, %\n"
      "a share of the default. The same input and the same 'What the index holds' options give the same bytes,\n"
      "whatever the resources.";
  command.groups = index_option_groups();
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kBadInput, "more records skipped than --max-error-rate or --strict allows; no index"},
      {ExitCode::kOverBudget, "--memory, --temp-limit or the machine's memory is too small; no index"},
      {ExitCode::kCorrupt, "a run is corrupt: its disk or memory is not to be trusted; no index"}};
  command.run = run_index_command;
  return command;
}

}  // namespace spillway
