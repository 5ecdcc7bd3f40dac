// Parts of a list as nearly all lists are joined of them: into one entry, where no two share a border document. All but
// the first gap of each is only copied. PostingsConcatenator (merge/run/postings_concatenator.hpp) writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/base/varint.hpp"
#include "io/format/run.hpp"

namespace spillway {

// Holds views of the parts' bytes. Not thread-safe.
class JoinedEntry {
 public:
  // A part behind its first gap, which is counted from the part before.
  struct Joint {
    std::uint64_t first_word = 0;  // as it is written: the gap and its flag bit
    std::span<const std::uint8_t> postings, positions;
  };

  void clear() {
    count_ = part_bytes_ = posting_bytes_ = position_bytes_ = 0;
    head_ = {};
  }

  // False, and the entry is of no use, where the part does not begin behind the last document of the one before.
  bool add(const ListFragment& part) {
    const std::uint8_t* at = part.postings.data();
    const std::uint8_t* const end = at + part.postings.size();
    std::uint64_t word = 0;
    if (!read_varint(&at, end, &word)) return false;
    const std::uint64_t first = part.base + (word >> 1);
    if (first > part.last_document || (count_ != 0 && first <= head_.last_document)) return false;
    if (count_ == joints_.size()) joints_.resize(2 * count_ + kLeastJoints);
    Joint& joint = joints_[count_++];
    joint = {(first - head_.last_document) << 1 | (word & 1), {at, end}, part.positions};
    posting_bytes_ += varint_bytes(joint.first_word) + joint.postings.size();
    position_bytes_ += part.positions.size();
    part_bytes_ += part.postings.size() + part.positions.size();
    head_.document_count += part.document_count;
    head_.occurrence_count += part.occurrence_count;
    head_.last_document = part.last_document;
    return true;
  }

  std::span<const Joint> joints() const { return {joints_.data(), count_}; }
  const RunEntry& head() const { return head_; }          // of all parts: the counts and the last document
  std::size_t part_bytes() const { return part_bytes_; }  // as they came
  // As they are written.
  std::size_t posting_bytes() const { return posting_bytes_; }
  std::size_t position_bytes() const { return position_bytes_; }

 private:
  static constexpr std::size_t kLeastJoints = 32;
  std::vector<Joint> joints_;  // the first count_ of them
  std::size_t count_ = 0, part_bytes_ = 0, posting_bytes_ = 0, position_bytes_ = 0;
  RunEntry head_;
};

}  // namespace spillway
