// Strings anywhere in host memory written behind each other, any part of them at a time, by all threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Strings and sums outlive this. Parallel inside the calling thread's TBB arena.
class StringPacker {
 public:
  static constexpr std::size_t kBlock = 4096;  // strings whose bytes are summed together
  static constexpr std::size_t sum_count(std::size_t count) { return (count + kBlock - 1) / kBlock + 1; }
  // Fills `sums`, of sum_count(strings.size()).
  StringPacker(std::span<const StringRef> strings, std::span<std::uint64_t> sums);

  std::uint64_t total_bytes() const { return sums_.back(); }
  // Bytes [from, from + to.size()) of the packed strings.
  void write_bytes(std::span<std::uint8_t> to, std::uint64_t from) const;
  // The offsets of strings from, from + 1, ...; the one of string strings.size() is the end of all.
  void write_offsets(std::span<std::uint64_t> to, std::size_t from) const;

 private:
  std::span<const StringRef> block(std::size_t number) const;

  std::span<const StringRef> strings_;
  std::span<std::uint64_t> sums_;  // where the blocks begin, and the end of all
};

}  // namespace spillway
