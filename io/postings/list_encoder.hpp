// Encodes postings lists into the index's format (blocks of 128 bit-packed gaps and frequencies, a coded tail; per
// block a bound entry; positions, if they are kept), away from any file: term ranges are encoded on many threads and
// appended by one IndexWriter in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/format/index.hpp"
#include "io/postings/position_encoder.hpp"
#include "io/postings/unpacked_block.hpp"

namespace spillway {

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
  void clear() {
    pieces.clear();
    for (auto* bytes : {&terms, &postings, &bounds, &positions}) bytes->clear();
  }
  std::size_t bytes() const {
    return terms.size() + postings.size() + bounds.size() + positions.size() + pieces.size() * sizeof(Piece);
  }
  // With the room behind them.
  std::size_t held_bytes() const {
    return terms.capacity() + postings.capacity() + bounds.capacity() + positions.capacity() +
           pieces.capacity() * sizeof(Piece);
  }
};

// Not thread-safe; one per term range.
class ListEncoder {
 public:
  // length_codes[d] = length_code() of document d of the index; outlives the encoder.
  explicit ListEncoder(std::span<const std::uint8_t> length_codes, Positions positions = Positions::kNone);

  // begin, add..., end; the terms of one encoder ascend.
  void begin(std::string_view term);
  // Documents ascend over all calls of one list; frequencies >= 1. In the index's numbering. Documents that do not
  // ascend or have no length code throw std::logic_error.
  void add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  // The next positions of the list, if they are kept: for each posting in order, frequency distances to the position
  // before in the same document (to 0 for the first). They may run ahead of add() by one posting.
  void add_positions(std::span<const std::uint32_t> distances);
  std::uint64_t occurrence_count() const { return occurrence_count_; }  // of the list that was begun, so far
  // A list to which nothing was added leaves no trace. As many positions as occurrences, else std::logic_error.
  void end();

  // May be asked between any two calls, also inside a list.
  std::size_t batch_bytes() const { return batch_.bytes(); }
  // Hands out what is encoded so far and starts a new batch, in the memory of `used`.
  ListBatch take(ListBatch&& used = {});

 private:
  struct Packing {
    unsigned document_bits, frequency_bits;
  };
  ListBatch::Piece& piece();
  void keep(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  void encode_block(const std::uint32_t* documents, const std::uint32_t* frequencies);
  Packing append_block(const UnpackedBlock& block, std::uint32_t last_document);
  void encode_single_block();
  void encode_tail();
  void append_bound(std::span<const std::uint32_t> documents, std::uint32_t most, Packing bits);
  void check_documents(std::uint32_t gap_bits, std::uint32_t last_document) const;
  void end_positions(std::uint64_t document_count);

  std::span<const std::uint8_t> length_codes_;
  Positions positions_;
  PositionEncoder position_encoder_;
  ListBatch batch_;
  std::string term_;
  bool started_ = false;     // a piece of this list was already begun, in this batch or an earlier one
  bool piece_open_ = false;  // the last piece of the batch is of this list
  // At most one block: a full one waits until it is known whether it is the whole list.
  std::size_t pending_count_ = 0;
  std::array<std::uint32_t, kPostingsBlock> pending_documents_{}, pending_frequencies_{};
  std::uint64_t encoded_count_ = 0, occurrence_count_ = 0;  // occurrences: of what was added
  std::uint32_t next_document_ = 0;                         // the last encoded document + 1
};

// Document lengths in one byte, rounded down: a bound that holds for every k1, b and mean length. Exact below 32, then
// with four significant bits; monotone; length_of_code(length_code(n)) <= n.
std::uint8_t length_code(std::uint32_t length);
std::uint32_t length_of_code(std::uint8_t code);

// Frequencies on the same scale, rounded up: frequency_of_code(frequency_code(n)) >= n.
std::uint8_t frequency_code(std::uint32_t frequency);
std::uint32_t frequency_of_code(std::uint8_t code);

}  // namespace spillway
