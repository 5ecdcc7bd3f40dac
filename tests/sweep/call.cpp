#include "tests/sweep/call.hpp"

#include <array>
#include <cerrno>
#include <initializer_list>

namespace spillway::sweep {

namespace {

constexpr std::array<std::string_view, 22> kCallNames{
    "open",     "create", "read",   "write",    "sync",       "sync_directory", "close", "close_written",
    "truncate", "link",   "rename", "exchange", "mkdir",      "remove",         "list",  "status",
    "space",    "lock",   "map",    "resolve",  "attributes", "space_of_file"};
constexpr std::array<std::string_view, 10> kFaultNames{"none",        "EIO",   "ENOSPC", "EMFILE", "ENOMEM",
                                                       "interrupted", "short", "end",    "flip",   "page_lost"};

bool is_one_of(Call call, std::initializer_list<Call> calls) {
  for (const Call other : calls) {
    if (call == other) return true;
  }
  return false;
}

}  // namespace

std::string_view call_name(Call call) { return kCallNames.at(static_cast<std::size_t>(call)); }

std::string_view fault_name(FaultKind kind) { return kFaultNames.at(static_cast<std::size_t>(kind)); }

int error_of(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIoError:
      return EIO;
    case FaultKind::kNoSpace:
      return ENOSPC;
    case FaultKind::kTooManyFiles:
      return EMFILE;
    case FaultKind::kNoMemory:
      return ENOMEM;
    case FaultKind::kInterrupted:
      return EINTR;
    default:
      return 0;
  }
}

bool can_fail(Call call, FaultKind kind) {
  switch (kind) {
    case FaultKind::kIoError:
      return call != Call::kMap;
    case FaultKind::kNoSpace:
      return is_one_of(call, {Call::kCreate, Call::kWrite, Call::kSync, Call::kCloseWritten, Call::kTruncate,
                              Call::kLink, Call::kRename, Call::kExchange, Call::kMakeDirectory, Call::kSpaceOfFile});
    case FaultKind::kTooManyFiles:
      return is_one_of(call, {Call::kOpen, Call::kCreate, Call::kList});
    case FaultKind::kNoMemory:
      return call == Call::kMap;
    case FaultKind::kInterrupted:
      return is_one_of(call, {Call::kOpen, Call::kCreate, Call::kRead, Call::kWrite, Call::kSync, Call::kSyncDirectory,
                              Call::kClose, Call::kCloseWritten, Call::kLock, Call::kSpace});
    case FaultKind::kShort:
      return is_one_of(call, {Call::kRead, Call::kWrite});
    case FaultKind::kEnd:
      return call == Call::kRead;
    case FaultKind::kFlip:
      return is_one_of(call, {Call::kRead, Call::kWrite, Call::kMap});
    case FaultKind::kPageLost:
      return call == Call::kMap;
    case FaultKind::kNone:
      break;
  }
  return false;
}

bool can_last(FaultKind kind) {
  return kind == FaultKind::kIoError || kind == FaultKind::kNoSpace || kind == FaultKind::kTooManyFiles ||
         kind == FaultKind::kShort;
}

bool must_survive(FaultKind kind) {
  return kind == FaultKind::kInterrupted || kind == FaultKind::kShort || kind == FaultKind::kNoMemory;
}

bool changes_disk(Call call) {
  return is_one_of(call, {Call::kCreate, Call::kWrite, Call::kSync, Call::kSyncDirectory, Call::kTruncate, Call::kLink,
                          Call::kRename, Call::kExchange, Call::kMakeDirectory, Call::kRemove});
}

}  // namespace spillway::sweep
