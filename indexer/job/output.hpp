// Checks of the output of every job that makes an index.
#pragma once

#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

enum class IfOutputExists { kRefuse, kReplace };

// Throws UsageError, which names the remedy, if the output is not named, lies inside an index, or exists and may not be
// replaced: without kReplace nothing may, with it only an index may.
void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists);

// Returns whether `path` is `directory` or lies below it. Requires: both are resolved.
bool is_inside(const std::string& path, const std::string& directory);

}  // namespace spillway
