#include "indexer/resume/status.hpp"

#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"
#include "io/scratch/owned_directory.hpp"

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
  const auto commit = read_newest_commit(files, directory);
  if (commit) status.commit = Commit::parse(commit->text, commit->path);
  return status;
}

}  // namespace spillway
