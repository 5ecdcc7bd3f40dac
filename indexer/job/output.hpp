// The output of a job that makes an index, and the names of what it needs on the way: checks that every such job makes.
#pragma once

#include <string>
#include <vector>

#include "indexer/job/work_directory.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

enum class IfOutputExists { kRefuse, kReplace };

// Throws UsageError naming the remedy: no output named, one inside an index, or something there that may not be
// replaced (anything without kReplace, anything but an index with it).
void check_output(FileSystem& files, const std::string& output, IfOutputExists if_exists);

// Is `path` the directory `directory`, or below it? Both resolved.
bool is_inside(const std::string& path, const std::string& directory);

// Scratch directories of a job: those asked for, else its work directory.
std::vector<std::string> scratch_directories(const std::vector<std::string>& asked, const WorkDirectory& work);
// Unique to the output, so that a later job with the same output finds and removes what a killed one left.
std::string scratch_name(FileSystem& files, const std::string& output);

}  // namespace spillway
