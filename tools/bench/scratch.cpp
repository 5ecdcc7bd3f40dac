#include "tools/bench/scratch.hpp"

#include <stdlib.h>

#include <cerrno>

#include "io/base/error.hpp"
#include "io/file/system_error.hpp"

namespace spillway {

BenchScratch::BenchScratch(FileSystem& files, const std::string& parent) : files_(files) {
  path_ = files.resolve(parent) + "/.spillway-bench-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) throw_system_error(errno, "make a directory in", parent);
}

BenchScratch::~BenchScratch() {
  try {
    files_.remove_tree(path_);
  } catch (const Error&) {
    return;  // the name of the directory tells where it comes from
  }
}

}  // namespace spillway
