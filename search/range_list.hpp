// One list as BlockMaxRanker sees it. The documents of an index are cut into ranges of equal size, and the list knows
// for each range how much it adds to a score at most, before any posting of the range is decoded. Loading a range fills
// one byte per document; frequencies are decoded only for the blocks that are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/index/list_blocks.hpp"
#include "search/bm25.hpp"
#include "search/ranker.hpp"

namespace spillway {

// Ranges of 2^bits documents, 6 <= bits <= 16.
struct RangeGrid {
  unsigned bits = 10;
  std::uint32_t documents = 0;
  std::size_t size() const { return (std::size_t{documents} + (std::size_t{1} << bits) - 1) >> bits; }
  std::size_t range_documents() const { return std::size_t{1} << bits; }
};

// Not thread-safe. The index, the formula and the work must outlive the list.
class RangeList {
 public:
  struct Context {
    const IndexReader& index;
    const Bm25& bm25;
    RangeGrid grid;
    SearchWork& work;
  };
  // Reads the bounds of the list. Decodes the documents of a sparse list (up to kSparse postings per range), so that
  // ranges without any of them are known. Time O(blocks + ranges), plus O(postings) for a sparse list. Throws
  // FormatError.
  RangeList(const Context& context, const TermEntry& entry);
  // The list of a phrase, which is in no index. Requires: ascending documents; frequencies >= 1.
  RangeList(const Context& context, std::vector<std::uint32_t> documents, std::vector<std::uint32_t> frequencies);

  std::uint64_t document_count() const { return document_count_; }
  // By range: at least Bm25::term_score(1, ...) of each of its postings; 0 if it has none.
  std::span<const float> bounds() const { return bounds_; }

  // By range: the code of a frequency that no posting of the range exceeds; 0 if it has none.
  std::span<const std::uint8_t> frequency_codes() const { return frequency_codes_; }

  // Loads a range. The functions below refer to it and take documents as places in it.
  void load(std::size_t range);
  bool has(std::size_t place) const { return in_block_[place] != 0; }
  // The places of all postings, ascending.
  std::span<const std::uint32_t> places() const { return {places_.data(), place_count_}; }
  // Requires: has(place).
  std::uint32_t frequency(std::size_t place);

  static constexpr std::uint64_t kSparse = 8;  // postings per range
  // Lists of up to this many documents are bounded by the length of each document instead of those of blocks.
  static constexpr std::uint64_t kByLength = std::uint64_t{1} << 14;

 private:
  struct Segment {  // the postings of one block in the loaded range
    std::size_t block;
    std::size_t last_place;  // place of its last posting in the range
    bool has_frequencies;
    std::array<std::uint32_t, kPostingsBlock> frequencies;
  };
  void bound_range(std::size_t range, std::size_t block, float bound, std::uint8_t frequency_code);
  void bound_blocks();
  void bound_documents();
  void bound_postings();
  std::size_t block_count() const { return (document_count_ + kPostingsBlock - 1) / kPostingsBlock; }
  std::span<const std::uint32_t> documents_of(std::size_t block);
  void append_segment(std::size_t block, std::size_t last_place);

  Context context_;
  std::uint64_t document_count_;
  std::optional<ListBlocks> blocks_;
  std::vector<std::uint32_t> documents_;    // all of the list, or empty
  std::vector<std::uint32_t> frequencies_;  // all of the list, or empty
  std::vector<float> bounds_;
  std::vector<std::uint32_t> first_blocks_;  // by range that has postings
  std::vector<std::uint8_t> frequency_codes_;
  std::vector<std::uint8_t> in_block_;  // by place: the number of its posting in the block, from 1; 0: no posting
  std::vector<std::uint32_t> places_;
  std::size_t place_count_ = 0;
  std::vector<Segment> segments_;
  std::size_t segment_count_ = 0;
  std::array<std::uint32_t, kPostingsBlock> block_documents_;
};

}  // namespace spillway
