// The unified terms of a block: the strings of all chunks in order; equal strings are one term. Hashing groups equal
// strings first (indexer/block/term_groups.hpp), so that only d distinct ones are sorted: O(s + d log d) comparisons
// for s strings.
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
  // Works in parallel in the calling thread's TBB arena. Takes the order, and scratch that is freed again, from the
  // budget.
  BlockTerms(const Block& block, const StringSorter& sorter, MemoryBudget& budget);
  // The most bytes for `count` strings, scratch included.
  static std::size_t memory_bytes(std::size_t count, const StringSorter& sorter);

  std::size_t size() const { return places_.size(); }  // strings, not distinct terms
  // The i-th string in order, its chunk, and its number among the chunk's terms.
  std::string_view text(std::size_t i) const { return chunks_[chunk(i)].terms().term_text(term(i)); }
  std::uint32_t chunk(std::size_t i) const { return static_cast<std::uint32_t>(places_[i] >> 32); }
  std::uint32_t term(std::size_t i) const { return static_cast<std::uint32_t>(places_[i]) & ~kStarts; }
  // Whether the i-th string is the first of its term.
  bool starts_term(std::size_t i) const { return (places_[i] & kStarts) != 0; }
  // Returns borders of ranges of about `strings` strings, which begin and end between terms.
  std::vector<std::size_t> ranges(std::size_t strings) const;

  // The number of a chunk's first string among all, for tables by (chunk, term).
  std::size_t first_string(std::size_t chunk) const { return first_string_[chunk]; }

 private:
  static constexpr std::uint32_t kStarts = 0x80000000;
  void set_places(const TermGroups& groups, std::span<const std::uint32_t> order, MemoryBudget& budget);
  std::span<const ParsedChunk> chunks_;
  Buffer places_memory_;
  std::span<std::uint64_t> places_;          // chunk, kStarts and the term in the chunk
  std::vector<std::uint32_t> first_string_;  // by chunk, then the count of all
};

}  // namespace spillway
