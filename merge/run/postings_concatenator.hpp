// Concatenates the fragments of each term's list, in document order, into entries of term blocks without decoding them:
// only the first gap of a fragment is written anew. If two neighbours share a border document (one that was cut between
// chunks or runs), its frequencies are added; with positions, its posting stays cut, between two entries. Used by the
// block sorters, whose fragments are the lists of chunks, and by merges of runs.
//
// Time: O(fragments) to decode and O(bytes) to copy. Memory: one block, and the fragments that had to be rewritten.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "io/run/term_block_builder.hpp"
#include "io/run/writer.hpp"
#include "merge/run/concatenated_entry.hpp"
#include "merge/run/positioned_fragment.hpp"

namespace spillway {

// Writes lists, in term order, into term blocks and hands out every block that is full. Not thread-safe.
class PostingsConcatenator {
 public:
  using TakeBlock = std::function<void(TermBlock&&)>;
  // Sees every entry as it stands in its block; the views live for the call.
  using SeeEntry = std::function<void(const RunEntry&)>;
  PostingsConcatenator(std::size_t block_bytes, bool has_positions, TakeBlock take_block, SeeEntry see_entry = {});

  // Writes a list, or more of the last term's list. May change `fragments`. A list that does not fit a block becomes
  // several entries. Requires at least one fragment, and documents that ascend from fragment to fragment, except border
  // documents. Throws FormatError for malformed bytes, as far as it reads: of most lists only the first gaps. Without
  // positions, a later call for the same term must not begin with the last document of the call before.
  void write(std::string_view term, std::vector<ListFragment>& fragments);
  // The same for a whole list that is one fragment, with base 0 and without positions; faster.
  void write_whole(std::string_view term, const ListFragment& fragment);
  // Writes a whole list as one entry. Returns false, and writes nothing, if it might not fit the block.
  bool write(std::string_view term, const ConcatenatedEntry& entry);
  // Hands out the last block.
  void finish();

 private:
  bool fits(std::string_view term, const ConcatenatedEntry& entry) const;
  void put(std::string_view term, const ConcatenatedEntry& entry);
  bool concatenate(std::span<const ListFragment> fragments);
  void write_split(std::string_view term, std::vector<ListFragment>& fragments);
  void add_border_frequencies(std::vector<ListFragment>& fragments);
  void write_entry(std::string_view term, std::span<const ListFragment> fragments);
  void add_positioned(std::string_view term, PositionedFragment fragment);
  void write_positioned_entry(std::string_view term);
  void end_block();
  TermBlockBuilder builder_;
  bool has_positions_;
  TakeBlock take_block_;
  SeeEntry see_entry_;
  std::deque<std::vector<std::uint8_t>> rewritten_;  // the bytes of fragments that had to be changed
  ConcatenatedEntry concatenated_;
  std::vector<ListFragment> whole_;
  // With positions: the fragments of the entry that is being collected, and their bytes at most.
  std::vector<PositionedFragment> entry_;
  std::size_t entry_bytes_ = 0;
};

}  // namespace spillway
