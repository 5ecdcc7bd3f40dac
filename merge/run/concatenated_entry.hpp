// Fragments of a list that become one entry: nearly every list is concatenated like this, because its fragments share
// no border document. Only the first gap of each fragment is written anew, all other bytes are copied.
// PostingsConcatenator writes the entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/base/bytes.hpp"
#include "io/base/varint.hpp"
#include "io/format/run.hpp"

namespace spillway {

// Holds views of the fragments' bytes. Not thread-safe.
class ConcatenatedEntry {
 public:
  void clear() {
    count_ = fragment_bytes_ = posting_bytes_ = position_bytes_ = 0;
    head_ = {};
  }

  // O(1). Returns false if the fragment does not begin after the last document of the one before, or is malformed. Then
  // the entry must be cleared.
  bool add(const ListFragment& fragment) {
    const std::uint8_t* at = fragment.postings.data();
    const std::uint8_t* const end = at + fragment.postings.size();
    std::uint64_t word = 0;
    if (!read_varint(&at, end, &word)) return false;
    const std::uint64_t first = fragment.base + (word >> 1);
    if (first > fragment.last_document || (count_ != 0 && first <= head_.last_document)) return false;
    if (count_ == tails_.size()) tails_.resize(2 * count_ + kLeastTails);
    Tail& tail = tails_[count_++];
    tail = {(first - head_.last_document) << 1 | (word & 1), {at, end}, fragment.positions};
    posting_bytes_ += varint_bytes(tail.first_word) + tail.postings.size();
    position_bytes_ += fragment.positions.size();
    fragment_bytes_ += fragment.postings.size() + fragment.positions.size();
    head_.document_count += fragment.document_count;
    head_.occurrence_count += fragment.occurrence_count;
    head_.last_document = fragment.last_document;
    return true;
  }

  std::size_t count() const { return count_; }                    // of fragments
  std::size_t fragment_bytes() const { return fragment_bytes_; }  // as they were added
  const RunEntry& head() const { return head_; }                  // the counts and the last document of the entry
  std::size_t posting_bytes() const { return posting_bytes_; }
  std::size_t position_bytes() const { return position_bytes_; }

  // Writes posting_bytes() of postings, then position_bytes() of positions.
  void write(std::uint8_t* to) const {
    const std::span<const Tail> tails(tails_.data(), count_);
    for (const Tail& tail : tails) to = copy_bytes(tail.postings, write_varint(to, tail.first_word));
    if (position_bytes_ == 0) return;
    for (const Tail& tail : tails) to = copy_bytes(tail.positions, to);
  }

 private:
  // A fragment without its first gap, which counts from the last document of the fragment before.
  struct Tail {
    std::uint64_t first_word = 0;  // that gap and its flag bit
    std::span<const std::uint8_t> postings, positions;
  };
  static constexpr std::size_t kLeastTails = 32;
  std::vector<Tail> tails_;  // the first count_ are in use
  std::size_t count_ = 0, fragment_bytes_ = 0, posting_bytes_ = 0, position_bytes_ = 0;
  RunEntry head_;
};

}  // namespace spillway
