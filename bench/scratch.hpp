// A fresh directory for one benchmark, below the current one (so on the disk that the caller chose), removed with
// everything in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace spillway {

class BenchScratch {
 public:
  BenchScratch() {
    std::string pattern = (std::filesystem::current_path() / "spillway-bench-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    path_ = pattern;
  }
  ~BenchScratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  BenchScratch(const BenchScratch&) = delete;
  BenchScratch& operator=(const BenchScratch&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace spillway
