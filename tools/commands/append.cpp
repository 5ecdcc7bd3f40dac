// `spillway append`: documents into an index that there is.
#include <limits>

#include "tools/commands/commands.hpp"
#include "tools/commands/index_run.hpp"
#include "tools/options/append.hpp"

namespace spillway {

namespace {

ExitCode run_append_command(const Arguments& arguments, Session& session) {
  return run_index_job("append", arguments, session, append_options);
}

}  // namespace

Command append_command() {
  Command command;
  command.name = "append";
  command.summary = "add documents to an index";
  command.examples = {
      {"spillway append crawl.index today.warc.gz", "add a day to an index"},
      {"spillway append docs.index changed.jsonl --replace", "new versions replace the documents with the same ids"},
      {"spillway append crawl.index again.warc.gz --replace-url", "pages that were fetched again replace the old ones"},
      {"spillway append docs.index all.jsonl --skip-known", "only documents with ids that are new"}};
  command.operands = "INDEX INPUT... [OPTIONS]";
  command.notes =
      "\nINPUT is a file, a directory, @FILE (a list with one path per line) or - (standard input), as of `index`.\n"
      "The result is INDEX with the bytes of one `index` job over the old input and the new. It replaces the old\n"
      "INDEX in one step when it is complete: readers find the old index or the new one, whatever happens. 'What\n"
      "the index holds' is as INDEX says; other values are refused. Only --dedup may be given: it leaves out what\n"
      "INDEX has already. If an id is in INDEX already, nothing is added, unless --replace or --skip-known says\n"
      "what to do, or INDEX was made with --duplicate-ids keep.";
  command.groups = append_option_groups();
  command.min_operands = 2;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kBadInput, "an id is in the index already, or too many records were skipped; the index is unchanged"},
      {ExitCode::kOverBudget,
       "--memory, --temp-limit, the disk or the machine's memory is too small; the index is unchanged"},
      {ExitCode::kCorrupt, "the index or a run is corrupt, or of another version; the index is unchanged"},
      {ExitCode::kNoGpu, "--require-gpu, and no GPU is usable; the index is unchanged"},
      {ExitCode::kReportFailed,
       "the index is complete, but the file of --json, --report or --skipped could not be written"}};
  command.run = run_append_command;
  return command;
}

}  // namespace spillway
