// The system calls that the sweep watches, and the ways in which it makes them fail.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace spillway::sweep {

enum class Call : std::uint8_t {
  kOpen,    // of a file or directory that is there
  kCreate,  // open() that may make a file
  kRead,
  kWrite,
  kSync,
  kSyncDirectory,
  kClose,  // of a file that was opened for reading
  kCloseWritten,
  kTruncate,
  kLink,  // a name for a file that had none
  kRename,
  kExchange,
  kMakeDirectory,
  kRemove,  // of a file or an empty directory
  kList,    // opendir() and readdir()
  kStatus,
  kSpace,
  kLock,
  kMap,
  kResolve,
  kAttributes,   // owner and mode
  kSpaceOfFile,  // space of a file that is taken ahead or given back
};

enum class FaultKind : std::uint8_t {
  kNone,
  kIoError,       // EIO
  kNoSpace,       // ENOSPC
  kTooManyFiles,  // EMFILE
  kNoMemory,      // ENOMEM
  kInterrupted,   // EINTR
  kShort,         // a transfer of half of the bytes
  kEnd,           // a read that finds the end of the file too early
  kFlip,          // one bit of the bytes changes
  kPageLost,      // touching the second half of a mapping raises SIGBUS
};

std::string_view call_name(Call call);
std::string_view fault_name(FaultKind kind);
int error_of(FaultKind kind);  // 0: not an errno

// Whether a system may let this call fail this way.
bool can_fail(Call call, FaultKind kind);
// Whether a fault of this kind may last: a device that is gone, a disk that stays full.
bool can_last(FaultKind kind);
// Whether the program must go on as if nothing had happened.
bool must_survive(FaultKind kind);
// Whether the call changes the disk, so that a crash before it and one after it differ.
bool changes_disk(Call call);

}  // namespace spillway::sweep
