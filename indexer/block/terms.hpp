// Terms of a block, unified (design, decision 1): the strings of all chunk tables, ordered; equal strings are one term.
// They are found equal by hashing inside the block (indexer/block/term_groups.hpp), so that only distinct ones are
// sorted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/block/block.hpp"
#include "indexer/block/term_groups.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Lives no longer than its block.
class BlockTerms {
 public:
  // Sorts each distinct string once, in parallel inside the calling thread's TBB arena. Pays the order and what making
  // it takes (freed again) from the budget.
  BlockTerms(const Block& block, const StringSorter& sorter, MemoryBudget& budget);
  // What that takes at most for `count` strings.
  static std::size_t memory_bytes(std::size_t count, const StringSorter& sorter);

  std::size_t size() const { return places_.size(); }  // strings, not distinct terms
  // The i-th string in order, and which chunk and which of its terms it is.
  std::string_view text(std::size_t i) const { return chunks_[chunk(i)].terms().term_text(term(i)); }
  std::uint32_t chunk(std::size_t i) const { return static_cast<std::uint32_t>(places_[i] >> 32); }
  std::uint32_t term(std::size_t i) const { return static_cast<std::uint32_t>(places_[i]) & ~kStarts; }
  // Is the i-th string the first of its term?
  bool starts_term(std::size_t i) const { return (places_[i] & kStarts) != 0; }
  // Ranges [ranges[j], ranges[j+1]) of the order that begin and end between terms, of about `strings` strings.
  std::vector<std::size_t> ranges(std::size_t strings) const;

  // Index of a chunk's first string among all, for tables by (chunk, term).
  std::size_t first_string(std::size_t chunk) const { return first_string_[chunk]; }

 private:
  static constexpr std::uint32_t kStarts = 0x80000000;
  void set_places(const TermGroups& groups, std::span<const std::uint32_t> order, MemoryBudget& budget);
  std::span<const ParsedChunk> chunks_;
  Buffer places_memory_;
  std::span<std::uint64_t> places_;          // chunk, kStarts and the term in the chunk
  std::vector<std::uint32_t> first_string_;  // by chunk, and behind the last one
};

}  // namespace spillway
