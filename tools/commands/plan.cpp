// `spillway plan`: what `index` would do with the same options, and why, without doing it.
#include <limits>
#include <optional>

#include "indexer/plan/job.hpp"
#include "sort/gpu/device/status.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/index.hpp"
#include "tools/options/plan_report.hpp"
#include "tools/report/json.hpp"
#include "tools/report/machine.hpp"
#include "tools/report_page/measured_border.hpp"

namespace spillway {

namespace {

// `plan --sort` is a command of its own (tools/commands/sort/command.cpp), for it takes other options.
boost::program_options::options_description sort_option() {
  auto group = option_group("Instead");
  add_flag(group, "sort", "as the first word: show what 'sort' would do; takes the options of 'sort'");
  return group;
}

ExitCode run_plan_command(const Arguments& arguments, Session& session) {
  if (arguments.has("sort")) throw UsageError("--sort must be the first word after 'plan', before options of 'sort'");
  const auto check = interruption_check(session.signal_number);
  const IndexOptions options = plan_options(arguments, session.files, check);
  const JobPlan plan = plan_job(options, options.content, session.files, check);
  std::optional<MeasuredBorder> border;
  if (const auto path = arguments.text("measured")) {
    border = read_measured_border(session.files, *path, plan.threads.value, plan.corpus.total_bytes);
    const std::string warning = border->warning(machine_json(find_gpus()));
    if (!warning.empty()) print_message("plan: --measured '" + printable(*path, 4096) + "': " + warning);
  }
  if (arguments.has("json")) {
    auto json = plan_json(plan, options);
    if (border) json["measured"] = measured_border_json(*border);
    session.out.write(json_text(json));
  } else {
    session.out.write(plan.describe() + (border ? border->describe() : ""));
  }
  return ExitCode::kDone;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.summary = "show what 'index' would do, and why, without doing it";
  command.examples = {{"spillway plan docs.jsonl", "blocks, runs, merge passes, memory and disk"},
                      {"spillway plan --memory 256M --threads 4 docs.jsonl.zst", "with other resources"},
                      {"spillway plan --json corpus/", "for programs"},
                      {"spillway plan --sort -k2 huge.txt", "what 'sort' would do: memory, runs, sorter and GPU"}};
  command.operands = "INPUT... [OPTIONS]";
  command.notes =
      "\nTakes the options of 'index' that change the plan. Reads only the names, sizes and first bytes of the files, "
      "so\n"
      "figures that depend on their text are estimates, marked as such.";
  command.groups = plan_option_groups();
  auto measured = option_group("Measured");
  add_value(measured, "measured", "FILE",
            "also cite what `bench modes --sweep --json FILE` measured here for jobs like this one");
  command.groups.push_back(measured);
  command.groups.push_back(sort_option());
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kCorrupt, "--measured names no report of a sweep on a GPU"},
      {ExitCode::kOverBudget, "'index' would refuse: --memory is too small; the message names a sufficient size"},
      {ExitCode::kNoGpu, "--require-gpu, and no GPU is usable"}};
  command.run = run_plan_command;
  return command;
}

}  // namespace spillway
