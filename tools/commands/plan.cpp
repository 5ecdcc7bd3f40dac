// `spillway plan`: what `index` would do with the same options, and why, without doing it.
#include <limits>

#include "indexer/plan/job.hpp"
#include "tools/cli/build_facts.hpp"
#include "tools/cli/signals.hpp"
#include "tools/commands/commands.hpp"
#include "tools/options/index.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

ordered_json consumers_json(const IndexPlan& plan) {
  return {{"program", plan.reserve_bytes},
          {"parsers", plan.parser_bytes * plan.parsers},
          {"content_decoders", plan.decoder_bytes},
          {"block", plan.assembler.block_bytes},
          {"chunks_waiting", plan.assembler.hold_bytes},
          {"runs_in_memory", plan.run_memory_bytes},
          {"id_sort", plan.id_sort_bytes},
          {"pinned_staging", plan.staging_bytes},
          {"lists_from_gpu", plan.list_bytes},
          {"sort_on_cpu_instead", plan.fallback_bytes},
          {"compacting_runs", plan.compaction_bytes}};
}

ordered_json estimate_json(const JobEstimate& estimate) {
  return {{"is_known", estimate.is_known},
          {"has_packed_input", estimate.has_packed_input},
          {"text_bytes", estimate.text_bytes},
          {"runs", estimate.blocks},
          {"runs_spilled", estimate.runs_spilled},
          {"compactions", estimate.compactions},
          {"fan_in", estimate.merge.fan_in},
          {"merge_passes", estimate.merge.passes.size() + 1},
          {"term_ranges", estimate.merge.last_pass_ranges},
          {"spilled_bytes", estimate.spilled_bytes},
          {"index_bytes", estimate.index_bytes}};
}

ordered_json gpu_ids(const std::vector<GpuInfo>& gpus) {
  ordered_json ids = ordered_json::array();
  for (const GpuInfo& gpu : gpus) ids.push_back(gpu.id);
  return ids;
}

ordered_json plan_json(const JobPlan& plan, const IndexOptions& options) {
  return {{"program", "spillway"},
          {"version", kVersion},
          {"command", "plan"},
          {"inputs", options.inputs},
          {"input_bytes", plan.corpus.total_bytes},
          {"files", plan.corpus.files.size()},
          {"memory_bytes", plan.memory.value},
          {"memory_reason", plan.memory.reason},
          {"threads", plan.threads.value},
          {"threads_reason", plan.threads.reason},
          {"mode", index_mode_name(plan.mode.mode)},
          {"mode_reason", plan.mode.describe()},
          {"gpus", gpu_ids(plan.mode.gpus)},
          {"gpu_arena_bytes", plan.gpu ? plan.gpu->arena_bytes : 0},
          {"gpu_chunks", plan.gpu_chunks ? chunk_form_name(plan.index.form) : ""},
          {"gpu_chunks_reason", plan.gpu_chunks ? plan.gpu_chunks->reason : ""},
          {"record_sorter", plan.record_sorter.name},
          {"record_sorter_reason", plan.record_sorter.reason},
          {"string_sorter", plan.string_sorter.name},
          {"string_sorter_reason", plan.string_sorter.reason},
          {"task_bytes", plan.index.reader.task_bytes},
          {"table_entries", plan.index.chunk.table_entries},
          {"block_bytes", plan.index.assembler.block_bytes},
          {"run_block_bytes", plan.index.run_block_bytes},
          {"memory_by_consumer", consumers_json(plan.index)},
          {"estimate", estimate_json(plan.estimate)},
          {"plan", plan.describe()}};
}

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
  session.out.write(arguments.has("json") ? json_text(plan_json(plan, options)) : plan.describe());
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
  command.groups.push_back(sort_option());
  command.min_operands = 1;
  command.max_operands = std::numeric_limits<std::size_t>::max();
  command.exit_codes = {
      {ExitCode::kOverBudget, "'index' would refuse: --memory is too small; the message names a sufficient size"},
      {ExitCode::kNoGpu, "--require-gpu, and no GPU is usable"}};
  command.run = run_plan_command;
  return command;
}

}  // namespace spillway
