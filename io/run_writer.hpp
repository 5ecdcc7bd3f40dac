// Writes runs (io/run_format.hpp). Term blocks are built anywhere, by any thread, with TermBlockBuilder; RunWriter
// appends them in term order and binds them to their place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_system.hpp"
#include "io/run_format.hpp"

namespace spillway {

// A finished term block, not yet bound to a run.
struct TermBlock {
  std::vector<std::uint8_t> payload;
  std::string first_term;
  std::uint32_t entry_count = 0;
  std::uint64_t posting_count = 0;
  std::uint64_t occurrence_count = 0;
};

// Collects entries in term order into one block. Not thread-safe.
class TermBlockBuilder {
 public:
  TermBlockBuilder(std::size_t block_bytes, bool has_positions);

  // Bytes left for the postings (and positions) of an entry of `term` in this block, 0 if the entry's head alone does
  // not fit. An empty block has room for at least block_bytes / 4 of them, whatever the term.
  std::size_t room(std::string_view term) const;
  // Requires: what it holds fits room(piece.term), terms ascend (equal ones allowed).
  void add(const TermPiece& piece);
  // As add, but the postings are the concatenation of `parts` (so that a caller need not join them first);
  // piece.postings is ignored.
  void add(const TermPiece& piece, std::span<const std::span<const std::uint8_t>> parts);
  bool empty() const { return block_.entry_count == 0; }
  // Hands out the block and starts the next.
  TermBlock finish();

 private:
  std::uint8_t* begin_entry(const TermPiece& piece, std::size_t posting_bytes);
  std::size_t block_bytes_;
  bool has_positions_;
  TermBlock block_;
  std::string last_term_;
};

// Document blocks and term blocks may come in any interleaving, each kind in its own order. Not thread-safe.
class RunWriter {
 public:
  // `file` is empty, and lives longer. codec: for document blocks and, if it shrinks them, term blocks.
  RunWriter(WritableFile& file, const RunIdentity& identity, std::size_t block_bytes, RunBlockCodec codec);

  void append_terms(const TermBlock& block);
  // Bytes of the document stream; whole blocks are written as they fill.
  void append_documents(std::span<const std::uint8_t> bytes);
  // Writes the rest, footer and trailer. `summary.entry_count`, posting_count and occurrence_count are checked against
  // what was appended (std::logic_error: our own mistake). Does not sync or close the file.
  void finish(const RunSummary& summary);

 private:
  void append_block(std::uint8_t kind, std::span<const std::uint8_t> raw, std::uint32_t count);
  WritableFile& file_;
  RunIdentity identity_;
  std::size_t block_bytes_;
  RunBlockCodec codec_;
  std::vector<std::uint8_t> documents_;
  std::vector<std::uint8_t> compressed_;
  std::vector<TermSample> samples_;
  std::uint64_t sample_stride_ = 1;
  std::uint64_t block_count_ = 0;
  std::uint64_t term_block_count_ = 0;
  std::uint64_t entry_count_ = 0, posting_count_ = 0, occurrence_count_ = 0;
};

}  // namespace spillway
