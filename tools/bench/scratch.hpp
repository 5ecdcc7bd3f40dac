// A directory for the files of a benchmark, removed when the benchmark ends or fails, or by the next job with scratch
// files in the same place if it is killed.
#pragma once

#include <memory>
#include <string>

#include "io/file/file_system.hpp"
#include "io/scratch/owned_directory.hpp"

namespace spillway {

class BenchScratch {
 public:
  // Creates a directory below `parent`, for indexes named "index" and files whose names begin with kScratchFilePrefix.
  // Throws IoError.
  BenchScratch(FileSystem& files, const std::string& parent)
      : directory_(OwnedDirectory::make_scratch(files, files.resolve(parent))) {}
  ~BenchScratch() { directory_->remove(); }
  BenchScratch(const BenchScratch&) = delete;
  BenchScratch& operator=(const BenchScratch&) = delete;

  const std::string& path() const { return directory_->path(); }
  std::string operator/(const std::string& name) const { return path() + "/" + name; }

 private:
  std::unique_ptr<OwnedDirectory> directory_;
};

}  // namespace spillway
