// A directory for the files of a benchmark, removed when the benchmark ends or fails.
#pragma once

#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

class BenchScratch {
 public:
  // Creates a directory below `parent`. Throws IoError.
  BenchScratch(FileSystem& files, const std::string& parent);
  ~BenchScratch();
  BenchScratch(const BenchScratch&) = delete;
  BenchScratch& operator=(const BenchScratch&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  FileSystem& files_;
  std::string path_;
};

}  // namespace spillway
