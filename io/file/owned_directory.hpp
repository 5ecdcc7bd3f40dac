// A directory that one job has for itself: the work directory beside its output, or a scratch directory. Only its owner
// can look into it. Its lock file says that a job made it, and is locked while the job lives, so that other jobs leave
// a live one alone and remove one that a killed job left.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

class OwnedDirectory {
 public:
  // Makes `path`; or takes it as it is, if it is empty or a killed job left it. Throws UsageError, and changes nothing,
  // if it is another process's or anything in it was not made by a job (names the first few).
  static std::unique_ptr<OwnedDirectory> take(FileSystem& files, const std::string& path);
  // Makes a directory with a name that nobody can guess in the directory `parent`, after removing those there that
  // killed jobs left. Throws IoError.
  static std::unique_ptr<OwnedDirectory> make_scratch(FileSystem& files, const std::string& parent);
  OwnedDirectory(const OwnedDirectory&) = delete;
  OwnedDirectory& operator=(const OwnedDirectory&) = delete;

  const std::string& path() const { return path_; }
  // Removes the files that jobs make, and the directory if nothing else is in it. What cannot be removed stays for the
  // next job. The directory is not used after this.
  void remove() noexcept;

 private:
  OwnedDirectory(FileSystem& files, std::string path, std::unique_ptr<FileLock> lock)
      : files_(files), path_(std::move(path)), lock_(std::move(lock)) {}
  enum class Lock { kNew, kFound };
  OwnedDirectory(OwnedDirectory&&) = default;
  static std::unique_ptr<OwnedDirectory> own(OwnedDirectory&& locked, Lock origin, const std::function<bool()>& check);
  static void remove_if_left(FileSystem& files, const std::string& path);
  void remove_if_unused();
  FileSystem& files_;
  std::string path_;
  std::unique_ptr<FileLock> lock_;
};

}  // namespace spillway
