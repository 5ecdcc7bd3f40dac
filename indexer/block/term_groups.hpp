// The distinct terms of a block: groups the strings of all chunks by hashing, so that a sorter orders each term once,
// however many chunks have it. O(bytes of the strings), in parallel.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "indexer/block/block.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Groups are numbered in the order in which threads find them, which differs from run to run. Lives no longer than its
// block.
class TermGroups {
 public:
  // `first_string`: the number of each chunk's first string among all, then their count; it outlives the groups. Works
  // in parallel in the calling thread's TBB arena. Takes its memory from the budget.
  TermGroups(const Block& block, std::span<const std::uint32_t> first_string, MemoryBudget& budget);
  // The most bytes for `count` strings while grouping.
  static std::size_t memory_bytes(std::size_t count) { return count * (kSlotBytes + kHeldBytes); }
  // Bytes held afterwards, with `groups` groups.
  static std::size_t held_bytes(std::size_t count, std::size_t groups) {
    return count * (are_many(count, groups) ? sizeof(StringRef) : kHeldBytes);
  }

  std::size_t string_count() const { return texts_.size(); }
  // Returns the string's group.
  std::uint32_t of_string(std::size_t string) const {
    return of_string_.empty() ? texts_[string].payload : of_string_[string];
  }
  std::span<const StringRef> texts() const { return texts_.first(count_); }

 private:
  struct Table;
  static constexpr std::size_t kHeldBytes = sizeof(std::uint32_t) + sizeof(StringRef);
  static constexpr std::size_t kSlotBytes = 4 * sizeof(std::uint64_t);  // a power of two of them, half empty
  // Where more than half of the strings are groups of their own, memory is short: the payloads of texts_ then hold each
  // string's group.
  static bool are_many(std::size_t count, std::size_t groups) { return 2 * groups > count; }
  void move_to_payloads();
  void fill(Table& table, std::span<std::uint8_t> is_done);
  bool group_chunk(Table& table, std::size_t c);
  const StringRef* likely_group(Table& table, std::uint64_t hash) const;
  std::uint32_t find_or_add(Table& table, const StringRef& text, std::uint64_t hash);

  std::span<const ParsedChunk> chunks_;
  std::span<const std::uint32_t> first_string_;
  Buffer of_string_memory_, texts_memory_;
  std::span<std::uint32_t> of_string_;
  std::span<StringRef> texts_;
  std::size_t count_ = 0;
};

}  // namespace spillway
