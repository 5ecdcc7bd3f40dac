// Turns a failed system call into an error with a remedy. The tests' in-memory file system uses it too, so that both
// fail with the same messages.
#pragma once

#include <string_view>

#include "io/base/error.hpp"

namespace spillway {

// The disk is full, or a quota or file size limit is reached. Callers that know the option that moves the bytes
// elsewhere add it to the message.
struct DiskFullError : IoError {
  using IoError::IoError;
};

// Throws IoError, or DiskFullError for ENOSPC, EDQUOT and EFBIG: "cannot <action> <path>: <why>; <remedy>".
[[noreturn]] void throw_system_error(int error, std::string_view action, std::string_view path);

}  // namespace spillway
