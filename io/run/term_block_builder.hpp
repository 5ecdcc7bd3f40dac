// Builds the term blocks of a run (io/format/run.hpp) in memory, on any thread. RunWriter appends them.
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

// A complete term block, not yet bound to a run.
struct TermBlock {
  std::vector<std::uint8_t> payload;
  std::optional<std::uint32_t> payload_crc;  // CRC32C of the payload alone, if known
  std::string first_term;
  std::uint32_t longest_term_bytes = 0;
  std::uint32_t entry_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
};

// Collects entries in term order into one block. Not thread-safe.
class TermBlockBuilder {
 public:
  // Requires: kMinRunBlockBytes <= block_bytes <= kMaxRunBlockBytes (otherwise std::logic_error).
  TermBlockBuilder(std::size_t block_bytes, bool has_positions);

  // Returns the bytes left for postings and positions of an entry of `term` in this block; 0 if even the entry's head
  // does not fit. An empty block has room for at least block_bytes / 4 of them, whatever the term.
  std::size_t room(std::string_view term) const;
  // Requires: postings and positions fit room(entry.term); terms do not descend; a term has 1 to kMaxRunTermBytes
  // bytes, an entry at least one posting. Otherwise throws std::logic_error.
  void add(const RunEntry& entry);
  // As add, but leaves room for the bytes, postings first, which the caller fills before the next call. Ignores the
  // views of `entry`, and sets them to that room, valid until the next call.
  std::uint8_t* add(RunEntry& entry, std::size_t posting_bytes, std::size_t position_bytes);
  bool empty() const { return block_.entry_count == 0; }
  // Returns the block with its CRC, and starts the next.
  TermBlock finish();
  // The largest possible block with terms of at most `longest_term` bytes. A block may exceed block_bytes by the head
  // of one entry, because an empty block has room for a share of any list.
  static std::size_t max_block_bytes(std::size_t block_bytes, std::size_t longest_term = kMaxRunTermBytes);

 private:
  std::uint8_t* begin_entry(const RunEntry& entry, std::size_t posting_bytes, std::size_t position_bytes);
  void keep_term(std::string_view term, std::size_t shared);
  void make_place(std::size_t bytes);
  std::uint8_t* write_head(const RunEntry& entry, std::size_t posting_bytes, std::size_t position_bytes,
                           std::size_t shared);
  std::size_t block_bytes_;
  bool has_positions_;
  TermBlock block_;
  std::size_t used_bytes_ = 0;   // used bytes of the payload
  std::vector<char> last_term_;  // its first last_term_bytes_ bytes are the term
  std::size_t last_term_bytes_ = 0;
};

}  // namespace spillway
