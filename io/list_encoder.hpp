// Encodes postings lists into the index's format (blocks of 128 bit-packed gaps and frequencies, a coded tail; per
// block a bound entry), away from any file: term ranges are encoded on many threads and appended by one IndexWriter in
// order.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

inline constexpr std::size_t kPostingsBlock = 128;

// Self-contained encoded lists of consecutive terms. A list may be spread over several batches in a row: `starts` and
// `ends` say so; counts stand in the piece that ends it.
struct ListBatch {
  struct Piece {
    std::uint32_t term_bytes = 0;      // of `terms`; 0 unless it starts the list
    std::uint64_t posting_bytes = 0;   // of `postings`
    std::uint64_t bound_bytes = 0;     // of `bounds`
    std::uint64_t position_bytes = 0;  // of `positions`
    std::uint64_t document_count = 0;  // df of the whole list, in the piece that ends it
    std::uint64_t occurrence_count = 0;
    bool starts = false, ends = false;
  };
  std::vector<Piece> pieces;
  std::vector<std::uint8_t> terms, postings, bounds, positions;
  std::size_t bytes() const {
    return terms.size() + postings.size() + bounds.size() + positions.size() + pieces.size() * sizeof(Piece);
  }
};

// Not thread-safe; one per term range.
class ListEncoder {
 public:
  // length_codes[d] = length_code() of document d of the index; outlives the encoder.
  explicit ListEncoder(std::span<const std::uint8_t> length_codes);

  // begin, add..., end; the terms of one encoder ascend.
  void begin(std::string_view term);
  // Documents ascend over all calls of one list; frequencies >= 1. In the index's numbering.
  void add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  // A list to which nothing was added leaves no trace.
  void end();

  // May be asked between any two calls, also inside a list.
  std::size_t batch_bytes() const { return batch_.bytes(); }
  // Hands out what is encoded so far and starts a new batch.
  ListBatch take();

 private:
  void flush_block();
  std::span<const std::uint8_t> length_codes_;
  ListBatch batch_;
  std::vector<std::uint32_t> pending_documents_, pending_frequencies_;  // less than a block
  std::uint64_t document_count_ = 0, occurrence_count_ = 0;
  std::uint32_t previous_document_ = 0;
};

// Document lengths in one byte, rounded down: a bound that holds for every k1, b and mean length. Exact for small
// lengths, then with four significant bits or more; monotone; length_of_code(length_code(n)) <= n.
std::uint8_t length_code(std::uint32_t length);
std::uint32_t length_of_code(std::uint8_t code);

}  // namespace spillway
