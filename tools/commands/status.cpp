// `spillway status`: where a resumable job stands.
#include <algorithm>
#include <ctime>

#include "indexer/resume/status.hpp"
#include "tools/commands/commands.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::string time_text(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string output_of(const std::string& directory) {
  const std::string trimmed = directory.substr(0, directory.find_last_not_of('/') + 1);
  return trimmed.ends_with(".work") ? trimmed.substr(0, trimmed.size() - 5) : trimmed;
}

std::string next_step(const std::string& directory, const JobStatus& status) {
  if (status.is_running) return "a process is working on it; wait for it, or stop it with Ctrl-C or kill";
  return "give the same `spillway " + status.job.command + "` command with -o " +
         printable(output_of(directory), 4096) + " --resumable to go on, or with --restart to begin anew";
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
  ordered_json inputs = ordered_json::array();
  for (const DescribedInputs::Input& input : status.job.inputs.listed()) inputs.push_back(input.path);
  return {{"directory", directory},
          {"command", status.job.command},
          {"version", status.job.release},
          {"is_running", status.is_running},
          {"options", options_json(status.job)},
          {"input_count", status.job.inputs.count()},
          {"inputs", inputs},
          {"input_bytes", status.job.inputs.bytes()},
          {"bytes_done", commit.ledger.bytes},
          {"documents_done", commit.ledger.documents},
          {"commits", commit.number},
          {"last_commit", status.commit ? ordered_json(time_text(commit.seconds)) : ordered_json()},
          {"merge_steps", commit.merge_steps},
          {"sources", sources_json(commit)},
          {"next", next_step(directory, status)}};
}

std::string row(const char* name, const std::string& value) { return left_aligned(name, 12) + value + "\n"; }

std::string inputs_text(const JobDescription& job) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, job.inputs.listed().size()); ++i) {
    text += row(i == 0 ? "inputs" : "", printable(job.inputs.listed()[i].path, 4096));
  }
  if (job.inputs.count() > kShown) text += row("", "and " + count_text(job.inputs.count() - kShown) + " more");
  return text;
}

std::string options_text(const JobDescription& job) {
  std::string text = row("content", "tokenizer " + std::string(tokenizer_name(job.content.tokenizer)) + ", stemmer " +
                                        printable(job.content.stemmer) + ", store " + store_name(job.content.store) +
                                        ", duplicate ids " + duplicate_policy_name(job.content.duplicate_ids) +
                                        (job.content.positions ? ", positions" : ", no positions"));
  for (const auto& [name, value] : job.options) {
    if (!value.empty()) text += row("", printable(name) + " " + printable(value));
  }
  return text;
}

std::string status_text(const std::string& directory, const JobStatus& status) {
  const JobDescription& job = status.job;
  std::string text = row("job", "spillway " + job.command + (status.is_running ? ", running" : ", interrupted"));
  text += inputs_text(job) + options_text(job);
  const Commit commit = status.commit.value_or(Commit());
  if (job.command != "merge") {
    text += row("done", bytes_text(commit.ledger.bytes) + " of " + bytes_text(job.inputs.bytes()) + " (" +
                            percent_text(commit.ledger.bytes, job.inputs.bytes()) + "), " +
                            count_text(commit.ledger.documents) + " documents");
  }
  text += row("commits", count_text(commit.number) +
                             (status.commit ? ", the last at " + time_text(commit.seconds) : std::string()));
  text += row("merge", count_text(commit.merge_steps) + " steps done");
  for (const CommittedSource& source : commit.sources) {
    text += row("", source.name + ": " + bytes_text(source.bytes) + ", " + count_text(source.summary.document_count) +
                        " documents, " + count_text(source.summary.posting_count) + " postings");
  }
  return text + row("next", next_step(directory, status));
}

ExitCode run_status_command(const Arguments& arguments, Session& session) {
  const std::string& directory = arguments.operands()[0];
  const JobStatus status = read_job_status(session.files, directory);
  session.out.write(arguments.has("json") ? json_text(status_json(directory, status)) : status_text(directory, status));
  return ExitCode::kDone;
}

}  // namespace

Command status_command() {
  Command command;
  command.name = "status";
  command.summary = "show how far a resumable job has got";
  command.examples = {{"spillway status docs.index.work", "of `spillway index ... -o docs.index --resumable`"},
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
