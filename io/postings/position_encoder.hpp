// Encodes the positions of one list after another in the format of the `positions` section: blocks of 128 distances, a
// tail of varints and, for lists of more than one postings block, a table of places through which the positions of any
// posting are found without reading those before it. For ListEncoder.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "io/base/byte_vector.hpp"
#include "io/postings/distance_coding.hpp"

namespace spillway {

// Where the positions of a postings block begin: the offset, from the list's first byte, of the block of distances (or
// the tail) that holds the first one, and the index of that distance in the block.
struct PositionPlace {
  std::uint64_t offset = 0;
  std::uint32_t index = 0;

  static constexpr unsigned kIndexBits = 7;
  std::uint64_t pack() const { return offset << kIndexBits | index; }
  static PositionPlace unpack(std::uint64_t bits) {
    return {bits >> kIndexBits, static_cast<std::uint32_t>(bits & (kDistanceBlock - 1))};
  }
  bool operator==(const PositionPlace&) const = default;
};

// Not thread-safe. Holds 8 bytes per postings block of the open list.
class PositionEncoder {
 public:
  void begin();
  // Adds the frequencies of the next postings. Positions may run ahead of them by at most one posting.
  void add_postings(std::span<const std::uint32_t> frequencies);
  // Adds distances; appends each block that they complete to `to`.
  void add(std::span<const std::uint32_t> distances, ByteVector& to);
  // Appends the tail and the table.
  void end(std::uint64_t document_count, ByteVector& to);
  std::uint64_t count() const { return count_; }  // distances added

 private:
  void encode_block(const std::uint32_t* distances, ByteVector& to);
  void place_blocks();
  std::uint64_t count_ = 0, block_count_ = 0;  // distances added; blocks encoded
  std::uint64_t bytes_ = 0;                    // size of the blocks encoded
  std::uint64_t posting_count_ = 0, occurrence_count_ = 0;
  // For each full postings block, where its successor's positions begin: packed places before index placed_, numbers of
  // occurrences from there on.
  std::vector<std::uint64_t> places_;
  std::size_t placed_ = 0;
  std::array<std::uint32_t, kDistanceBlock> pending_{};
};

}  // namespace spillway
