// A scratch file without a name: it vanishes with the process, whatever ends that. For sorted runs that only this
// process reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/file/descriptor.hpp"

namespace spillway {

// append() is for one thread at a time; read_at() and release() are thread-safe.
class UnlinkedFile {
 public:
  // Throws IoError naming the directory.
  explicit UnlinkedFile(const std::string& directory);

  // Returns the offset at which the bytes stand. Throws DiskFullError or IoError.
  std::uint64_t append(std::span<const std::uint8_t> bytes);
  // Fills `out`. Throws IoError if fewer bytes come.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> out) const;
  // Gives the disk space of these bytes back, as far as the file system can; they must not be read any more.
  void release(std::uint64_t offset, std::uint64_t bytes);
  std::uint64_t size() const { return size_; }
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace spillway
