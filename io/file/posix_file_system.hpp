// The file system of the operating system.
#pragma once

#include "io/file/file_system.hpp"

namespace spillway {

// Uses POSIX calls, handles EINTR and partial transfers, and opens with O_CLOEXEC throughout. Thread-safe.
FileSystem& posix_file_system();

}  // namespace spillway
