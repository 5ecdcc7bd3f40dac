// Space for a file that is taken from its POSIX file system ahead of the writes, by fallocate().
#pragma once

#include <cstdint>

namespace spillway {

// The space of one open file. The file keeps its size: readers see only what was written. Not thread-safe.
class FileSpace {
 public:
  // Takes space up to `end` for a file of `size` bytes, unless little would be left free on the disk. Returns whether
  // it is taken. After a failure it tries no more.
  bool reserve(int descriptor, std::uint64_t size, std::uint64_t end);
  // Gives back what a file of `size` bytes does not use. Returns 0 or the number of the system's error.
  int give_back(int descriptor, std::uint64_t size);

 private:
  std::uint64_t end_ = 0;  // of the space taken
  bool has_failed_ = false;
};

}  // namespace spillway
