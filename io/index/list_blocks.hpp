// The blocks of one postings list in any order, for searches that skip. A block's bound is known without reading its
// postings, and its documents are decoded without its frequencies. Each block is checked by itself;
// io/index/postings_cursor.hpp reads whole lists with every check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "io/format/index.hpp"
#include "io/format/index_types.hpp"
#include "io/index/reader.hpp"
#include "io/postings/list_encoder.hpp"

namespace spillway {

class SectionReader;

// Not thread-safe, but several may use one index, which outlives them. What these functions return counts only if
// IndexReader::check_whole() returns afterwards.
class ListBlocks {
 public:
  // Reads the bounds of the list, 8 bytes per 128 postings. Throws FormatError if they are inconsistent.
  ListBlocks(const IndexReader& index, const TermEntry& entry);

  std::size_t size() const { return offsets_.size(); }
  std::uint64_t document_count() const { return document_count_; }
  // False for a list of at most 128 postings, which is one block without a bound: its last document, frequencies and
  // lengths are unknown until it is decoded.
  bool has_bounds() const { return bounds_ != nullptr; }
  std::uint32_t last_document(std::size_t block) const;  // requires has_bounds()
  // Codes of the largest frequency and the smallest length (io/postings/list_encoder.hpp). Requires has_bounds().
  std::uint8_t frequency_code(std::size_t block) const { return bound(block)[6]; }
  std::uint8_t length_code(std::size_t block) const { return bound(block)[7]; }
  // The least document that the block may hold.
  std::uint32_t least_document(std::size_t block) const { return block == 0 ? 0 : last_document(block - 1) + 1; }
  std::size_t posting_count(std::size_t block) const;

  // Write posting_count(block) numbers to `to`, which has room for kPostingsBlock. Documents ascend and are below the
  // index's document count; frequencies are at least 1. Throw FormatError.
  void decode_documents(std::size_t block, std::uint32_t* to);
  void decode_frequencies(std::size_t block, std::uint32_t* to);

 private:
  const std::uint8_t* bound(std::size_t block) const { return bounds_ + block * kBoundEntryBytes; }
  void read_bounds(const TermEntry& entry);
  struct Packed {
    const std::uint8_t* bytes;
    unsigned document_bits, frequency_bits;
  };
  Packed packed(std::size_t block) const;
  void decode_packed_documents(std::size_t block, std::uint32_t* to) const;
  void decode_tail(std::size_t block, std::uint32_t* documents, std::uint32_t* frequencies) const;
  [[noreturn]] void fail(std::size_t block, std::string_view expected, std::string_view found) const;

  const IndexReader& index_;
  const SectionReader& lists_;  // the part that holds the list
  std::uint64_t document_count_, occurrence_count_, posting_offset_, posting_bytes_;
  std::uint32_t single_document_;
  const std::uint8_t* bounds_ = nullptr;
  std::vector<std::uint64_t> offsets_;  // of each block from the list's first byte
};

}  // namespace spillway
