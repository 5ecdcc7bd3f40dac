// The end of a chunk: its table and stream become a compact ParsedChunk. For ChunkForm::kPostings the stream of
// postings, in the order in which they were finished, is inverted by a counting sort on the term while it is still in
// cache.
#pragma once

#include <cstdint>
#include <span>

#include "indexer/parsed_chunk.hpp"
#include "indexer/term_table.hpp"
#include "io/varint.hpp"

namespace spillway {

struct ChunkContents {
  ChunkForm form = ChunkForm::kPostings;
  std::span<const std::uint32_t> stream;  // what emit_posting wrote, or entry numbers
  std::span<const std::uint8_t> documents;
  std::span<const std::uint8_t> open_strings;
  std::span<const std::uint32_t> lengths;
};

// Fills memory and spans of a chunk; the rest is the caller's. Uses up the fold state of the table's entries.
ParsedChunk seal_chunk(TermTable& table, const ChunkContents& contents, MemoryBudget& budget);

// Writes the posting that `term` has open (its document and frequency so far) to the stream, 2 or 3 words, and counts
// its bytes. Returns the number of words.
inline std::size_t emit_posting(TableEntry& term, std::uint32_t number, std::uint32_t* stream) {
  // Before the first posting last_document stands for document 0, as in the run's posting format.
  const std::uint32_t previous = term.last_document == 0 ? 1 : term.last_document;
  const std::uint32_t gap = (term.open_document - previous) << 1;
  term.last_document = term.open_document;
  ++term.document_count;
  term.occurrence_count += term.frequency;
  stream[0] = number;
  if (term.frequency == 1) {
    stream[1] = gap | 1;
    term.posting_bytes += static_cast<std::uint32_t>(varint_bytes(gap | 1));
    return 2;
  }
  stream[1] = gap;
  stream[2] = term.frequency;
  term.posting_bytes += static_cast<std::uint32_t>(varint_bytes(gap) + varint_bytes(term.frequency));
  return 3;
}

}  // namespace spillway
