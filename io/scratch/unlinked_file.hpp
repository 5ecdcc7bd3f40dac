// A scratch file without a name: it vanishes with the process, whatever ends that. For sorted runs that only this
// process reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "io/file/descriptor.hpp"
#include "io/scratch/scratch_file.hpp"

namespace spillway {

class UnlinkedFile final : public ScratchFile {
 public:
  // Throws IoError naming the directory.
  explicit UnlinkedFile(const std::string& directory);

  std::uint64_t append(std::span<const std::uint8_t> bytes) override;
  // Also of parts of what was appended.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  void release(std::uint64_t offset, std::uint64_t bytes) override;
  std::uint64_t size() const { return size_; }
  std::string directory() const override { return directory_; }

 private:
  std::string directory_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace spillway
