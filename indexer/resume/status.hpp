// Where a resumable job stands, read from its work directory while it runs or after it was interrupted.
#pragma once

#include <optional>
#include <string>

#include "indexer/resume/commit.hpp"
#include "indexer/resume/description.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

struct JobStatus {
  JobDescription job;
  std::optional<Commit> commit;  // nothing yet: the job would begin anew
  bool is_running = false;       // a process holds the lock
};

// Changes nothing. Throws UsageError if `directory` is not the work directory of a resumable job (says what it is),
// FormatError if its files are damaged.
JobStatus read_job_status(FileSystem& files, const std::string& directory);

}  // namespace spillway
