#include "tools/options/plan_report.hpp"

#include "tools/cli/build_facts.hpp"

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

}  // namespace

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

}  // namespace spillway
