// Checks of the output of every job that makes an index.
#pragma once

#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

enum class IfOutputExists { kRefuse, kReplace };

// Returns where the index goes: `output` resolved, so that a link there stays and names the new index. Throws
// UsageError if the directory above it does not exist.
std::string output_place(FileSystem& files, const std::string& output);

// Throws UsageError, which names the remedy, if the output is not named, lies inside an index, or exists and may not be
// replaced: without kReplace nothing may. With it only an index may that proves to be one (its manifest is whole, and
// it holds no other files) and that can be moved (it is no mount point and does not hold the working directory).
void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists);

// Returns whether `path` is `directory` or lies below it. Requires: both are resolved.
bool is_inside(const std::string& path, const std::string& directory);

// Returns whether the directory at `path` holds an index, whole or damaged.
bool looks_like_index(FileSystem& files, const std::string& path);

}  // namespace spillway
