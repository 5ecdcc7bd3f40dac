#include "tools/options/index_report.hpp"

#include "tools/cli/build_facts.hpp"
#include "tools/report/figures.hpp"
#include "tools/report/json.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t kPathBytes = 4096;

std::uint64_t skipped_count(const IndexReport& report) {
  std::uint64_t count = 0;
  for (const auto& [reason, times] : report.skipped) count += times;
  return count;
}

std::uint64_t error_count(const IndexReport& report) {
  std::uint64_t count = 0;
  for (const auto& [reason, times] : report.skipped) count += is_unasked(reason) ? 0 : times;
  return count;
}

std::string stage_table(const IndexReport& report) {
  double busy = 0;
  for (const StageStats& stage : report.stages) busy += stage.busy_seconds;
  std::string text = "  stage                    busy        wall        rate   share\n";
  for (const StageStats& stage : report.stages) {
    const double share = busy > 0 ? stage.busy_seconds / busy : 0;
    text += "  " + left_aligned(stage.name, 18) + right_aligned(seconds_text(stage.busy_seconds), 11) + " " +
            right_aligned(seconds_text(stage.wall_seconds), 11) + " " +
            right_aligned(rate_text(stage.bytes, stage.wall_seconds), 11) + " " +
            right_aligned(percent_text(static_cast<std::uint64_t>(share * 1e6), 1'000'000), 7) +
            (stage.name == report.bottleneck ? "  <- bottleneck" : "") + "\n";
  }
  return text;
}

ordered_json options_json(const IndexOptions& options) {
  ordered_json object = content_json(options.content);
  object["format"] = corpus_format_name(options.corpus.format);
  object["part"] = std::to_string(options.corpus.part_number) + "/" + std::to_string(options.corpus.part_count);
  object["mode"] = index_mode_name(options.mode);
  object["gpus"] = options.gpu.ids;
  object["gpu_memory_bytes"] = options.gpu.memory_bytes;
  object["gpu_chunks"] = gpu_chunks_names()[static_cast<std::size_t>(options.gpu.chunks)];
  object["gpu_merge"] = gpu_merge_names()[static_cast<std::size_t>(options.gpu.merge)];
  object["require_gpu"] = options.gpu.required;
  object["record_sorter"] = options.record_sorter;
  object["string_sorter"] = options.string_sorter;
  object["temp_directories"] = options.temp_directories;
  object["temp_limit_bytes"] = options.temp_limit_bytes;
  object["block_bytes"] = options.block_bytes;
  object["max_error_rate"] = options.max_error_rate;
  object["strict"] = options.strict;
  object["force"] = options.force;
  object["resumable"] = options.resume.resumable;
  return object;
}

ordered_json stages_json(const IndexReport& report) {
  double busy = 0;
  for (const StageStats& stage : report.stages) busy += stage.busy_seconds;
  ordered_json stages = ordered_json::array();
  for (const StageStats& stage : report.stages) {
    const double rate = stage.wall_seconds > 0 ? static_cast<double>(stage.bytes) / stage.wall_seconds : 0;
    stages.push_back({{"name", stage.name},
                      {"busy_seconds", stage.busy_seconds},
                      {"wall_seconds", stage.wall_seconds},
                      {"bytes", stage.bytes},
                      {"bytes_per_second", rate},
                      {"share", busy > 0 ? stage.busy_seconds / busy : 0}});
  }
  return stages;
}

ordered_json skipped_json(const IndexReport& report) {
  ordered_json skipped = ordered_json::object();
  for (const auto& [reason, times] : report.skipped) skipped[std::string(skip_reason_name(reason))] = times;
  return skipped;
}

ordered_json examples_json(const IndexReport& report) {
  ordered_json examples = ordered_json::array();
  for (const SkippedRecord& record : report.examples) {
    examples.push_back({{"reason", skip_reason_name(record.reason)},
                        {"path", record.path},
                        {"offset", record.offset},
                        {"detail", record.detail}});
  }
  return examples;
}

}  // namespace

std::string skipped_summary(const IndexReport& report) {
  std::string text;
  for (const auto& [reason, times] : report.skipped) {
    text += "  skipped " + count_text(times) + " as " + std::string(skip_reason_name(reason)) + "\n";
    for (const SkippedRecord& record : report.examples) {
      if (record.reason != reason) continue;
      text += "    " + printable(record.path, kPathBytes) + ", byte " + std::to_string(record.offset) + ": " +
              printable(record.detail) + "\n";
    }
  }
  if (report.repaired > 0)
    text +=
        "  repaired " + count_text(report.repaired) + " (broken UTF-8 became U+FFFD, a missing </DOC> was supplied)\n";
  if (report.overlong_tokens > 0) {
    text += "  dropped " + count_text(report.overlong_tokens) + " tokens longer than --max-term-bytes\n";
  }
  if (report.fields_cut > 0) text += "  cut " + count_text(report.fields_cut) + " fields that were too long to store\n";
  return text;
}

