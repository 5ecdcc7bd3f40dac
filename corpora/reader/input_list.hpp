// The INPUT arguments as a list of files, in input order: directories are walked, lists (@FILE) are read.
#pragma once

#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

struct InputFile {
  std::string path;  // "-": standard input
  std::string id;    // of the document, if the file is one
  FileStatus status;
  bool is_stream = false;
};

// Throws UsageError: an input that does not exist or is a device; no file at all.
std::vector<InputFile> list_inputs(FileSystem& files, const std::vector<std::string>& inputs);

}  // namespace spillway
