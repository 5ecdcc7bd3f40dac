#include "tools/report/timeline.hpp"

#include <algorithm>
#include <cmath>

#include "tools/cli/build_facts.hpp"
#include "tools/report/machine.hpp"

namespace spillway {

using nlohmann::ordered_json;

namespace {

// Microseconds are as exact as a page shows.
double rounded(double seconds) { return std::round(seconds * 1e6) / 1e6; }

double busy_share(const Timeline::Span& span) {
  const double seconds = span.end - span.begin;
  return seconds > 0 ? std::round(std::min(1.0, span.busy / seconds) * 1e3) / 1e3 : 1;
}

ordered_json timeline_json(const JobRecord& record) {
  std::vector<std::string> stages, lanes;
  ordered_json spans = ordered_json::array();
  for (const Timeline::Lane& lane : record.lanes) {
    const std::string stage = job_stage_name(lane.stage);
    if (stages.empty() || stages.back() != stage) stages.push_back(stage);
    for (const Timeline::Span& span : lane.spans) {
      spans.push_back({lanes.size(), stages.size() - 1, rounded(span.begin), rounded(span.end), busy_share(span)});
    }
    lanes.push_back(stage + " " + std::to_string(lane.number + 1));
  }
  return {{"seconds", rounded(record.seconds)}, {"stages", stages}, {"lanes", lanes}, {"spans", spans}};
}

ordered_json samples_json(const JobRecord& record, const SampledAmounts& amounts) {
  std::vector<double> begins;
  for (const double begin : record.begins) begins.push_back(rounded(begin));
  ordered_json parts = ordered_json::object();
  for (std::size_t i = 0; i < amounts.names.size(); ++i) parts[amounts.names[i]] = amounts.values[i];
  return {{"seconds", rounded(record.seconds)}, {"begins", begins}, {"parts", parts}};
}

}  // namespace

void add_record(const JobRecord& record, ordered_json& report) {
  const BuildFacts& build = build_facts();
  report["commit"] = build.commit;
  report["compiler"] = build.compiler;
  report["flags"] = build.flags;
  report["date"] = date_text();
  GpuStatus gpus;  // the job looks for no GPU: those that it used are known
  gpus.gpus = record.gpus;
  if (!gpus.gpus.empty()) gpus.detail = "used by the job";
  report["machine"] = machine_json(gpus);
  if (record.begins.empty()) return;
  report["timeline"] = timeline_json(record);
  report["memory_over_time"] = samples_json(record, record.memory);
  report["memory_over_time"]["resident"] = record.resident_bytes;
  report["disk_over_time"] = samples_json(record, record.disk);
}

}  // namespace spillway
