// Where a sort that can go on stands, read from its work directory while it runs or after it was interrupted.
#pragma once

#include <optional>
#include <string>

#include "io/file/file_system.hpp"
#include "sort/lines/resume/commit.hpp"
#include "sort/lines/resume/description.hpp"

namespace spillway {

struct SortStatus {
  SortDescription sort;
  std::optional<SortCommit> commit;  // nothing yet: the sort would begin anew
  bool is_running = false;           // a process holds the lock
};

// Changes nothing. Requires: `directory` is of JobKind::kSort. Throws UsageError if the sort has only just begun,
// FormatError if its files are damaged.
SortStatus read_sort_status(FileSystem& files, const std::string& directory);

}  // namespace spillway
