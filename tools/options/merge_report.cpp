#include "tools/options/merge_report.hpp"

#include "tools/cli/build_facts.hpp"
#include "tools/report/figures.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

std::string counted(std::uint64_t count, const char* one, const char* many) {
  return count_text(count) + " " + (count == 1 ? one : many);
}

std::string headline(const std::string& command, const MergeOptions& options, const MergeReport& report) {
  const std::string output = printable(options.output, 4096);
  if (command == "delete") {
    return "deleted " + counted(report.dropped_documents, "document", "documents") + " from " + output;
  }
  return "merged " + counted(options.inputs.size(), "index", "indexes") + " into " + output;
}

std::string dropped_text(const std::string& command, const MergeOptions& options, const MergeReport& report) {
  if (command == "delete") {
    if (report.unknown_ids == 0) return "";
    return "  missing " + count_text(report.unknown_ids) + " of " + counted(report.ids_to_drop, "name", "names") + "\n";
  }
  if (options.drop_ids.empty()) return "";
  return "  dropped " + counted(report.dropped_documents, "document", "documents") + " named by " +
         printable(options.drop_ids.files.front(), 4096) + "; " + count_text(report.unknown_ids) + " of its " +
         counted(report.ids_to_drop, "id is", "ids are") + " in no index\n";
}

ordered_json names_json(const DocumentNames& names) { return {{"files", names.files}, {"values", names.values}}; }

std::string duplicates_text(const MergeReport& report, SkipReason reason, std::uint64_t count) {
  if (count == 0) return {};
  std::string text = "  skipped " + count_text(count) + " as " + std::string(skip_reason_name(reason)) + "\n";
  for (const SkippedRecord& record : report.duplicate_examples) {
    if (record.reason == reason) text += "    " + printable(record.path) + ": " + printable(record.detail) + "\n";
  }
  return text;
}

}  // namespace

std::string merge_summary(const std::string& command, const MergeOptions& options, const MergeReport& report) {
  const auto line = [](const char* name, const std::string& words) {
    return "  " + left_aligned(name, 10) + words + "\n";
  };
  std::string text = headline(command, options, report) + " in " + seconds_text(report.seconds) + " (" +
                     rate_text(report.input_bytes, report.seconds) + ")\n";
  text += line("input", bytes_text(report.input_bytes) + ", " + count_text(report.input_documents) + " documents");
  text += line("index", bytes_text(report.index_bytes) + ", " + count_text(report.documents) + " documents, " +
                            count_text(report.terms) + " terms, " + count_text(report.postings) + " postings, " +
                            count_text(report.occurrences) + " tokens");
  text += line("memory", "peak " + memory_text(report.peak_resident_bytes) + " of " + memory_text(report.memory_bytes) +
                             " (" + percent_text(report.peak_resident_bytes, report.memory_bytes) + "), " +
                             counted(report.threads, "thread", "threads") + ", " +
                             counted(report.merge_passes, "pass", "passes") + ", " + bytes_text(report.spilled_bytes) +
                             " spilled");
  text += dropped_text(command, options, report);
  text += duplicates_text(report, SkipReason::kDuplicateUrl, report.repeated_documents);
  text += duplicates_text(report, SkipReason::kDuplicateId, report.duplicate_documents);
  return text;
}

ordered_json merge_report_json(const std::string& command, const MergeOptions& options, const MergeReport& report,
                               const JobOutcome& outcome) {
  ordered_json stages = ordered_json::array(), duplicates = ordered_json::array();
  for (const StageStats& stage : report.stages) {
    stages.push_back({{"name", stage.name},
                      {"busy_seconds", stage.busy_seconds},
                      {"wall_seconds", stage.wall_seconds},
                      {"bytes", stage.bytes}});
  }
  for (const SkippedRecord& record : report.duplicate_examples) {
    duplicates.push_back({{"document", record.path}, {"detail", record.detail}});
  }
  ordered_json json = {
      {"program", "spillway"},
      {"version", kVersion},
      {"command", command},
      {"exit_code", static_cast<int>(outcome.exit_code)},
      {"error", outcome.error.empty() ? ordered_json() : ordered_json(outcome.error)},
      {"inputs", options.inputs},
      {"output", options.output},
      {"drop", options.drop_ids.files.empty() ? ordered_json() : ordered_json(options.drop_ids.files.front())},
      {"dedup", dedup_names()[static_cast<std::size_t>(options.dedup)]},
      {"temp_directories", options.temp_directories},
      {"temp_limit_bytes", options.temp_limit_bytes},
      {"force", options.force},
      {"resumable", options.resume.resumable},
      {"resumed_steps", report.resumed_steps},
      {"input_bytes", report.input_bytes},
      {"input_documents", report.input_documents},
      {"documents", report.documents},
      {"duplicate_documents", report.duplicate_documents},
      {"duplicate_url_documents", report.repeated_documents},
      {"duplicates", duplicates},
      {"dropped_documents", report.dropped_documents},
      {"ids_to_drop", report.ids_to_drop},
      {"unknown_ids", report.unknown_ids},
      {"unknown_examples", report.unknown_examples},
      {"terms", report.terms},
      {"postings", report.postings},
      {"occurrences", report.occurrences},
      {"seconds", report.seconds},
      {"bytes_per_second", report.seconds > 0 ? static_cast<double>(report.input_bytes) / report.seconds : 0},
      {"threads", report.threads},
      {"memory_bytes", report.memory_bytes},
      {"peak_resident_bytes", report.peak_resident_bytes},
      {"merge_passes", report.merge_passes},
      {"spilled_bytes", report.spilled_bytes},
      {"peak_temp_bytes", report.peak_temp_bytes},
      {"index_bytes", report.index_bytes},
      {"stages", stages},
      {"plan", report.plan}};
  if (command == "delete") {
    json.erase("drop");
    json.erase("dedup");
    json.erase("duplicate_url_documents");
    json["ids"] = names_json(options.drop_ids);
    json["urls"] = names_json(options.drop_urls);
  }
  return json;
}

}  // namespace spillway
