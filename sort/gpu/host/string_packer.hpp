// Packs strings from anywhere in host memory back to back, any range of the result at a time, on all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Requires: strings and sums outlive this. Parallel inside the calling thread's TBB arena.
class StringPacker {
 public:
  static constexpr std::size_t kGroup = 4096;  // strings whose bytes are summed together
  static constexpr std::size_t sum_count(std::size_t count) { return (count + kGroup - 1) / kGroup + 1; }
  // Fills `sums`. Requires: sums.size() == sum_count(strings.size()). O(strings).
  StringPacker(std::span<const StringRef> strings, std::span<std::uint64_t> sums);

  std::uint64_t total_bytes() const { return sums_.back(); }
  // Writes bytes [from, from + to.size()) of the packed strings.
  void write_bytes(std::span<std::uint8_t> to, std::uint64_t from) const;
  // Writes the offsets of strings from, from + 1, ...; the offset of string strings.size() is total_bytes().
  void write_offsets(std::span<std::uint64_t> to, std::size_t from) const;

 private:
  std::span<const StringRef> group(std::size_t number) const;

  std::span<const StringRef> strings_;
  std::span<std::uint64_t> sums_;  // where the groups begin, and the end of the last
};

}  // namespace spillway
