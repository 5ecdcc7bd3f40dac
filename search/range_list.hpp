// One list as a pruned search sees it: the documents of an index are cut into ranges of equal size, and for each range
// the list knows what it can add to a score at most, before any posting of the range is decoded. A range is then loaded
// as a byte for each of its documents; frequencies are decoded for the blocks that are asked for only.
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

// Ranges of 2^bits documents; bits 6 to 16.
struct RangeGrid {
  unsigned bits = 10;
  std::uint32_t documents = 0;
  std::size_t size() const { return (std::size_t{documents} + (std::size_t{1} << bits) - 1) >> bits; }
  std::size_t range_documents() const { return std::size_t{1} << bits; }
};

// Not thread-safe. The index, the formula and the work live longer.
class RangeList {
 public:
  struct Context {
    const IndexReader& index;
    const Bm25& bm25;
    RangeGrid grid;
    SearchWork& work;
  };
  // Reads the list's bounds; decodes the documents of a list with less than about kSparse postings a range, so that
  // ranges without any are known. Throws FormatError.
  RangeList(const Context& context, const TermEntry& entry);
  // A list that is in no index: of a phrase. Documents ascend; frequencies >= 1.
  RangeList(const Context& context, std::vector<std::uint32_t> documents, std::vector<std::uint32_t> frequencies);

  std::uint64_t document_count() const { return document_count_; }
  // For each range: not below Bm25::term_score(1, ...) of any of its postings; 0 where it has none.
  std::span<const float> bounds() const { return bounds_; }

  // For each range: the code of a frequency that none of its postings is above; 0 where it has none.
  std::span<const std::uint8_t> frequency_codes() const { return frequency_codes_; }

  // Makes `range` the one that the functions below speak of; they take documents as places in it.
  void load(std::size_t range);
  bool has(std::size_t place) const { return in_block_[place] != 0; }
  // Where has() is true, ascending.
  std::span<const std::uint32_t> places() const { return {places_.data(), place_count_}; }
  // Requires: has(place).
  std::uint32_t frequency(std::size_t place);

  static constexpr std::uint64_t kSparse = 8;
  // Lists of so many documents are bounded by the lengths of their documents.
  static constexpr std::uint64_t kByLength = std::uint64_t{1} << 14;

 private:
  struct Segment {  // the postings of one block in the loaded range
    std::size_t block;
    std::size_t last_place;  // of its last posting in the range
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
  void decode_frequencies(Segment& segment);

  Context context_;
  std::uint64_t document_count_;
  std::optional<ListBlocks> blocks_;
  std::vector<std::uint32_t> documents_;    // all of them, or none
  std::vector<std::uint32_t> frequencies_;  // likewise
  std::vector<float> bounds_;
  std::vector<std::uint32_t> first_blocks_;  // of each range that has postings
  std::vector<std::uint8_t> frequency_codes_;
  std::vector<std::uint8_t> in_block_;  // for each place, the posting's number in its block, from 1; 0: none
  std::vector<std::uint32_t> places_;
  std::size_t place_count_ = 0;
  std::vector<Segment> segments_;
  std::size_t segment_count_ = 0;
  std::array<std::uint32_t, kPostingsBlock> block_documents_;
};

}  // namespace spillway
