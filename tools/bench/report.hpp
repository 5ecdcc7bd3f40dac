// The head of a benchmark's report: program, build and machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sort/gpu/device/status.hpp"

namespace spillway {

// Members program, command, version, commit, compiler, flags, date (UTC) and machine. Names no user, host or path.
nlohmann::ordered_json bench_head(const std::string& command, const GpuStatus& gpus);

// The same as two lines for people.
std::string bench_head_text(const nlohmann::ordered_json& head);

}  // namespace spillway
