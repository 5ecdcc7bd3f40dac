// An item of `bench modes --modes`: a mode of indexing, optionally with its record sorter and its number of threads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.hpp"

namespace spillway {

// "MODE[:RECORD_SORTER][@THREADS]", such as "cpu", "cpu:cpu-quick@1", "gpu+:gpu-radix:satish".
struct ModeVariant {
  std::string text;                    // as written; its name in tables
  std::string mode;                    // one of concrete_mode_names()
  std::string record_sorter, threads;  // empty: as the other options set them
};

// cpu, cpu+, gpu, gpu+; not auto.
const std::vector<std::string>& concrete_mode_names();

// Throws UsageError naming --modes. Does not check sorters and threads.
ModeVariant parse_mode_variant(std::string_view text);

// The options, with --mode, --record-sorter and --threads replaced by those of the variant.
Arguments arguments_of(const ModeVariant& variant, const Arguments& arguments);

}  // namespace spillway
