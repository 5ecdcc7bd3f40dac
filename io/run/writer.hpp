// Writes runs (io/format/run.hpp). Any thread builds term blocks with TermBlockBuilder; RunWriter appends them in term
// order and binds them to their place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/format/run.hpp"
#include "io/run/term_block_builder.hpp"

namespace spillway {

// Document, text and term blocks may be interleaved; each kind comes in its own order. Not thread-safe.
class RunWriter {
 public:
  // Writes the header. `file` outlives the writer. Requires: `file` is empty, and block_bytes is as for
  // TermBlockBuilder (otherwise std::logic_error).
  RunWriter(WritableFile& file, const RunIdentity& identity, std::size_t block_bytes);
  RunWriter(const RunWriter&) = delete;
  RunWriter& operator=(const RunWriter&) = delete;

  void append_terms(const TermBlock& block) { fill(place_terms(block), block); }
  // append_terms() in two steps, so that several threads can copy blocks and take their checksums if the file is in
  // memory: place_terms() in term order, then fill() in any order on any thread, before finish().
  struct Place {
    std::uint64_t number = 0, offset = 0;
    std::span<std::uint8_t> room;  // empty: the block is already written
  };
  Place place_terms(const TermBlock& block);
  void fill(const Place& place, const TermBlock& block) const;
  // Appends bytes of the document stream; writes blocks as they fill.
  void append_documents(std::span<const std::uint8_t> bytes);
  // Appends bytes of the text stream. Requires: identity.has_texts.
  void append_texts(std::span<const std::uint8_t> bytes);
  // Writes the rest, footer and trailer. Throws std::logic_error if the counts of entries, postings and occurrences in
  // `summary` differ from those appended. Does not sync or close the file.
  void finish(const RunSummary& summary);

  std::uint64_t entry_count() const { return entry_count_; }  // appended so far
  // The most memory that a writer and the term block it appends take.
  static std::size_t memory_bytes(std::size_t block_bytes);

 private:
  void append_stream(std::uint8_t kind, std::vector<std::uint8_t>& held, std::span<const std::uint8_t> bytes);
  void append_block(const TermBlock& block);
  void append_block(std::uint8_t kind, std::vector<std::uint8_t>& held);
  std::uint32_t next_block_seed() const;
  void count_block(std::size_t raw_bytes);
  void add_sample(const TermBlock& block);
  void append_footer(const RunSummary& summary);
  WritableFile& file_;
  std::size_t block_bytes_;
  bool has_positions_;
  std::uint32_t header_crc_ = 0;
  std::vector<std::uint8_t> documents_, texts_;  // the unwritten block of each stream, after room for its header
  std::vector<TermSample> samples_;
  std::string last_first_term_;
  std::uint64_t sample_stride_ = 1;
  std::uint64_t block_count_ = 0, term_block_count_ = 0, document_bytes_ = 0;
  std::uint32_t largest_block_bytes_ = 0, longest_term_bytes_ = 0;
  std::uint64_t entry_count_ = 0, posting_count_ = 0, occurrence_count_ = 0;
};

}  // namespace spillway
