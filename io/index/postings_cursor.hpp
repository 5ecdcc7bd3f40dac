// Reads one postings list of an index from its first block to its last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"

namespace spillway {

class SectionReader;

// Walks one list block by block. The index outlives the cursor.
class PostingsCursor {
 public:
  PostingsCursor(const IndexReader& index, const TermEntry& entry);
  // Decodes the next block; false at the end. Documents ascend over the whole list and are below the index's document
  // count. Throws FormatError if they do not, or if the list does not match its df and cf.
  bool next_block();
  // Number of the current block, from 0.
  std::uint64_t block() const { return (done_ - count_) / kPostingsBlock; }
  std::span<const std::uint32_t> documents() const { return {documents_, count_}; }
  std::span<const std::uint32_t> frequencies() const { return {frequencies_, count_}; }

 private:
  struct Widths {
    unsigned document_bits, frequency_bits;
  };
  void decode_single();
  void decode_full(Widths widths);
  void decode_tail();
  Widths widths_before_block();
  void finish_block(std::uint64_t last_document);
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const;

  const IndexReader& index_;
  const SectionReader& lists_;  // the part that holds the list
  std::uint64_t document_count_, occurrence_count_;
  std::uint64_t posting_offset_, posting_bytes_, bound_offset_;
  std::uint32_t single_document_;
  std::uint64_t done_ = 0, offset_ = 0, occurrences_ = 0;
  std::size_t count_ = 0;
  std::uint64_t next_document_ = 0;  // the least possible value
  alignas(16) std::uint32_t documents_[kPostingsBlock], frequencies_[kPostingsBlock];
};

}  // namespace spillway
