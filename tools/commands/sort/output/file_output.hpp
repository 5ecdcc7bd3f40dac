// The output of `spillway sort`: standard output, at places if it is a file, or the file of -o.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "io/file/placed_file.hpp"
#include "sort/lines/block/output.hpp"
#include "tools/cli/command.hpp"

namespace spillway {

class SortOutput final : public LineOutput {
 public:
  // Without `path`: standard output. Throws PlacedFileError, at once for what cannot be written.
  SortOutput(Session& session, const std::optional<std::string>& path);

  // Whether writes change what is read from `path`, "-" for standard input.
  bool overwrites(const std::string& path) const;
  // As PlacedFile::write_directly(); standard output is always written through the page cache.
  void write_directly() {
    if (file_) file_->write_directly();
  }
  bool has_places() const override { return file_ ? file_->has_places() : has_places_; }
  void expect_all(std::uint64_t bytes) override;
  bool expect(std::uint64_t offset, std::size_t bytes) override;
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes) override;
  std::uint64_t bytes_written() const { return bytes_; }
  // Brings what was written to the disk: finish() then only gives the file its name. Requires: the output is a file,
  // and nothing writes to it.
  void sync_content() { file_->sync_content(); }
  // Writes the rest, and gives a new file its name. If that is the name of an input, it is synced before.
  void finish(const std::vector<std::string>& inputs);

 private:
  void find_places();
  void append(std::span<const std::uint8_t> bytes);

  Session& session_;
  std::optional<PlacedFile> file_;
  bool has_places_ = false;  // of standard output
  std::uint64_t base_ = 0;
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace spillway
