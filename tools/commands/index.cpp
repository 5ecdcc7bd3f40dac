// `spillway index`: documents in, an index out.
#include <limits>

#include "tools/commands/commands.hpp"
#include "tools/commands/index_run.hpp"
#include "tools/options/index.hpp"

namespace spillway {

namespace {

ExitCode run_index_command(const Arguments& arguments, Session& session) {
  return run_index_job("index", arguments, session, index_options);
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
      {ExitCode::kReportFailed,
       "the index is complete, but the file of --json, --report or --skipped could not be written"}};
  command.run = run_index_command;
  return command;
}

}  // namespace spillway
