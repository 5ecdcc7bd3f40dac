// Encodes postings lists into the index's format, in memory: blocks of 128 bit-packed gaps and frequencies, a coded
// tail, one bound entry per block and, if stored, positions. Many threads encode term ranges; one IndexWriter appends
// them in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/byte_vector.hpp"
#include "io/format/index.hpp"
#include "io/postings/position_encoder.hpp"
#include "io/postings/rounded_codes.hpp"
#include "io/postings/unpacked_block.hpp"

namespace spillway {

// Self-contained encoded lists of consecutive terms. A list may span several consecutive batches: `starts` and `ends`
// mark its first and last entry, and the last one holds its counts.
struct ListBatch {
  struct Entry {
    std::uint32_t term_bytes = 0;      // in `terms`; 0 unless the entry starts the list
    std::uint64_t posting_bytes = 0;   // in `postings`
    std::uint64_t bound_bytes = 0;     // in `bounds`
    std::uint64_t position_bytes = 0;  // in `positions`
    std::uint64_t document_count = 0;  // df of the whole list, in its last entry
    std::uint64_t occurrence_count = 0;
    bool starts = false, ends = false;
  };
  std::vector<Entry> entries;
  ByteVector terms, postings, bounds, positions;
  void clear() {
    entries.clear();
    for (auto* bytes : {&terms, &postings, &bounds, &positions}) bytes->clear();
  }
  std::size_t bytes() const {
    return terms.size() + postings.size() + bounds.size() + positions.size() + entries.size() * sizeof(Entry);
  }
  // Includes the unused capacity.
  std::size_t held_bytes() const {
    return terms.capacity() + postings.capacity() + bounds.capacity() + positions.capacity() +
           entries.capacity() * sizeof(Entry);
  }
};

// Not thread-safe; one per term range.
class ListEncoder {
 public:
  // length_codes[d] is length_code() of document d of the index. The codes outlive the encoder.
  explicit ListEncoder(std::span<const std::uint8_t> length_codes, Positions positions = Positions::kNone);

  // Call begin(), then add() any number of times, then end(). The terms of one encoder ascend.
  void begin(std::string_view term);
  // Documents are numbered as in the index and ascend over all calls for one list; frequencies are at least 1. Throws
  // std::logic_error for documents that do not ascend or have no length code.
  void add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  // Adds the next positions of the list, if they are stored: for each posting in order, `frequency` distances to the
  // previous position in the same document (to 0 for the first). They may run ahead of add() by one posting.
  void add_positions(std::span<const std::uint32_t> distances);
  std::uint64_t occurrence_count() const { return occurrence_count_; }  // of the open list, so far
  // A list without postings leaves no trace. Throws std::logic_error unless there are as many positions as occurrences.
  void end();

  // May be called at any time, also inside a list.
  std::size_t batch_bytes() const { return batch_.bytes(); }
  // Returns everything encoded so far and starts a new batch in the memory of `used`.
  ListBatch take(ListBatch&& used = {});

 private:
  struct Packing {
    unsigned document_bits, frequency_bits;
  };
  ListBatch::Entry& entry();
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
  bool started_ = false;     // an entry of this list was begun, in this batch or an earlier one
  bool entry_open_ = false;  // the last entry of the batch belongs to this list
  // The pending postings, at most one block. A full block waits here until it is known whether it is the whole list.
  std::size_t pending_count_ = 0;
  std::array<std::uint32_t, kPostingsBlock> pending_documents_{}, pending_frequencies_{};
  std::uint64_t encoded_count_ = 0, occurrence_count_ = 0;  // of the postings added
  std::uint32_t next_document_ = 0;                         // the last encoded document + 1
};

}  // namespace spillway
