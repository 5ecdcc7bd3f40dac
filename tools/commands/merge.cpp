// `spillway merge`: indexes in, one index out.
#include <limits>

#include "tools/commands/commands.hpp"
#include "tools/commands/merge_run.hpp"
#include "tools/options/job.hpp"
#include "tools/options/merge.hpp"

namespace spillway {

namespace {

ExitCode run_merge_command(const Arguments& arguments, Session& session) {
  return run_merge_job("merge", arguments, session, merge_options(arguments, session.files));
}

}  // namespace

Command merge_command() {
  Command command;
  command.name = "merge";
  command.summary = "merge several indexes into one";
  command.examples = {
      {"spillway merge monday.index tuesday.index -o week.index", "what one job over both inputs would have made"},
      {"spillway merge crawl.index today.index -o crawl.index --force", "add a day to an index"},
      {"spillway merge crawl.index --drop gone.txt -o clean.index", "without the documents whose ids are in gone.txt"},
      {"spillway merge part-*.index -o all.index --memory 1G",
       "parts that were indexed in parallel with --part I/N, in their order"}};
  command.operands = "INDEX... -o DIR [OPTIONS]";
  command.notes =
      "\nDocuments keep their order: those of the first index, then those of the second, and so on. The indexes must\n"
      "have the same 'What the index holds' options and versions of libraries. Their --duplicate-ids decides what "
      "happens\n"
      "to a document whose id came before. Documents without stored ids (format lines) are numbered consecutively.";
  auto output = option_group("Output"), content = option_group("What the index holds"),
       resources = option_group("Resources"), report = option_group("Report");
  add_output_options(output);
  add_value(content, "drop", "FILE",
            "leave out the documents with these ids, one per line (-: standard input); if no ids are stored, a "
            "document's id is its number, from 1");
  add_choice(content, "dedup", "WHAT", {"none", "url"},
             "none (default) or url: leave out documents whose stored URL an earlier one has");
  add_resource_options(resources);
  add_scratch_options(resources);
  add_value(resources, "fan-in", "N",
            "merge at most N indexes at a time, in passes (default: as many as memory allows)");
  add_report_options(report);
  for (const auto& group : {output, content, resources, report}) command.groups.push_back(group);
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kBadInput, "documents with the same id, and the indexes were made with --duplicate-ids fail"},
      {ExitCode::kOverBudget, "--memory, --temp-limit, the disk or the machine's memory is too small; no index"},
      {ExitCode::kCorrupt, "an index is corrupt or of another version; no index"},
      {ExitCode::kReportFailed, "the index is complete, but the report of --json or --report could not be written"}};
  command.run = run_merge_command;
  return command;
}

}  // namespace spillway
