// Lines that the states of jobs and of sorts have in common.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "io/file/described_inputs.hpp"

namespace spillway {

// A name, and its value in the second column; without a name, more of the value before.
std::string status_row(const char* name, const std::string& value);
// The first few of the inputs, and how many more there are.
std::string inputs_text(const DescribedInputs& inputs);
nlohmann::ordered_json inputs_json(const DescribedInputs& inputs);
// In UTC, as ISO 8601 has it; since 1970.
std::string time_text(std::int64_t seconds);

}  // namespace spillway
