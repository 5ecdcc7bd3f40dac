// Reads the positions of chosen postings of one list, for matching phrases.
#pragma once

#include <cstdint>
#include <span>

#include "io/format/index_types.hpp"
#include "io/index/postings_cursor.hpp"
#include "io/index/reader.hpp"
#include "io/postings/position_encoder.hpp"

namespace spillway {

class SectionReader;

// Finds a posting through the table of places and the frequencies of its block of postings; between two postings it
// reads only block heads. Forward steps inside a block of postings decode nothing twice. Holds two blocks of 128
// numbers, whatever the size of the list. Not thread-safe. The index outlives the cursor.
class PositionCursor {
 public:
  // Throws UsageError for an index without positions.
  PositionCursor(const IndexReader& index, const TermEntry& entry);

  // Moves to posting `i` of the current block of `postings`, a cursor over the same list. In any order.
  void seek(const PostingsCursor& postings, std::size_t i) { seek(postings.block(), postings.frequencies(), i); }
  // The same, given the number of the block and all its frequencies.
  void seek(std::uint64_t block, std::span<const std::uint32_t> frequencies, std::size_t i);

  // Returns the next positions of the posting, at most 128, strictly ascending over all calls; empty after the last
  // one. Views live until the next call. Throws FormatError.
  std::span<const std::uint32_t> next();

  // The place of the next position in the list's bytes.
  PositionPlace place() const;
  // The place of a block of postings according to the table.
  PositionPlace place_of(std::uint64_t block) const;
  // Returns whether all positions of the list are read.
  bool at_end() const;

 private:
  void load(std::uint64_t offset);
  void load_tail();
  void skip(std::uint64_t count);
  const std::uint8_t* bytes(std::uint64_t offset, std::uint64_t count) const;
  [[noreturn]] void fail(std::uint64_t offset, std::string_view expected, std::string_view found) const;

  const SectionReader& lists_;               // the part that holds the list
  std::uint64_t list_offset_, block_count_;  // offset of the list in the section; blocks of postings
  std::uint64_t table_offset_;               // of the table of places, or the end of the list's bytes
  std::uint64_t tail_offset_;                // of the tail, once known
  std::uint64_t full_blocks_;                // full blocks of distances, for lists without a table
  // The loaded block of distances, if any.
  bool is_loaded_ = false, is_decoded_ = false;
  std::uint64_t offset_ = 0, next_offset_ = 0, number_ = 0;  // number_ is for lists without a table
  std::size_t count_ = 0;                                    // distances in the block
  std::size_t at_ = 0;                                       // index of the next one
  std::uint64_t block_ = 0, passed_ = 0;                     // the block of postings sought; its occurrences before at_
  std::uint64_t left_ = 0, last_ = 0;                        // of the posting: positions left; last one returned
  bool is_first_ = true;                                     // none was returned yet
  alignas(16) std::uint32_t distances_[kDistanceBlock];
  std::uint32_t positions_[kDistanceBlock];
};

}  // namespace spillway
