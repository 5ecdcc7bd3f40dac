// Open files of the POSIX file system (io/file/posix_file_system.hpp).
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>

#include "io/file/descriptor.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

FileType type_of(mode_t mode);

// Each opens `path`. Throws IoError if that fails or the path is not of a supported kind.
std::unique_ptr<ReadableFile> open_posix_file(const std::string& path);  // regular files only
std::unique_ptr<ByteStream> open_posix_stream(const std::string& path);  // no directories or sockets; "-" is stdin
std::unique_ptr<WritableFile> create_posix_file(const std::string& path, mode_t mode);  // must not exist
// As FileSystem::create_lock and try_lock. A lock keeps out other descriptors of this process, too.
std::unique_ptr<FileLock> create_posix_lock(const std::string& path, std::string_view content);
std::unique_ptr<FileLock> try_posix_lock(const std::string& path);

}  // namespace spillway
