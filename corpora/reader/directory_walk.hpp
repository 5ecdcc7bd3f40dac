// Visits the files below a directory in input order: the byte order of their relative paths.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

// Calls visit(path, relative_begin) for each regular file below `root`, without hidden entries and links. The path from
// relative_begin on is relative to `root`. Keeps about `names_bytes` of names: a directory with more is read several
// times, each time for the names that come next. Throws IoError for a directory that cannot be read.
void walk_directory(FileSystem& files, const std::string& root, std::size_t names_bytes,
                    const std::function<void(const std::string& path, std::size_t relative_begin)>& visit);

}  // namespace spillway
