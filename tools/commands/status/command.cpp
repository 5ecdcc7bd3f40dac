// `spillway status`: where a resumable job stands.
#include "indexer/resume/status.hpp"
#include "io/scratch/owned_directory.hpp"
#include "tools/commands/commands.hpp"
#include "tools/commands/status/sort.hpp"
#include "tools/commands/status/text.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::string output_of(const std::string& directory) {
  const std::string trimmed = directory.substr(0, directory.find_last_not_of('/') + 1);
  return trimmed.ends_with(".work") ? trimmed.substr(0, trimmed.size() - 5) : trimmed;
}

std::string next_step(const std::string& directory, const std::string& command, bool is_running) {
  if (is_running) return "a process is working on it; wait for it, or stop it with Ctrl-C or kill";
  return "give the same `spillway " + command + "` command with -o " + printable(output_of(directory), 4096) +
         " --resumable to go on, or with --restart to begin anew";
}

ordered_json sources_json(const Commit& commit) {
  ordered_json sources = ordered_json::array();
  for (const CommittedSource& source : commit.sources) {
    sources.push_back({{"name", source.name},
                       {"bytes", source.bytes},
                       {"documents", source.summary.document_count},
                       {"postings", source.summary.posting_count}});
  }
  return sources;
}

ordered_json options_json(const JobDescription& job) {
  ordered_json options = content_json(job.content);
  for (const auto& [name, value] : job.options) options[name] = value;
  return options;
}

ordered_json status_json(const std::string& directory, const JobStatus& status) {
  const Commit commit = status.commit.value_or(Commit());
  return {{"directory", directory},
          {"command", status.job.command},
          {"version", status.job.release},
          {"is_running", status.is_running},
          {"options", options_json(status.job)},
          {"input_count", status.job.inputs.count()},
          {"inputs", inputs_json(status.job.inputs)},
          {"input_bytes", status.job.inputs.bytes()},
          {"bytes_done", commit.ledger.bytes},
          {"documents_done", commit.ledger.documents},
          {"commits", commit.number},
          {"last_commit", status.commit ? ordered_json(time_text(commit.seconds)) : ordered_json()},
          {"merge_steps", commit.merge_steps},
          {"sources", sources_json(commit)},
          {"next", next_step(directory, status.job.command, status.is_running)}};
}

std::string options_text(const JobDescription& job) {
  std::string text =
      status_row("content", "tokenizer " + std::string(tokenizer_name(job.content.tokenizer)) + ", stemmer " +
                                printable(job.content.stemmer) + ", store " + store_name(job.content.store) +
                                ", duplicate ids " + duplicate_policy_name(job.content.duplicate_ids) +
                                (job.content.positions ? ", positions" : ", no positions"));
  for (const auto& [name, value] : job.options) {
    if (!value.empty()) text += status_row("", printable(name) + " " + printable(value));
  }
  return text;
}

std::string status_text(const std::string& directory, const JobStatus& status) {
  const JobDescription& job = status.job;
  std::string text = status_row("job", "spillway " + job.command + (status.is_running ? ", running" : ", interrupted"));
  text += inputs_text(job.inputs) + options_text(job);
  const Commit commit = status.commit.value_or(Commit());
  if (job.command != "merge") {
    text += status_row("done", bytes_text(commit.ledger.bytes) + " of " + bytes_text(job.inputs.bytes()) + " (" +
                                   percent_text(commit.ledger.bytes, job.inputs.bytes()) + "), " +
                                   count_text(commit.ledger.documents) + " documents");
  }
  text += status_row("commits", count_text(commit.number) +
                                    (status.commit ? ", the last at " + time_text(commit.seconds) : std::string()));
  text += status_row("merge", count_text(commit.merge_steps) + " steps done");
  for (const CommittedSource& source : commit.sources) {
    text += status_row("", source.name + ": " + bytes_text(source.bytes) + ", " +
                               count_text(source.summary.document_count) + " documents, " +
                               count_text(source.summary.posting_count) + " postings");
  }
  return text + status_row("next", next_step(directory, status.job.command, status.is_running));
}

ExitCode run_status_command(const Arguments& arguments, Session& session) {
  const std::string& directory = arguments.operands()[0];
  if (kind_of_directory(session.files, directory) == JobKind::kSort) {
    const SortStatus status = read_sort_status(session.files, directory);
    const std::string next = next_step(directory, "sort", status.is_running);
    session.out.write(arguments.has("json") ? json_text(sort_status_json(directory, status, next))
                                            : sort_status_text(status, next));
    return ExitCode::kDone;
  }
  const JobStatus status = read_job_status(session.files, directory);
  session.out.write(arguments.has("json") ? json_text(status_json(directory, status)) : status_text(directory, status));
  return ExitCode::kDone;
}

}  // namespace

Command status_command() {
  Command command;
  command.name = "status";
  command.summary = "show how far a resumable job or sort has got";
  command.examples = {{"spillway status docs.index.work", "of `spillway index ... -o docs.index --resumable`"},
                      {"spillway status sorted.txt.work", "of `spillway sort ... -o sorted.txt --resumable`"},
                      {"spillway status docs.index.work --json", "for programs"}};
  command.operands = "OUT.work [OPTIONS]";
  auto output = option_group("Output");
  add_flag(output, "json", "write a JSON object");
  command.groups.push_back(output);
  command.min_operands = command.max_operands = 1;
  command.exit_codes = {{ExitCode::kCorrupt, "the files of the job are damaged"}};
  command.run = run_status_command;
  return command;
}

}  // namespace spillway
