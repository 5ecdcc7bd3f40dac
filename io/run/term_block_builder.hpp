// Builds the term blocks of a run (io/format/run.hpp), away from any file: any thread may, and RunWriter appends them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/run.hpp"

namespace spillway {

// A finished term block, not yet bound to a run.
struct TermBlock {
  std::vector<std::uint8_t> payload;
  std::optional<std::uint32_t> payload_crc;  // CRC32C of the payload alone, where somebody took it
  std::string first_term;
  std::uint32_t longest_term_bytes = 0;
  std::uint32_t entry_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
};

// Collects entries in term order into one block. Not thread-safe.
class TermBlockBuilder {
 public:
  // Requires: kMinRunBlockBytes <= block_bytes <= kMaxRunBlockBytes (else std::logic_error).
  TermBlockBuilder(std::size_t block_bytes, bool has_positions);

  // Bytes left for the postings (and positions) of an entry of `term` in this block, 0 if the entry's head alone does
  // not fit. An empty block has room for at least block_bytes / 4 of them, whatever the term.
  std::size_t room(std::string_view term) const;
  // Requires: what it holds fits room(piece.term), terms ascend (equal ones allowed), a term has 1 to kMaxRunTermBytes
  // bytes, a piece at least one posting. Throws std::logic_error (our own mistake) else.
  void add(const TermPiece& piece);
  using Parts = std::span<const std::span<const std::uint8_t>>;
  // As add, but postings and positions are the concatenations of parts (so that a caller need not join them first); the
  // views of `piece` are ignored. Sets them to where they stand in the block, valid until the next call.
  void add(TermPiece& piece, Parts postings, Parts positions);
  // The same with room for the bytes, postings first, which the caller fills in before the next call.
  std::uint8_t* add(TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes);
  bool empty() const { return block_.entry_count == 0; }
  // Hands out the block with its CRC, and starts the next.
  TermBlock finish();
  // The most bytes that a block of terms of at most `longest_term` bytes takes: a block may pass block_bytes by the
  // head of one entry, because an empty one has room for a share of any list.
  static std::size_t max_block_bytes(std::size_t block_bytes, std::size_t longest_term = kMaxRunTermBytes);

 private:
  std::uint8_t* begin_entry(const TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes);
  void keep_term(std::string_view term, std::size_t shared);
  void make_place(std::size_t bytes);
  std::uint8_t* write_head(const TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes,
                           std::size_t shared);
  std::size_t block_bytes_;
  bool has_positions_;
  TermBlock block_;
  std::size_t used_bytes_ = 0;   // of its payload
  std::vector<char> last_term_;  // its first last_term_bytes_
  std::size_t last_term_bytes_ = 0;
};

}  // namespace spillway
