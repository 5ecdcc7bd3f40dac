// The file of a run that outlives the process: pieces, each followed by a checksum that is bound to its offset, and at
// the end a table (sort/lines/resume/run_table.hpp).
//
//   piece | u64 first 8 bytes of its XXH3-128, plus its offset | piece | ... | table
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "io/file/file_system.hpp"
#include "io/scratch/scratch_file.hpp"

namespace spillway {

class KeptFile final : public ScratchFile {
 public:
  static constexpr std::uint64_t kChecksumBytes = sizeof(std::uint64_t);

  // Makes the file. Throws IoError.
  static std::unique_ptr<KeptFile> create(FileSystem& files, const std::string& path);
  // One that is whole. Opens it with the first read.
  static std::unique_ptr<KeptFile> open(FileSystem& files, const std::string& path);

  std::uint64_t append(std::span<const std::uint8_t> piece) override;
  // Throws FormatError, which names file and offset, if the checksum is that of other bytes. Requires: finish() was
  // called, or the file was opened.
  void read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  // The whole file is removed, and not its parts.
  void release(std::uint64_t, std::uint64_t) override {}
  std::string directory() const override;

  // Appends what read_end() reads, and brings the file to the disk.
  void finish(std::span<const std::uint8_t> end);
  // The last `bytes` bytes. Does not keep the file open. Throws IoError, and FormatError if the file does not have
  // `file_bytes`.
  std::vector<std::uint8_t> read_end(std::uint64_t file_bytes, std::uint64_t bytes) const;
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // appended so far

 private:
  KeptFile(FileSystem& files, const std::string& path) : files_(files), path_(path) {}
  ReadableFile& reader() const;

  FileSystem& files_;
  std::string path_;
  std::unique_ptr<WritableFile> writer_;
  std::uint64_t size_ = 0;
  mutable std::once_flag opened_;
  mutable std::unique_ptr<ReadableFile> reader_;
};

}  // namespace spillway
