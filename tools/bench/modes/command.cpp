// `spillway bench modes`: the modes of `index` over one corpus.
#include <algorithm>
#include <limits>

#include "sort/gpu/device/error.hpp"
#include "tools/bench/modes/sweep_command.hpp"
#include "tools/bench/modes/table.hpp"
#include "tools/bench/modes/variant.hpp"
#include "tools/bench/options.hpp"
#include "tools/bench/output.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/scratch.hpp"
#include "tools/cli/option_values.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/index.hpp"

namespace spillway {

namespace {

bool needs_gpu(const ModeVariant& variant) { return variant.mode.starts_with("gpu"); }

std::vector<std::string> named_modes(const Arguments& arguments, bool has_gpu) {
  const auto text = arguments.text("modes");
  if (!text) return has_gpu ? concrete_mode_names() : std::vector<std::string>{"cpu", "cpu+"};
  return *text == "all" ? concrete_mode_names() : parse_list("--modes", *text);
}

std::vector<ModeVariant> chosen_modes(const Arguments& arguments, const GpuStatus& gpus) {
  const bool has_gpu = gpus.state == GpuState::kUsable;
  std::vector<ModeVariant> modes;
  for (const std::string& text : named_modes(arguments, has_gpu)) modes.push_back(parse_mode_variant(text));
  const bool is_wanted = arguments.has("require-gpu") || arguments.has("gpu");
  if (!has_gpu && (is_wanted || std::any_of(modes.begin(), modes.end(), needs_gpu))) {
    throw GpuError("no GPU can be used: " + gpus.detail);
  }
  if (!has_gpu && !arguments.has("modes"))
    print_message("bench modes: only cpu and cpu+; no GPU can be used: " + gpus.detail);
  return modes;
}

// The options of `index`, with GPU options only for GPU modes. A GPU mode must not fall back to the CPU.
ModeJob mode_job(const ModeVariant& variant, const Arguments& arguments, const Session& session) {
  ModeJob job{variant.text,
              plan_options(arguments_of(variant, arguments), session.files, interruption_check(session.signal_number))};
  if (!needs_gpu(variant)) job.options.gpu = {};
  job.options.gpu.required = needs_gpu(variant);
  return job;
}

nlohmann::ordered_json parsing_json(const ModesStats& stats) {
  nlohmann::ordered_json forms = nlohmann::ordered_json::array();
  for (const ParsingSeries& parsing : stats.parsing) {
    forms.push_back({{"chunk_form", chunk_form_name(parsing.form)},
                     {"wall_seconds", series_json(parsing.wall)},
                     {"busy_seconds", series_json(parsing.busy)},
                     {"bytes_per_second", static_cast<double>(stats.input_bytes) / parsing.wall.median()}});
  }
  return forms;
}

void write_stats(const ModesStats& stats, BenchOutput& output) {
  const IndexReport& report = stats.modes.front().report;
  output.set("input", {{"bytes", stats.input_bytes},
                       {"documents", report.documents},
                       {"occurrences", report.occurrences},
                       {"postings", report.postings},
                       {"terms", report.terms}});
  output.set("parsing_alone", parsing_json(stats));
  for (const ModeStats& mode : stats.modes) output.add_case(mode_json(stats, mode), "");
  output.say(modes_table(stats));
  output.finish();
}

ExitCode run_bench_modes_command(const Arguments& arguments, Session& session) {
  if (arguments.has("sweep")) return run_sweep(arguments, session);
  for (const char* option : {"texts", "sizes", "sweep-threads", "cost-cpu", "cost-gpu"}) {
    if (arguments.has(option)) throw UsageError("--" + std::string(option) + " needs --sweep");
  }
  if (arguments.operands().empty()) throw UsageError("INPUT is missing; only --sweep makes its own texts");
  if (arguments.has("mode")) throw UsageError("--mode names one mode; give --modes NAMES");
  for (const std::string& input : arguments.operands()) {
    if (input == "-") throw UsageError("the input is read several times: it cannot be standard input");
  }
  const GpuStatus gpus = find_gpus();
  unsigned rounds = 5;
  take_count(arguments, "rounds", 1, 1000, rounds);
  std::vector<ModeJob> jobs;
  for (const ModeVariant& variant : chosen_modes(arguments, gpus)) {
    jobs.push_back(mode_job(variant, arguments, session));
  }
  BenchOutput output(arguments, session, bench_head("bench modes", gpus));
  output.set("options", {{"rounds", rounds},
                         {"record_sorter", jobs.front().options.record_sorter},
                         {"string_sorter", jobs.front().options.string_sorter},
                         {"gpu_chunks", gpu_chunks_names()[static_cast<std::size_t>(jobs.back().options.gpu.chunks)]},
                         {"positions", jobs.front().options.content.positions},
                         {"block_bytes", jobs.front().options.block_bytes}});
  const BenchScratch scratch(session.files, arguments.text("scratch").value_or("."));
  IndexProgress progress;
  const IndexContext context{session.files, session.signal_number, progress,
                             [](const std::string& words) { print_message("bench modes: " + words); },
                             [](const std::string&) {}};
  const auto parsing = arguments.has("skip-parsing") ? ParsingAlone::kLeftOut : ParsingAlone::kMeasured;
  write_stats(measure_modes(jobs, rounds, parsing, scratch.path(), context), output);
  return ExitCode::kDone;
}

}  // namespace

Command bench_modes_command() {
  Command command;
  command.name = "bench modes";
  command.summary = "measure the modes of indexing over one corpus";
  command.examples = {{"spillway bench modes --format lines corpus.txt", "every mode that can run here, five rounds"},
                      {"spillway bench modes --modes cpu+,gpu+ --memory 4G --scratch /ssd --json modes.json docs.jsonl",
                       "two modes in 4 GiB, with indexes on another disk"},
                      {"spillway bench modes --modes cpu:cpu-quick,gpu:gpu-bitonic,gpu+:gpu-bitonic corpus.txt",
                       "what Capannini et al. compare: a quicksort on the CPU, a bitonic network on the GPU"},
                      {"spillway bench modes --sweep --cost-cpu 0.8 --cost-gpu 3.9 --json border.json",
                       "from which size on the GPU pays, for each number of threads; see `plan --measured`"}};
  command.operands = "INPUT...|--sweep [OPTIONS]";
  command.notes =
      "\nINPUT is that of `index`. After a warm-up round the modes take turns; figures are medians of the rounds. "
      "'Ingest'\n"
      "ends when the last run is durable, or complete in memory. 'Parsing alone' reads and parses into blocks and "
      "drops\n"
      "them: to chunks of the last mode's form, and to tables, for which every word is looked up. 'Times faster'\n"
      "compares with the first mode, round by round. Busy times are summed over threads. All modes must make the same\n"
      "index, byte for byte; indexes are removed.";
  auto measuring = option_group("Measuring");
  add_choice(
      measuring, "modes", "NAMES", concrete_mode_names(),
      "some of cpu, cpu+, gpu, gpu+ (default: all that can run here); MODE:RECORD_SORTER@THREADS sets the record "
      "sorter, the threads, or both for one of them");
  add_value(measuring, "rounds", "N", "timed rounds after the warm-up round (default 5)");
  add_value(measuring, "scratch", "DIR", "directory for indexes and runs (default: the working directory)");
  add_flag(measuring, "skip-parsing", "do not measure parsing alone");
  add_bench_report_options(measuring);
  command.groups.push_back(measuring);
  auto sweeping = option_group("Where a GPU pays");
  add_sweep_options(sweeping);
  command.groups.push_back(sweeping);
  const auto of_plan = plan_option_groups();
  for (std::size_t i = 1; i < of_plan.size(); ++i) command.groups.push_back(of_plan[i]);  // without its output group
  command.groups.push_back(bad_input_option_group());
  command.min_operands = 0;  // of --sweep
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {{ExitCode::kBadInput, "too many records cannot be indexed"},
                        {ExitCode::kOverBudget, "--memory, --temp-limit or the machine's memory is too small"},
                        {ExitCode::kNoGpu, "a GPU was asked for, and none is usable"}};
  command.run = run_bench_modes_command;
  return command;
}

}  // namespace spillway
