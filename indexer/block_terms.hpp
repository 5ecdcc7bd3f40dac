// Terms of a block, unified by sorting (design, decision 1): the strings of all chunk tables, ordered; equal strings
// are one term.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "indexer/block.hpp"
#include "sort/string_sorter.hpp"

namespace spillway {

// Lives no longer than its block.
class BlockTerms {
 public:
  // Sorts in parallel inside the calling thread's TBB arena. Pays refs, order and scratch (freed again) from the
  // budget.
  BlockTerms(const Block& block, const StringSorter& sorter, MemoryBudget& budget);
  // What that takes at most for `count` strings.
  static std::size_t memory_bytes(std::size_t count, const StringSorter& sorter);

  std::size_t size() const { return order_.size(); }  // strings, not distinct terms
  // The i-th string in order, and which chunk and which of its terms it is.
  const StringRef& text(std::size_t i) const { return refs_[order_[i]]; }
  std::uint32_t chunk(std::size_t i) const { return refs_[order_[i]].payload; }
  std::uint32_t term(std::size_t i) const { return order_[i] - first_ref_[chunk(i)]; }
  // For walks in order, whose strings lie all over the chunks: asks for what is known of the i-th string, then (once
  // that is here) for its bytes.
  void prefetch_ref(std::size_t i) const { __builtin_prefetch(&refs_[order_[i]]); }
  void prefetch_text(std::size_t i) const { __builtin_prefetch(text(i).data); }
  // Is the i-th string the first of its term?
  bool starts_term(std::size_t i) const;
  // Ranges [ranges[j], ranges[j+1]) of the order that begin and end between terms, of about `strings` strings.
  std::vector<std::size_t> ranges(std::size_t strings) const;

  // Index of a chunk's first string among all, for tables by (chunk, term).
  std::size_t first_string(std::size_t chunk) const { return first_ref_[chunk]; }

 private:
  Buffer refs_memory_, order_memory_;
  std::span<StringRef> refs_;
  std::span<std::uint32_t> order_;
  std::vector<std::uint32_t> first_ref_;  // by chunk
};

}  // namespace spillway
