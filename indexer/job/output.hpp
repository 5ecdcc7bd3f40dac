// Checks of the output of every job that makes an index, and the names of its scratch files.
#pragma once

#include <string>
#include <vector>

#include "indexer/job/work_directory.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

enum class IfOutputExists { kRefuse, kReplace };

// Throws UsageError, which names the remedy, if the output is not named, lies inside an index, or exists and may not be
// replaced: without kReplace nothing may, with it only an index may.
void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists);

// Returns whether `path` is `directory` or lies below it. Requires: both are resolved.
bool is_inside(const std::string& path, const std::string& directory);

// The scratch directories of a job: those in `asked` or, if there are none, its work directory.
std::vector<std::string> scratch_directories(const std::vector<std::string>& asked, const WorkDirectory& work);
// A name that depends on the output alone, so that the next job with this output removes the files of a killed one.
std::string scratch_name(FileSystem& files, const std::string& output);

}  // namespace spillway
