// From the numbers of an index's documents back to those of its source, where the dropped documents stand as holes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace spillway {

// A bitmap of the source up to the last dropped document, with counts for every 512 documents: at most 1 bit and a
// sixteenth a document, whatever is dropped. Immutable after seal(), and thread-safe then.
class SourceNumbering {
 public:
  SourceNumbering() { seal(); }  // nothing is dropped
  explicit SourceNumbering(std::span<const std::uint32_t> dropped) {
    for (const std::uint32_t document : dropped) drop(document);
    seal();
  }
  static std::size_t memory_bytes(std::uint64_t source_documents) {
    return static_cast<std::size_t>(source_documents / 8 + source_documents / 128 + 64);
  }

  // Before the first drop(): makes room for a source of so many documents at once.
  void reserve(std::uint64_t source_documents) {
    words_.reserve(static_cast<std::size_t>(source_documents / 64 + 1));
    dropped_before_.reserve(static_cast<std::size_t>(source_documents / kBlock + 2));
  }
  // `document` of the source, above those before.
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

  // The same for documents that ascend: mostly one comparison each.
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

  // The last block is what lies behind the bitmap (and the rest of its last 512 documents).
  std::size_t block_count() const { return dropped_before_.size(); }
  std::uint64_t begin_of(std::size_t block) const { return std::min(block * kBlock, words_.size() * 64); }
  std::uint64_t kept_before(std::size_t block) const { return begin_of(block) - dropped_before_[block]; }

  // The last block, from `least` on, that begins at or before kept document `document`.
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
    std::uint64_t left = document - kept_before(block);  // kept documents to pass
    std::size_t word = block * kWordsPerBlock;
    for (; left >= static_cast<std::uint64_t>(std::popcount(~words_[word])); ++word) {
      left -= static_cast<std::uint64_t>(std::popcount(~words_[word]));
    }
    std::uint64_t kept = ~words_[word];
    for (; left != 0; --left) kept &= kept - 1;
    return static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(kept)));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> dropped_before_;  // each block, and behind the last
  std::uint32_t count_ = 0;
};

}  // namespace spillway
