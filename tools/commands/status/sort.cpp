#include "tools/commands/status/sort.hpp"

#include "io/base/error.hpp"
#include "tools/commands/status/text.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

// What packed inputs hold is known only when they are read.
bool has_known_size(const SortStatus& status) {
  for (const auto& [name, value] : status.sort.options) {
    if (name == kPackedInputsName) return value == "0";
  }
  return false;
}

std::string done_text(const SortStatus& status, const SortCommit& commit) {
  std::string text = bytes_text(commit.done.bytes);
  if (has_known_size(status)) {
    const std::uint64_t all = status.sort.inputs.bytes();
    text += " of " + bytes_text(all) + " (" + percent_text(commit.done.bytes, all) + ")";
  } else {
    text += " after unpacking";
  }
  return text + " in sorted runs, " + count_text(commit.done.lines) + " lines";
}

ordered_json runs_json(const SortCommit& commit) {
  ordered_json runs = ordered_json::array();
  for (const CommittedRun& run : commit.runs) runs.push_back({{"name", run.name}, {"bytes", run.bytes}});
  return runs;
}

}  // namespace

ordered_json sort_status_json(const std::string& directory, const SortStatus& status, const std::string& next) {
  const SortCommit commit = status.commit.value_or(SortCommit());
  ordered_json options = ordered_json::object();
  for (const auto& [name, value] : status.sort.options) options[name] = value;
  return {{"directory", directory},
          {"command", "sort"},
          {"version", status.sort.release},
          {"is_running", status.is_running},
          {"options", options},
          {"input_count", status.sort.inputs.count()},
          {"inputs", inputs_json(status.sort.inputs)},
          {"input_bytes", status.sort.inputs.bytes()},
          {"bytes_done", commit.done.bytes},
          {"lines_done", commit.done.lines},
          {"commits", commit.number},
          {"last_commit", status.commit ? ordered_json(time_text(commit.seconds)) : ordered_json()},
          {"merge_steps", commit.merge_steps},
          {"runs", runs_json(commit)},
          {"next", next}};
}

std::string sort_status_text(const SortStatus& status, const std::string& next) {
  const SortCommit commit = status.commit.value_or(SortCommit());
  std::string text =
      status_row("job", std::string("spillway sort") + (status.is_running ? ", running" : ", interrupted"));
  text += inputs_text(status.sort.inputs);
  for (const auto& [name, value] : status.sort.options) {
    if (name == kKeysName) text += status_row("keys", printable(value));
  }
  text += status_row("done", done_text(status, commit));
  text += status_row("commits", count_text(commit.number) +
                                    (status.commit ? ", the last at " + time_text(commit.seconds) : std::string()));
  text += status_row("merge", count_text(commit.merge_steps) + " steps done");
  std::uint64_t bytes = 0;
  for (const CommittedRun& run : commit.runs) bytes += run.bytes;
  text += status_row("runs", count_text(commit.runs.size()) + ", " + bytes_text(bytes));
  return text + status_row("next", next);
}

}  // namespace spillway
