#include "io/scratch/owned_directory.hpp"

#include <exception>
#include <new>
#include <string_view>
#include <vector>

#include "io/base/error.hpp"
#include "io/scratch/job_files.hpp"

namespace spillway {

namespace {

// The whole content of a lock file, by kind. Directories in which a job is to find more than the files of job_files.hpp
// need another one, so that this version leaves them alone.
constexpr std::string_view kSignatures[] = {"Spillway work directory, format 1\n",
                                            "Spillway work directory of a resumable job, format 1\n",
                                            "Spillway work directory of a resumable sort, format 1\n"};
constexpr JobKind kKinds[] = {JobKind::kOrdinary, JobKind::kResumable, JobKind::kSort};

std::string_view signature_of(JobKind kind) { return kSignatures[static_cast<std::size_t>(kind)]; }

std::string lock_of(const std::string& directory) { return directory + "/" + kLockName; }

bool is_there(FileSystem& files, const std::string& path) { return files.is_link(path) || files.status(path); }

bool is_plain_directory(FileSystem& files, const std::string& path) {
  if (files.is_link(path)) return false;
  const auto status = files.status(path);
  return status && status->type == FileType::kDirectory;
}

// Follows no link, and reads no more than a regular file of the right size.
std::optional<JobKind> kind_of_lock(FileSystem& files, const std::string& directory) {
  const std::string lock = lock_of(directory);
  if (files.is_link(lock)) return std::nullopt;
  const auto status = files.status(lock);
  if (!status || status->type != FileType::kRegular) return std::nullopt;
  for (const JobKind kind : kKinds) {
    if (status->size == signature_of(kind).size() && read_file(files, lock) == signature_of(kind)) return kind;
  }
  return std::nullopt;
}

[[noreturn]] void throw_foreign(const std::string& path, const std::string& why) {
  throw UsageError(printable(path, 4096) + " is not a work directory of Spillway (" + why +
                   "), and a job with this output would use and remove it; move it away, or choose another -o");
}

std::vector<std::string> list_directory(FileSystem& files, const std::string& path) {
  const auto status = files.status(path);
  if (status && status->type != FileType::kDirectory) throw_foreign(path, "it is no directory");
  return files.list(path);
}

// Returns false if its job removes the directory at this moment.
bool refuse_foreign(FileSystem& files, const std::string& path) {
  if (!is_there(files, path)) return false;
  if (files.is_link(path)) throw_foreign(path, "it is a link");
  const std::vector<std::string> found = list_directory(files, path);
  if (files.is_mount_point(path)) throw_foreign(path, "it is a mount point");
  if (found.empty() || kind_of_lock(files, path)) return true;
  if (files.list(path) != found) return false;
  throw_foreign(path, "it holds " + first_names(found) + ", but no LOCK of this version of Spillway");
}

void refuse_foreign_files(FileSystem& files, const std::string& path) {
  const std::vector<std::string> foreign = foreign_files(files, path);
  if (foreign.empty()) return;
  throw UsageError(printable(path, 4096) + " holds files that no job made: " + first_names(foreign) +
                   "; a job with this output removes the directory, so move them away, or choose another -o");
}

void make_unless_there(FileSystem& files, const std::string& path) {
  if (is_there(files, path)) return;
  try {
    files.make_private_directory(path);
  } catch (const IoError&) {
    if (!files.status(path)) throw;  // otherwise another job has just made it
  }
}

void remove_quietly(FileSystem& files, const std::string& path) {
  try {
    files.remove(path);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the error that led here is the one to report
  }
}

}  // namespace

std::unique_ptr<OwnedDirectory> OwnedDirectory::take(FileSystem& files, const std::string& path, JobKind kind) {
  const auto check = [&] {
    if (!refuse_foreign(files, path)) return false;  // again: only now does it belong to this job
    refuse_foreign_files(files, path);
    return true;
  };
  for (;;) {
    make_unless_there(files, path);
    try {
      if (!refuse_foreign(files, path)) continue;
      const Lock origin = files.list(path).empty() ? Lock::kNew : Lock::kFound;
      std::unique_ptr<FileLock> lock =
          origin == Lock::kNew ? files.create_lock(lock_of(path), signature_of(kind)) : files.try_lock(lock_of(path));
      if (lock == nullptr) break;
      const JobKind found = origin == Lock::kNew ? kind : kind_of_lock(files, path).value_or(kind);
      if (auto owned = own({files, path, std::move(lock), found}, origin, check)) return owned;
    } catch (const IoError&) {
      if (!is_there(files, path)) continue;                              // the job that had it has just removed it
      if (is_plain_directory(files, path)) remove_quietly(files, path);  // only if it is empty
      throw;
    } catch (const std::bad_alloc&) {
      if (is_plain_directory(files, path)) remove_quietly(files, path);
      throw;
    }
  }
  throw UsageError(printable(path, 4096) +
                   " is locked: another process is working on this output; wait for it, or choose another -o");
}

std::unique_ptr<OwnedDirectory> OwnedDirectory::make_scratch(FileSystem& files, const std::string& parent) {
  const std::string place = parent == "/" ? "/" : parent + "/";
  for (const std::string& name : files.list(parent)) {
    if (is_scratch_directory_name(name)) remove_if_left(files, place + name);
  }
  for (;;) {
    const std::string path = files.make_unique_directory(place + kScratchDirectoryPrefix);
    try {
      auto lock = files.create_lock(lock_of(path), signature_of(JobKind::kOrdinary));
      if (lock != nullptr) {
        return own({files, path, std::move(lock), JobKind::kOrdinary}, Lock::kNew, [] { return true; });
      }
    } catch (const IoError&) {
      if (!files.status(path)) continue;  // another job took it for a killed job's, because it was empty
      remove_quietly(files, path);
      throw;
    } catch (const std::bad_alloc&) {
      remove_quietly(files, path);
      throw;
    }
  }
}

// Brings the lock to disk before anything else is in the directory. Returns null if `check` does. Whatever stops it, a
// new lock does not stay.
std::unique_ptr<OwnedDirectory> OwnedDirectory::own(OwnedDirectory&& locked, Lock origin,
                                                    const std::function<bool()>& check) {
  std::unique_ptr<OwnedDirectory> owned(new OwnedDirectory(std::move(locked)));
  FileSystem& files = owned->files_;
  const std::string& path = owned->path_;
  try {
    if (!check()) return nullptr;
    files.sync_directory(path);
  } catch (const std::exception&) {
    if (origin == Lock::kNew) remove_quietly(files, lock_of(path));  // before another job can have it
    throw;
  }
  return owned;
}

// Removes the scratch directory of a job that was killed. One without a lock is empty: its job was killed before it
// made the lock, or is about to make it and then makes another directory.
void OwnedDirectory::remove_if_left(FileSystem& files, const std::string& path) {
  try {
    if (!is_plain_directory(files, path)) return;
    if (files.list(path).empty()) return files.remove(path);
    if (kind_of_lock(files, path) != JobKind::kOrdinary || !foreign_files(files, path).empty()) return;
    std::unique_ptr<FileLock> lock = files.try_lock(lock_of(path));
    if (lock != nullptr) OwnedDirectory(files, path, std::move(lock), JobKind::kOrdinary).remove();
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): another user's, or its job has just removed it
  }
}

// A commit must not outlive the files that it names, nor a newer commit.
void OwnedDirectory::remove_commits() {
  const std::vector<std::string> commits = commit_names(files_, path_);
  if (commits.empty()) return;
  files_.sync_directory(path_);
  for (const std::string& name : commits) files_.remove(path_ + "/" + name);
  files_.sync_directory(path_);
}

// The lock goes last, and after the rest has gone for good: a crash must not leave files whose owner nothing tells.
void OwnedDirectory::remove_if_unused() {
  if (files_.list(path_) != std::vector<std::string>{kLockName}) return;
  files_.sync_directory(path_);
  files_.remove(lock_of(path_));
  lock_.reset();  // NFS keeps an open file under another name until it is closed
  files_.remove(path_);
}

void OwnedDirectory::remove() noexcept {
  try {
    if (!lock_->is_in_place()) return;  // somebody moved the directory: what is at its path is not the job's
    remove_commits();
    remove_job_files(files_, path_);
    remove_if_unused();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next job removes it
  }
  lock_.reset();
}

std::optional<JobKind> kind_of_directory(FileSystem& files, const std::string& path) {
  return is_plain_directory(files, path) ? kind_of_lock(files, path) : std::nullopt;
}

}  // namespace spillway
