// `spillway index`: documents in, an index out.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <limits>

#include "indexer/index_job.hpp"
#include "tools/command_line.hpp"
#include "tools/index_options.hpp"
#include "tools/index_report.hpp"
#include "tools/json_output.hpp"
#include "tools/progress.hpp"

namespace spillway {

namespace {

// Where --json goes: "-" is standard output; a device or FIFO is written to, a file is made anew.
class ReportFile {
 public:
  // Refuses, before any work, what could not be written afterwards.
  ReportFile(const Arguments& arguments, Session& session) : session_(session), path_(arguments.text("json")) {
    if (!path_ || *path_ == "-") return;
    const auto status = session.files.status(*path_);
    if (status && status->type == FileType::kDirectory) {
      throw UsageError("--json '" + printable(*path_) + "' is a directory; name a file");
    }
    is_special_ = status && status->type != FileType::kRegular;
    if (status && !is_special_ && !arguments.has("force")) {
      throw UsageError("--json '" + printable(*path_) + "' exists; --force replaces it");
    }
  }

  void write(const std::string& text) const {
    if (!path_) return;
    if (*path_ == "-") return session_.out.write(text);
    if (!is_special_) return write_file_durably(session_.files, *path_, text);
    const int descriptor = open(path_->c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) throw IoError("cannot open " + printable(*path_) + " to write the report");
    Output out(descriptor, printable(*path_));
    out.write(text);
    out.flush();
    close(descriptor);
  }

 private:
  Session& session_;
  std::optional<std::string> path_;
  bool is_special_ = false;
};

// A failure to write the report must not hide why the job failed.
void report_failure(const ReportFile& file, const IndexOptions& options, const IndexReport& report,
                    const JobOutcome& outcome) {
  try {
    file.write(json_text(index_report_json(options, report, outcome)));
  } catch (const Error& error) {
    print_message(std::string("index: the report: ") + error.what());
  }
}

ExitCode run_index_command(const Arguments& arguments, Session& session) {
  const bool quiet = arguments.has("quiet"), verbose = arguments.has("verbose");
  const IndexOptions options = index_options(arguments, session.files);
  const ReportFile report_file(arguments, session);
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
  report_file.write(json_text(index_report_json(options, report, {})));
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
