// `sort --files0-from FILE`.
#pragma once

#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

// Throws SortError if there are operands too.
void refuse_inputs_with_names(const std::vector<std::string>& inputs);

// The names in a file, each ended by a zero byte; "-" is standard input. Throws SortError.
std::vector<std::string> read_names(const std::string& path, FileSystem& files);

}  // namespace spillway
