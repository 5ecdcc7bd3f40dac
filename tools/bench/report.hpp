// The head of a benchmark's report: the program, how it was built, and the machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sort/gpu/device/status.hpp"

namespace spillway {

// Members program, command, version, commit, compiler, flags, date (UTC), machine. Nothing that names a user, a host or
// a path.
nlohmann::ordered_json bench_head(const std::string& command, const GpuStatus& gpus);

// The same in one or two lines for people.
std::string bench_head_text(const nlohmann::ordered_json& head);

}  // namespace spillway
