// Joins parts of one term's list, in document order, into entries of term blocks without decoding them: only the first
// gap of a part is written anew. Where two neighbours share a border document (a document that was cut between chunks
// or runs) its frequencies are added. Used by the block sorters (parts are chunks' lists) and by merges of runs.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "io/run_writer.hpp"

namespace spillway {

// Postings in the run's format (io/run_format.hpp) whose first gap counts from `base`. The bytes outlive the call they
// are given to.
struct ListPart {
  std::span<const std::uint8_t> postings;
  std::uint32_t document_count = 0;
  std::uint64_t occurrence_count = 0;
  std::uint32_t base = 0;
  std::uint32_t last_document = 0;  // in the same numbering as base + first gap
};

// Writes lists, in term order, into term blocks and hands out every block that is full. Not thread-safe.
class ListJoiner {
 public:
  using TakeBlock = std::function<void(TermBlock&&)>;
  // Sees every entry as it stands in its block; the views live for the call.
  using SeeEntry = std::function<void(const TermPiece&)>;
  ListJoiner(std::size_t block_bytes, bool has_positions, TakeBlock take_block, SeeEntry see_entry = {});

  // One whole list, or a further stretch of the same term's. `parts` may be changed. A list that does not fit a block
  // becomes several entries. Requires: parts' documents ascend, but for border documents; well-formed postings
  // (FormatError else).
  void write(std::string_view term, std::vector<ListPart>& parts);
  // Hands out the last block.
  void finish();

 private:
  void add_border_frequencies(std::vector<ListPart>& parts);
  void write_entry(std::string_view term, std::span<const ListPart> parts);
  void start_block();
  TermBlockBuilder builder_;
  TakeBlock take_block_;
  SeeEntry see_entry_;
  std::deque<std::vector<std::uint8_t>> rewritten_;  // parts that had to be changed
  std::vector<std::span<const std::uint8_t>> pieces_;
  std::vector<std::uint8_t> gaps_;
};

}  // namespace spillway
