// A list fragment whose first posting and first position are decoded, so that they can be written anew while all other
// bytes are copied. Lists with positions are concatenated like this where postings are cut, and can be cut at any
// position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/format/run.hpp"

namespace spillway {

// Has positions and at least one posting. Throws FormatError for malformed bytes and wrong counts, as far as it reads.
class PositionedFragment {
 public:
  explicit PositionedFragment(const ListFragment& fragment);

  std::uint32_t first_document() const { return first_document_; }
  std::uint32_t last_document() const { return tail_.last_document; }
  std::uint32_t document_count() const { return tail_.document_count; }
  std::uint64_t occurrence_count() const { return tail_.occurrence_count; }
  bool empty() const { return tail_.document_count == 0; }
  // Bytes in an entry, at most.
  std::size_t max_bytes() const { return kMaxHeadBytes + tail_.postings.size() + tail_.positions.size(); }

  // Cuts off and returns the longest head of at most `bytes` max_bytes() (at least one position); this keeps the tail,
  // which may be empty. Cuts inside the first posting if its positions alone take more. O(postings of the head).
  PositionedFragment split_head(std::size_t bytes);

  // Return the bytes that the fragment takes in an entry. `previous`: the entry's last document before the fragment.
  std::size_t posting_bytes(std::uint32_t previous) const;
  std::size_t position_bytes() const;
  // Return the end of what they write.
  std::uint8_t* write_postings(std::uint8_t* to, std::uint32_t previous) const;
  std::uint8_t* write_positions(std::uint8_t* to) const;

  static constexpr std::size_t kMaxHeadBytes = 5 + 5 + 5;  // gap, frequency, distance

 private:
  void take_first();
  PositionedFragment split_first(std::size_t budget);
  void drop_head(PositionedFragment& head, std::span<const std::uint8_t> postings,
                 std::span<const std::uint8_t> positions, std::uint64_t last_document);
  std::uint64_t first_word(std::uint32_t previous) const;
  // Its spans begin after the first posting and the first position; its base is the first document. Its counts include
  // them.
  ListFragment tail_;
  std::uint32_t first_document_ = 0;
  std::uint64_t first_frequency_ = 0;
  std::uint64_t first_position_ = 0;
};

}  // namespace spillway
