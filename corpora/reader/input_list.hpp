// Expands the INPUT arguments to a list of files in input order: walks directories and reads lists (@FILE).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

struct InputFile {
  std::string path;  // "-": standard input
  std::string id;    // id of the document if the file is one document
  FileStatus status;
  bool is_stream = false;
};

// Throws UsageError if an input does not exist or is a device or socket, or if there is no file at all. `check` as in
// plan_corpus().
std::vector<InputFile> list_inputs(FileSystem& files, const std::vector<std::string>& inputs,
                                   const std::function<void()>& check);

}  // namespace spillway
