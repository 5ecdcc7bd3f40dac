// Joins parts of one term's list, in document order, into entries of term blocks without decoding them: only the first
// gap of a part is written anew. Where two neighbours share a border document (a document that was cut between chunks
// or runs) its frequencies are added; with positions, its posting stays cut, at the border of two entries. Used by the
// block sorters (parts are chunks' lists) and by merges of runs.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "io/run/term_block_builder.hpp"
#include "merge/run/joined_entry.hpp"
#include "merge/run/positioned_fragment.hpp"

namespace spillway {

// Writes lists, in term order, into term blocks and hands out every block that is full. Not thread-safe.
class PostingsConcatenator {
 public:
  using TakeBlock = std::function<void(TermBlock&&)>;
  // Sees every entry as it stands in its block; the views live for the call.
  using SeeEntry = std::function<void(const RunEntry&)>;
  PostingsConcatenator(std::size_t block_bytes, bool has_positions, TakeBlock take_block, SeeEntry see_entry = {});

  // One whole list, or a further stretch of the same term's. `parts` may be changed. A list that does not fit a block
  // becomes several entries. Requires: at least one part; parts' documents ascend, but for border documents;
  // well-formed postings and positions (FormatError where what is wrong is looked at: of most lists only the first gaps
  // are). A stretch may begin with the document that the one before ended with only where there are positions.
  void write(std::string_view term, std::vector<ListFragment>& parts);
  // The same of a whole list of one part, whose base is 0, without positions: faster.
  void write_whole(std::string_view term, const ListFragment& part);
  // A whole list as one entry. False, and nothing is written, where it might not fit the block.
  bool write(std::string_view term, const JoinedEntry& entry);
  // Hands out the last block.
  void finish();

 private:
  bool write_joined(std::string_view term, std::span<const ListFragment> parts);
  void add_border_frequencies(std::vector<ListFragment>& parts);
  void write_entry(std::string_view term, std::span<const ListFragment> parts);
  void write_positioned(std::string_view term, std::span<const ListFragment> parts);
  void add_positioned(std::string_view term, PositionedFragment part);
  void write_positioned_entry(std::string_view term);
  void start_block();
  TermBlockBuilder builder_;
  bool has_positions_;
  TakeBlock take_block_;
  SeeEntry see_entry_;
  std::deque<std::vector<std::uint8_t>> rewritten_;  // parts that had to be changed
  std::vector<std::span<const std::uint8_t>> pieces_, position_pieces_;
  JoinedEntry joined_;
  std::vector<ListFragment> whole_;
  std::vector<std::uint8_t> gaps_;
  // With positions: the parts of the entry that is being collected, and their bytes at most.
  std::vector<PositionedFragment> entry_;
  std::size_t entry_bytes_ = 0;
};

}  // namespace spillway
