// Turns a failed system call into an error with a remedy. Also used by the file system twin of the tests, so that both
// fail with the same words.
#pragma once

#include <string_view>

#include "io/base/error.hpp"

namespace spillway {

// The disk (or a quota or size limit on it) is full: callers that know which option moves the bytes elsewhere say so.
struct DiskFullError : IoError {
  using IoError::IoError;
};

// Throws IoError, or DiskFullError for ENOSPC, EDQUOT and EFBIG: "cannot <action> <path>: <why>; <remedy>".
[[noreturn]] void throw_system_error(int error, std::string_view action, std::string_view path);

}  // namespace spillway
