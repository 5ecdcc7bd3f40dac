// A directory that one job has for itself: the work directory beside its output, or a scratch directory. Only its owner
// can look into it. Its lock file says that a job made it, and is locked while the job lives, so that other jobs leave
// a live one alone and remove one that a killed job left.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

// Resumable jobs, and sorts, keep their directory when they are interrupted; only its lock file tells the kinds apart.
enum class JobKind { kOrdinary, kResumable, kSort };

class OwnedDirectory {
 public:
  // Makes `path` for a job of this kind; or takes it as it is, if it is empty or a killed job of any kind left it.
  // Throws UsageError, and changes nothing, if it is another process's or anything in it was not made by a job (names
  // the first few).
  static std::unique_ptr<OwnedDirectory> take(FileSystem& files, const std::string& path,
                                              JobKind kind = JobKind::kOrdinary);
  // Makes a directory with a name that nobody can guess in the directory `parent`, after removing those there that
  // killed jobs left. Throws IoError.
  static std::unique_ptr<OwnedDirectory> make_scratch(FileSystem& files, const std::string& parent);
  OwnedDirectory(const OwnedDirectory&) = delete;
  OwnedDirectory& operator=(const OwnedDirectory&) = delete;

  const std::string& path() const { return path_; }
  JobKind kind() const { return kind_; }  // of the job that made it
  // Removes the files that jobs make, and the directory if nothing else is in it. What cannot be removed stays for the
  // next job. The directory is not used after this.
  void remove() noexcept;

 private:
  OwnedDirectory(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock, JobKind kind)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)), kind_(kind) {}
  enum class Lock { kNew, kFound };
  OwnedDirectory(OwnedDirectory&&) = default;
  static std::unique_ptr<OwnedDirectory> own(OwnedDirectory&& locked, Lock origin, const std::function<bool()>& check);
  static void remove_if_left(FileSystem& files, const std::string& path);
  void remove_commits();
  void remove_if_unused();
  FileSystem& files_;
  std::string path_;
  std::unique_ptr<FileLock> lock_;
  JobKind kind_;
};

// Returns the kind of the job that made the directory at `path`; nothing if that is no directory of a job.
std::optional<JobKind> kind_of_directory(FileSystem& files, const std::string& path);

}  // namespace spillway
