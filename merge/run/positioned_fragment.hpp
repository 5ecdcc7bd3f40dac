// A part of a list whose first posting is taken off, so that it can be written anew without touching the bytes behind
// it: how lists with positions are joined, and cut at any position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/format/run.hpp"

namespace spillway {

// A list part with positions, at least one posting. Throws FormatError for malformed bytes, and for counts that they do
// not hold as far as they are read.
class PositionedFragment {
 public:
  explicit PositionedFragment(const ListFragment& part);

  std::uint32_t first_document() const { return first_document_; }
  std::uint32_t last_document() const { return part_.last_document; }
  std::uint32_t document_count() const { return part_.document_count; }
  std::uint64_t occurrence_count() const { return part_.occurrence_count; }
  bool empty() const { return part_.document_count == 0; }
  // Bytes in an entry, at most.
  std::size_t max_bytes() const { return kMaxHeadBytes + part_.postings.size() + part_.positions.size(); }

  // Cuts off the longest head of at most `bytes` max_bytes() (at least one position); this keeps the tail, which may be
  // empty. The posting at the cut is cut too where its positions alone are too many.
  PositionedFragment split_head(std::size_t bytes);

  // The first posting, with its gap from `previous`, as an entry stores it, and its first distance. Each at most
  // kMaxHeadBytes. Return the end.
  std::uint8_t* write_first_posting(std::uint8_t* to, std::uint32_t previous) const;
  std::uint8_t* write_first_distance(std::uint8_t* to) const;
  // What is behind them.
  std::span<const std::uint8_t> postings() const { return part_.postings; }
  std::span<const std::uint8_t> positions() const { return part_.positions; }

  static constexpr std::size_t kMaxHeadBytes = 5 + 5 + 5;  // gap, frequency, distance

 private:
  void take_first();
  PositionedFragment split_first(std::size_t budget);
  void drop_head(PositionedFragment& head, std::span<const std::uint8_t> postings,
                 std::span<const std::uint8_t> positions, std::uint64_t last_document);
  ListFragment part_;  // its spans: behind the first posting and the first distance; its base is the first document
  std::uint32_t first_document_ = 0;
  std::uint64_t first_frequency_ = 0;
  std::uint64_t first_position_ = 0;
};

}  // namespace spillway
