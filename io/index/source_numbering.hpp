// Maps the numbers of an index's documents to those of its source, in which dropped documents are holes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// A bitmap of the source up to the last dropped document, with a count per 512 documents: at most 1 1/16 bits per
// document. to_source() takes O(log n), Ascending O(1) per document on average. Immutable and thread-safe after seal().
class SourceNumbering {
 public:
  SourceNumbering() { seal(); }  // no dropped documents
  explicit SourceNumbering(std::span<const std::uint32_t> dropped) {
    for (const std::uint32_t document : dropped) drop(document);
    seal();
  }
  static std::size_t memory_bytes(std::uint64_t source_documents) {
    return static_cast<std::size_t>(source_documents / 8 + source_documents / 128 + 64);
  }

  // Allocates for a source of that many documents at once. Requires: drop() was not called yet.
  void reserve(std::uint64_t source_documents) {
    words_.reserve(static_cast<std::size_t>(source_documents / 64 + 1));
    dropped_before_.reserve(static_cast<std::size_t>(source_documents / kBlock + 2));
  }
  // Requires: `document`, numbered as in the source, is above all earlier ones.
  void drop(std::uint32_t document) {
    words_.resize(document / 64 + 1);
    words_.back() |= std::uint64_t{1} << document % 64;
    ++count_;
  }
  void seal() {
    dropped_before_.clear();
    std::uint32_t before = 0;
    for (std::size_t word = 0; word < words_.size(); ++word) {
      if (word % kWordsPerBlock == 0) dropped_before_.push_back(before);
      before += static_cast<std::uint32_t>(std::popcount(words_[word]));
    }
    dropped_before_.push_back(before);
  }

  std::uint32_t dropped_count() const { return count_; }
  bool is_dropped(std::uint64_t source_document) const {
    return source_document / 64 < words_.size() && (words_[source_document / 64] >> source_document % 64 & 1) != 0;
  }
  std::uint32_t to_source(std::uint32_t document) const { return find(document, block_of(document, 0)); }

  // to_source() for ascending documents: usually one comparison each.
  class Ascending {
   public:
    explicit Ascending(const SourceNumbering& numbering) : numbering_(numbering) {}
    std::uint32_t to_source(std::uint32_t document) {
      if (numbering_.count_ == 0) return document;
      if (block_ + 1 < numbering_.block_count() && numbering_.kept_before(block_ + 1) <= document) {
        block_ = numbering_.block_of(document, block_ + 1);
      }
      return numbering_.find(document, block_);
    }

   private:
    const SourceNumbering& numbering_;
    std::size_t block_ = 0;
  };

 private:
  static constexpr std::size_t kBlock = 512, kWordsPerBlock = kBlock / 64;

  // The last block is the range after the bitmap, including the rest of the bitmap's last 512 documents.
  std::size_t block_count() const { return dropped_before_.size(); }
  std::uint64_t begin_of(std::size_t block) const { return std::min(block * kBlock, words_.size() * 64); }
  std::uint64_t kept_before(std::size_t block) const { return begin_of(block) - dropped_before_[block]; }

  // Returns the last block, from `least` on, that begins at or before the kept document `document`.
  std::size_t block_of(std::uint32_t document, std::size_t least) const {
    std::size_t low = least, high = block_count();
    while (low + 1 < high) {
      const std::size_t middle = low + (high - low) / 2;
      (kept_before(middle) <= document ? low : high) = middle;
    }
    return low;
  }

  std::uint32_t find(std::uint32_t document, std::size_t block) const {
    const bool whole = block + 1 == block_count() || dropped_before_[block] == dropped_before_[block + 1];
    if (whole) return document + dropped_before_[block];
    std::uint64_t left = document - kept_before(block);  // kept documents to skip
    std::size_t word = block * kWordsPerBlock;
    for (; left >= static_cast<std::uint64_t>(std::popcount(~words_[word])); ++word) {
      left -= static_cast<std::uint64_t>(std::popcount(~words_[word]));
    }
    std::uint64_t kept = ~words_[word];
    for (; left != 0; --left) kept &= kept - 1;
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(kept)));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> dropped_before_;  // for each block, and for the end
  std::uint32_t count_ = 0;
};

}  // namespace spillway
