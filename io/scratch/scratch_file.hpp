// Where sorted runs stand on disk: pieces that are appended and, later, read again.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace spillway {

// append() is for one thread at a time; read_at() and release() are thread-safe.
class ScratchFile {
 public:
  virtual ~ScratchFile() = default;
  // Returns the offset at which the piece stands. Throws DiskFullError or IoError.
  virtual std::uint64_t append(std::span<const std::uint8_t> piece) = 0;
  // Fills `out`. Requires: it is as long as the piece that append() put there. Throws IoError if fewer bytes come,
  // FormatError if the file knows that they changed.
  virtual void read_at(std::uint64_t offset, std::span<std::uint8_t> out) const = 0;
  // Gives the disk space of these bytes back, as far as the file system can; they must not be read any more.
  virtual void release(std::uint64_t offset, std::uint64_t bytes) = 0;
  // Where the file is, for messages.
  virtual std::string directory() const = 0;
};

}  // namespace spillway
