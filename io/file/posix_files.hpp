// Open files of the POSIX file system (io/file/posix_file_system.hpp).
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "io/file/descriptor.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

FileType type_of(mode_t mode);

// Each opens `path`. Throws IoError if that fails or the path is not of a supported kind.
std::unique_ptr<ReadableFile> open_posix_file(const std::string& path);    // regular files only
std::unique_ptr<ByteStream> open_posix_stream(const std::string& path);    // no directories or sockets; "-" is stdin
std::unique_ptr<WritableFile> create_posix_file(const std::string& path);  // must not exist
// Returns nullptr if another process, or another descriptor of this one, holds the lock.
std::unique_ptr<FileLock> try_lock_posix_file(const std::string& path);

}  // namespace spillway
