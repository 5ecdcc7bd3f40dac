// `spillway delete`: an index without some of its documents.
#include <algorithm>

#include "tools/commands/commands.hpp"
#include "tools/commands/merge_run.hpp"
#include "tools/options/job.hpp"
#include "tools/options/merge.hpp"

namespace spillway {

namespace {

// "@FILE" is a list, "-" standard input, anything else a name itself.
DocumentNames names_of(const Arguments& arguments, const std::string& option, FileSystem& files) {
  DocumentNames names;
  for (const std::string& value : arguments.texts(option)) {
    if (value.empty()) throw UsageError("--" + option + " '': expected a name, @FILE or -");
    if (value != "-" && !value.starts_with('@')) {
      names.values.push_back(value);
      continue;
    }
    names.files.push_back(value == "-" ? value : value.substr(1));
    if (value != "-" && !files.status(names.files.back())) {
      throw UsageError("--" + option + " '" + printable(value, 4096) + "': there is no such file; a name that begins " +
                       "with @ can be given in a list");
    }
  }
  return names;
}

std::size_t reads_of_input(const DocumentNames& names) {
  return static_cast<std::size_t>(std::count(names.files.begin(), names.files.end(), "-"));
}

MergeOptions delete_options(const Arguments& arguments, FileSystem& files) {
  refuse_both(arguments, "quiet", "verbose");
  refuse_both(arguments, "quiet", "progress");
  MergeOptions result;
  result.inputs = arguments.operands();
  result.output = result.inputs.front();
  result.drop_ids = names_of(arguments, "id", files);
  result.drop_urls = names_of(arguments, "url", files);
  if (result.drop_ids.empty() && result.drop_urls.empty()) {
    throw UsageError("no document named; give --id or --url, with a name, @FILE (a list) or - (standard input)");
  }
  if (reads_of_input(result.drop_ids) + reads_of_input(result.drop_urls) > 1) {
    throw UsageError("- is given twice, and standard input can be read once; give one of the lists as @FILE");
  }
  if (!arguments.has("missing-ok")) result.if_unknown = IfUnknown::kRefuse;
  take_resources(arguments, files, result);
  result.force = true;
  result.resume.restart = arguments.has("restart");
  return result;
}

ExitCode run_delete_command(const Arguments& arguments, Session& session) {
  return run_merge_job("delete", arguments, session, delete_options(arguments, session.files));
}

}  // namespace

Command delete_command() {
  Command command;
  command.name = "delete";
  command.summary = "remove documents from an index";
  command.examples = {
      {"spillway delete docs.index --id 1961-Kennedy --id 1962-Kennedy", "two documents, by their ids"},
      {"spillway delete crawl.index --url @gone.txt", "the documents with the URLs in gone.txt, one per line"},
      {"spillway delete crawl.index --url - --missing-ok < gone.txt", "... from standard input, if they are there"}};
  command.operands = "INDEX (--id NAME | --url NAME)... [OPTIONS]";
  command.notes =
      "\nNAME is an id or a URL, @FILE (a list with one per line) or - (standard input). Both are compared byte for\n"
      "byte. Every document with the id, or with the URL, is removed. A name that no document has is an error,\n"
      "and nothing is removed, unless --missing-ok is given. The new INDEX replaces the old one in one step when\n"
      "it is complete: readers find the old index or the new one, whatever happens. It is as large as if the\n"
      "documents had never existed.";
  auto names = option_group("Documents"), resources = option_group("Resources"), job = option_group("Interruption"),
       report = option_group("Report");
  add_values(names, "id", "NAME",
             "remove the document with this id; if INDEX stores no ids, a document's id is its number, from 1");
  add_values(names, "url", "NAME", "remove the documents with this URL");
  add_flag(names, "missing-ok", "remove what is there; only say how many names no document has");
  add_resource_options(resources);
  add_scratch_options(resources);
  add_restart_option(job, "INDEX");
  add_report_options(report);
  add_flag(report, "force", "replace an existing report");
  for (const auto& group : {names, resources, job, report}) command.groups.push_back(group);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {
      {ExitCode::kBadInput, "no document has one of the names; the index is unchanged"},
      {ExitCode::kOverBudget,
       "--memory, --temp-limit, the disk or the machine's memory is too small; the index is unchanged"},
      {ExitCode::kCorrupt, "the index is corrupt or of another version; it is unchanged"},
      {ExitCode::kReportFailed, "the index is complete, but the report of --json or --report could not be written"}};
  command.run = run_delete_command;
  return command;
}

}  // namespace spillway
