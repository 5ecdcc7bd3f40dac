// The options of `spillway merge`: the conversion of parsed arguments to MergeOptions.
#pragma once

#include "indexer/options/merge_options.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

// Throws UsageError naming the option and the remedy.
MergeOptions merge_options(const Arguments& arguments, FileSystem& files);

// Sets memory, threads and scratch. Throws UsageError naming the option.
void take_resources(const Arguments& arguments, FileSystem& files, MergeOptions& options);

}  // namespace spillway
