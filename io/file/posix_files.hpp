// Open files of the POSIX file system.
#pragma once

#include <memory>
#include <string>

#include "io/file/descriptor.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// Each opens `path` and throws IoError where that fails or the path is of a kind that it does not take.
std::unique_ptr<ReadableFile> open_posix_file(const std::string& path);    // regular files only
std::unique_ptr<ByteStream> open_posix_stream(const std::string& path);    // anything but directories; "-" is stdin
std::unique_ptr<WritableFile> create_posix_file(const std::string& path);  // must not exist
// nullptr where another process (or another open of this one) holds it.
std::unique_ptr<FileLock> try_lock_posix_file(const std::string& path);

}  // namespace spillway
