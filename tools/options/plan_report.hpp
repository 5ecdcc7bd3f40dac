// The plan of an indexing job as JSON, for programs.
#pragma once

#include <nlohmann/json.hpp>

#include "indexer/plan/job.hpp"

namespace spillway {

nlohmann::ordered_json plan_json(const JobPlan& plan, const IndexOptions& options);

}  // namespace spillway
