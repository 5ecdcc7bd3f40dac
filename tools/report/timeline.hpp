// What a JobRecorder recorded, as members of a job's JSON report.
#pragma once

#include <nlohmann/json.hpp>

#include "indexer/record/job_recorder.hpp"

namespace spillway {

// Adds "date", "commit", "compiler", "flags", "machine" (without its GPUs), and, of a job that began, "timeline",
// "memory_over_time" and "disk_over_time":
// - timeline: {"seconds", "stages": [names], "lanes": [names], "spans": [[lane, stage, begin, end, busy share]]}
// - the others: {"seconds", "begins": [seconds], "parts": {name: [bytes]}}, of memory also "resident": [bytes].
void add_record(const JobRecord& record, nlohmann::ordered_json& report);

}  // namespace spillway
