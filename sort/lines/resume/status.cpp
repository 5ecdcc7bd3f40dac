#include "sort/lines/resume/status.hpp"

#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

SortStatus read_sort_status(FileSystem& files, const std::string& directory) {
  SortStatus status;
  status.is_running = files.try_lock(directory + "/" + kLockName) == nullptr;
  const std::string path = directory + "/" + kDescriptionName;
  if (!files.status(path)) {
    throw UsageError(printable(directory, 4096) + ": its sort has only just begun; there is nothing to tell yet");
  }
  status.sort = SortDescription::parse(read_file(files, path), path);
  const auto commit = read_newest_commit(files, directory);
  if (commit) status.commit = SortCommit::parse(commit->text, commit->path);
  return status;
}

}  // namespace spillway