std::string index_summary(const IndexOptions& options, const IndexReport& report) {
  const auto line = [](const char* name, const std::string& words) {
    return "  " + left_aligned(name, 10) + words + "\n";
  };
  std::string text = std::string(options.append ? "added " : "indexed ") + count_text(report.documents) +
                     (report.documents == 1 ? " document " : " documents ") + (options.append ? "to " : "into ") +
                     printable(options.output, kPathBytes) + " in " + seconds_text(report.seconds) + " (" +
                     rate_text(report.input_bytes, report.seconds) + ")\n";
  text += line("input", bytes_text(report.input_bytes) + ", " + count_text(report.records_in) + " records: " +
                            count_text(report.documents) + " indexed, " + count_text(skipped_count(report)) +
                            " skipped, " + count_text(report.repaired) + " repaired");
  if (options.append) {
    text += line("grown", "from " + count_text(report.documents_before) + " documents to " +
                              count_text(report.index_documents) + ", " + count_text(report.replaced_documents) +
                              " of the old ones replaced");
  }
  text += line("index", bytes_text(report.index_bytes) + ", " + count_text(report.terms) + " terms, " +
                            count_text(report.postings) + " postings, " + count_text(report.occurrences) + " tokens");
  text += line("runs", count_text(report.runs) + " (" + count_text(report.runs_spilled) + " spilled, " +
                           bytes_text(report.spilled_bytes) + " written), " + count_text(report.merge_passes) +
                           (report.merge_passes == 1 ? " merge pass" : " merge passes"));
  if (report.compactions != 0) {
    text += line("compacted", count_text(report.compacted_runs) + " runs of blocks to " +
                                  count_text(report.compactions) + " while parsing");
  }
  if (sorts_on_gpu(report.mode)) {
    text += line("blocks", count_text(report.gpu_blocks) + " sorted on the GPU, " + count_text(report.cpu_blocks) +
                               " on the CPU instead" +
                               (report.gpu_failure.empty() ? "" : ": " + printable(report.gpu_failure)));
    text += line("merge", count_text(report.gpu_postings) + " postings of the runs merged on the GPU");
  }
  text += line("memory", "peak " + memory_text(report.peak_resident_bytes) + " of " + memory_text(report.memory_bytes) +
                             " (" + percent_text(report.peak_resident_bytes, report.memory_bytes) + "), " +
                             count_text(report.threads) + (report.threads == 1 ? " thread" : " threads"));
  return text + stage_table(report) + skipped_summary(report);
}

ordered_json index_report_json(const IndexOptions& options, const IndexReport& report, const JobOutcome& outcome) {
  ordered_json json = {
      {"program", "spillway"},
      {"version", kVersion},
      {"command", options.append ? "append" : "index"},
      {"exit_code", static_cast<int>(outcome.exit_code)},
      {"error", outcome.error.empty() ? ordered_json() : ordered_json(outcome.error)},
      {"inputs", options.inputs},
      {"output", options.output},
      {"options", options_json(options)},
      {"input_bytes", report.input_bytes},
      {"resumed_bytes", report.resumed_bytes},
      {"records_in", report.records_in},
      {"documents", report.documents},
      {"skipped_records", skipped_count(report)},
      {"error_records", error_count(report)},  // those that --max-error-rate counts
      {"skipped", skipped_json(report)},
      {"examples", examples_json(report)},
      {"repaired", report.repaired},
      {"terms", report.terms},
      {"postings", report.postings},
      {"occurrences", report.occurrences},
      {"overlong_tokens", report.overlong_tokens},
      {"fields_cut", report.fields_cut},
      {"seconds", report.seconds},
      {"bytes_per_second", report.seconds > 0 ? static_cast<double>(report.input_bytes) / report.seconds : 0},
      {"threads", report.threads},
      {"memory_bytes", report.memory_bytes},
      {"peak_resident_bytes", report.peak_resident_bytes},
      {"chunks", report.chunks},
      {"chunks_in_pinned_slots", report.pinned_chunks},
      {"chunk_form", report.chunk_form},
      {"blocks", report.blocks},
      {"mode", index_mode_name(report.mode)},
      {"blocks_on_gpu", report.gpu_blocks},
      {"blocks_on_cpu_instead", report.cpu_blocks},
      {"postings_merged_on_gpu", report.gpu_postings},
      {"gpu_failure", report.gpu_failure.empty() ? ordered_json() : ordered_json(report.gpu_failure)},
      {"compacted_runs", report.compacted_runs},
      {"compactions", report.compactions},
      {"runs", report.runs},
      {"runs_spilled", report.runs_spilled},
      {"merge_passes", report.merge_passes},
      {"spilled_bytes", report.spilled_bytes},
      {"peak_temp_bytes", report.peak_temp_bytes},
      {"index_bytes", report.index_bytes},
      {"stages", stages_json(report)},
      {"bottleneck", report.bottleneck},
      {"plan", report.plan}};
  if (options.append) {
    constexpr const char* kKnownIds[] = {"refuse", "replace", "skip"};
    json["options"]["known_ids"] = kKnownIds[static_cast<std::size_t>(*options.append)];
    json["options"]["replace_urls"] = options.replace_urls;
    json["documents_before"] = report.documents_before;
    json["replaced_documents"] = report.replaced_documents;
    json["index_documents"] = report.index_documents;
  }
  return json;
}

}  // namespace spillway
