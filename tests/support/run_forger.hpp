// Changes bytes of a run and recomputes its checksums, as a careful forger (or a bug in a writer) would, so that only
// the checks of bounds can detect it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "tests/support/bytes_file.hpp"

namespace spillway::testing {

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
