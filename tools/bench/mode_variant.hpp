// What `bench modes --modes` names: a mode of indexing, and where it is said its sorter of records and its threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// "MODE[:RECORD_SORTER][@THREADS]", such as "cpu", "cpu:cpu-quick@1", "gpu+:gpu-radix:satish".
struct ModeVariant {
  std::string text;                    // as it was written: its name in tables
  std::string mode;                    // of concrete_mode_names()
  std::string record_sorter, threads;  // empty: as the other options say
};

// cpu, cpu+, gpu, gpu+: all but auto.
const std::vector<std::string>& concrete_mode_names();

// Throws UsageError naming --modes, what was expected and what was found. Sorters and threads are not looked at.
ModeVariant parse_mode_variant(std::string_view text);

// These options, with those that the variant names in the place of --mode, --record-sorter and --threads.
Arguments arguments_of(const ModeVariant& variant, const Arguments& arguments);

}  // namespace spillway
