// `spillway import`: an index from a file that another program wrote.
#include <cstdio>

#include "tools/cli/option_values.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/exchange/import_job.hpp"
#include "tools/options/index.hpp"
#include "tools/options/job.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/progress.hpp"

namespace spillway {

namespace {

ImportOptions import_options(const Arguments& arguments, Session& session) {
  refuse_both(arguments, "quiet", "progress");
  if (!arguments.has("from")) throw UsageError("no format named; give --from ciff");
  ImportOptions result;
  result.input = arguments.operands()[0];
  result.output = output_option(arguments);
  result.content = analysis_options(arguments, session.files, interruption_check(session.signal_number));
  if (result.input != "-" && !session.files.status(result.input)) {
    throw UsageError("the input '" + printable(result.input, 4096) + "' is not there");
  }
  JobResources resources = job_resources(arguments, session.files);
  result.memory_bytes = resources.memory_bytes;
  result.threads = resources.threads;
  result.temp_directories = std::move(resources.temp_directories);
  result.temp_limit_bytes = resources.temp_limit_bytes;
  result.force = arguments.has("force");
  if (arguments.text("lengths") == "postings") result.lengths = CiffLengths::kPostings;
  take_error_limits(arguments, result.max_error_rate, result.strict);
  return result;
}

std::string import_summary(const ImportOptions& options, const ImportReport& report) {
  std::string text = "imported " + printable(options.input, 4096) + " into " + printable(options.output, 4096) +
                     " in " + seconds_text(report.seconds) + "\n";
  if (!report.description.empty()) text += "  input     '" + printable(report.description) + "'\n";
  text += "            " + count_text(report.records_in) + " documents: " + count_text(report.documents) +
          " imported, " + count_text(report.duplicate_documents) + " skipped\n";
  text += "  index     " + bytes_text(report.index_bytes) + ", " + count_text(report.documents) + " documents, " +
          count_text(report.terms) + " terms, " + count_text(report.postings) + " postings, " +
          count_text(report.occurrences) + " tokens\n";
  text += "  memory    peak " + memory_text(report.peak_resident_bytes) + " of " + memory_text(report.memory_bytes) +
          " (" + percent_text(report.peak_resident_bytes, report.memory_bytes) + "), " +
          bytes_text(report.spilled_bytes) + " spilled\n";
  if (report.duplicate_documents != 0) {
    text += "  skipped " + count_text(report.duplicate_documents) + " as duplicate_id\n";
  }
  return text;
}

ExitCode run_import_command(const Arguments& arguments, Session& session) {
  const ImportOptions options = import_options(arguments, session);
  const bool quiet = arguments.has("quiet");
  IndexProgress progress;
  ImportReport report;
  ProgressDisplay display(progress, progress_style(arguments.has("progress"), quiet));
  const auto warn = [&](const std::string& words) {
    if (!quiet) display.say("spillway: import: " + words);
  };
  run_import(options, {session.files, session.signal_number, progress, warn, [](const std::string&) {}}, report);
  display.stop();
  if (!quiet) std::fputs(import_summary(options, report).c_str(), stderr);
  return ExitCode::kDone;
}

}  // namespace

Command import_command() {
  Command command;
  command.name = "import";
  command.summary = "make an index of a file of another program (CIFF)";
  command.examples = {
      {"spillway import --from ciff collection.ciff.gz -o collection.index", "an index of what another program wrote"},
      {"spillway import --from ciff anserini.ciff.gz -o collection.index --lengths postings",
       "Lucene and Anserini round lengths; the sums of frequencies are exact"},
      {"spillway import --from ciff robust04.ciff -o robust04.index --stem porter",
       "its terms were stemmed, so queries must be, too"}};
  command.operands = "FILE --from FORMAT -o DIR [OPTIONS]";
  command.notes =
      "\nFILE may be packed by gzip or zstd; - is standard input. Every field is checked, and a file with an error "
      "makes no\n"
      "index. Terms, frequencies, lengths and ids are taken as they are. The file does not tell how words became "
      "terms:\n"
      "--tokenizer, --stop and --stem say how queries are analysed, and must match. docs/exchange.md describes the "
      "format.";
  auto input = option_group("Input"), output = option_group("Output"), content = option_group("What the index holds"),
       resources = option_group("Resources"), errors = bad_input_option_group(), report = option_group("Report");
  add_choice(input, "from", "FORMAT", {"ciff"}, "the format of FILE: ciff, the Common Index File Format");
  add_choice(input, "lengths", "SOURCE", {"stated", "postings"},
             "stated (default: the file's lengths, which must be the sums of frequencies) or postings (those sums)");
  add_value(output, "output,o", "DIR", "the index to make");
  add_flag(output, "force", "replace an existing index");
  add_analysis_options(content);
  add_duplicate_ids_option(content);
  add_resource_options(resources);
  add_scratch_options(resources);
  add_flag(report, "progress", "show progress even if standard error is not a terminal");
  add_flag(report, "quiet,q", "print only errors");
  for (const auto& group : {input, output, content, resources, errors, report}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {
      {ExitCode::kBadInput,
       "more ids repeat than --max-error-rate or --strict allows, or --duplicate-ids fail; no index"},
      {ExitCode::kOverBudget, "--memory, --temp-limit, the disk or the machine's memory is too small; no index"},
      {ExitCode::kCorrupt, "the file is damaged, or no whole collection; no index"}};
  command.run = run_import_command;
  return command;
}

}  // namespace spillway
