// The machine and the date of a measurement.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sort/gpu/device/status.hpp"

namespace spillway {

// Processor, threads, memory, kernel and GPUs. Names no user, host or path.
nlohmann::ordered_json machine_json(const GpuStatus& gpus);

// Now, in UTC: "2026-01-31T23:59:59Z".
std::string date_text();

}  // namespace spillway
