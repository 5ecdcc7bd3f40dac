#include "indexer/resume/status.hpp"

#include "io/base/error.hpp"
#include "io/file/job_files.hpp"
#include "io/file/owned_directory.hpp"

namespace spillway {

namespace {

void refuse_others(FileSystem& files, const std::string& directory) {
  const std::optional<JobKind> kind = kind_of_directory(files, directory);
  if (kind == JobKind::kResumable) return;
  const char* const what = !files.status(directory)     ? "there is nothing"
                           : kind == JobKind::kOrdinary ? "it belongs to a job without --resumable"
                                                        : "it holds no LOCK of a job";
  throw UsageError(printable(directory, 4096) + " is not the work directory of a resumable job (" + what +
                   "); name OUT.work, where OUT is what was given with -o");
}

// A job that runs replaces the commit from time to time: then the next one is there.
std::optional<Commit> newest_commit(FileSystem& files, const std::string& directory) {
  constexpr int kMostTrials = 10;
  for (int trial = 1;; ++trial) {
    const std::vector<std::string> names = commit_names(files, directory);
    if (names.empty()) return std::nullopt;
    const std::string path = directory + "/" + names.front();
    try {
      return Commit::parse(read_file(files, path), path);
    } catch (const IoError&) {
      if (trial == kMostTrials || files.status(path)) throw;
    }
  }
}

}  // namespace

JobStatus read_job_status(FileSystem& files, const std::string& directory) {
  refuse_others(files, directory);
  JobStatus status;
  status.is_running = files.try_lock(directory + "/" + kLockName) == nullptr;
  const std::string path = directory + "/" + kDescriptionName;
  if (!files.status(path)) {
    throw UsageError(printable(directory, 4096) + ": its job has only just begun; there is nothing to tell yet");
  }
  status.job = JobDescription::parse(read_file(files, path), path);
  status.commit = newest_commit(files, directory);
  return status;
}

}  // namespace spillway
