// Changes bytes of a run and recomputes its checksums, as a careful forger (or a bug in a writer) would, so that only
// the checks of bounds can detect it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway::testing {

// A file of given bytes.
class BytesFile final : public ReadableFile {
 public:
  explicit BytesFile(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override;
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::string path_ = "forged-run";
};

std::vector<std::uint8_t> all_bytes(const ReadableFile& file);

class RunForger {
 public:
  explicit RunForger(std::vector<std::uint8_t> bytes);  // bytes of a valid run

  struct Block {
    std::uint64_t number = 0;
    std::size_t offset = 0, stored_bytes = 0;
    bool has_terms = false;
  };
  const std::vector<Block>& blocks() const { return blocks_; }
  std::size_t footer_offset() const { return footer_offset_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }

  // Recompute the checksums of one part from the current bytes. Blocks keep their original length.
  void seal_header();  // and all others, which depend on it
  void seal_block(const Block& block);
  void seal_footer();
  void seal_trailer();

 private:
  std::vector<std::uint8_t> bytes_;
  std::vector<Block> blocks_;
  std::size_t footer_offset_ = 0;
};

}  // namespace spillway::testing
