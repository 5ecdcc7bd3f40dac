// A directory for what a benchmark writes, gone when the benchmark ends, however it ends.
#pragma once

#include <string>

#include "io/file/file_system.hpp"

namespace spillway {

class BenchScratch {
 public:
  // Makes a new one below `parent`. Throws IoError.
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
