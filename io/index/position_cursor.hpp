// Reads the positions of chosen postings of one list, a stretch at a time: what phrases are matched with.
#pragma once

#include <cstdint>
#include <span>

#include "io/format/index_types.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "io/postings/position_encoder.hpp"

namespace spillway {

// A posting is found by the table of places and the frequencies of its own block of postings; of what lies between two
// postings only block heads are read. Forward steps inside a block of postings decode nothing twice. Memory is two
// blocks of 128, whatever a list or a posting holds. Not thread-safe. The index lives longer.
class PositionCursor {
 public:
  // Requires: an index with positions (UsageError).
  PositionCursor(const IndexReader& index, const TermEntry& entry);

  // Goes to posting `i` of the block of postings that `postings`, a cursor over the same list, stands on. In any order.
  void seek(const PostingsCursor& postings, std::size_t i) { seek(postings.block(), postings.frequencies(), i); }
  // The same, by the number of the block and all its frequencies.
  void seek(std::uint64_t block, std::span<const std::uint32_t> frequencies, std::size_t i);

  // The next positions of that posting: strictly ascending over all calls, at most 128; empty when there are no more.
  // Views live until the next call. FormatError for bytes that hold no such positions.
  std::span<const std::uint32_t> next();

  // Where the next position stands in the list's bytes.
  PositionPlace place() const;
  // What the table says of the begin of a block of postings.
  PositionPlace place_of(std::uint64_t block) const;
  // Is every position of the list behind it?
  bool at_end() const;

 private:
  void load(std::uint64_t offset);
  void load_tail();
  void skip(std::uint64_t count);
  const std::uint8_t* bytes(std::uint64_t offset, std::uint64_t count) const;
  [[noreturn]] void fail(std::uint64_t offset, std::string_view expected, std::string_view found) const;

  const IndexReader& index_;
  std::uint64_t list_offset_, block_count_;  // of the list's bytes in the section; blocks of postings
  std::uint64_t table_offset_;               // of the table of places, or the end of the list's bytes
  std::uint64_t tail_offset_;                // of the tail, once it is known
  std::uint64_t full_blocks_;                // blocks of distances, for lists without a table
  // The block of distances that is loaded, if any.
  bool is_loaded_ = false, is_decoded_ = false;
  std::uint64_t offset_ = 0, next_offset_ = 0, number_ = 0;  // number: for lists without a table
  std::size_t count_ = 0;                                    // distances in it
  std::size_t at_ = 0;                                       // the next one
  std::uint64_t block_ = 0, passed_ = 0;  // the block of postings that was sought, and occurrences of it before at_
  std::uint64_t left_ = 0, last_ = 0;     // of the posting: positions to come; the last one handed out
  bool is_first_ = true;                  // none is handed out
  alignas(16) std::uint32_t distances_[kDistanceBlock];
  std::uint32_t positions_[kDistanceBlock];
};

}  // namespace spillway
