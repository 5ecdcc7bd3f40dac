// The end of a chunk: its table and stream become a compact ParsedChunk. For ChunkForm::kPostings the stream of
// postings, in the order in which they were finished, is inverted by a counting sort on the term while it is still in
// cache.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "indexer/parsed_chunk.hpp"
#include "indexer/term_table.hpp"
#include "io/index_format.hpp"
#include "io/varint.hpp"

namespace spillway {

// What a chunk knows of the positions of an entry's term.
struct PositionState {
  std::uint64_t sum = 0;    // of the values of its positions in the document so far
  std::uint32_t last = 0;   // the last of them
  std::uint32_t bytes = 0;  // of its distances in the chunk as varints; when sealing, where the next one goes
};

struct ChunkContents {
  ChunkForm form = ChunkForm::kPostings;
  // What emit_posting wrote, or entry numbers (with positions: each followed by the position).
  std::span<const std::uint32_t> stream;
  std::span<const std::uint8_t> documents;
  std::span<const std::uint8_t> open_strings;
  std::span<const std::uint8_t> texts;
  std::span<const std::uint32_t> lengths;
  std::span<std::uint32_t> cursors;  // kPostings: to work with, for each entry of the table and one more
  Positions positions = Positions::kNone;
  std::span<const std::uint32_t> position_stream;  // kPostings: what emit_distance wrote. kOccurrences: in `stream`
  std::span<PositionState> position_states;        // kPostings: of each entry of the table; zeros, and left so
};

// Fills memory and spans of a chunk; the rest is the caller's. Uses up the state of the table's terms.
ParsedChunk seal_chunk(TermTable& table, const ChunkContents& contents, MemoryBudget& budget);

// Writes the posting (document + 1, frequency) of a term to the stream, 2 or 3 words, and counts its bytes. Returns the
// number of words.
inline std::size_t emit_posting(TermState& term, std::uint32_t number, std::uint32_t document, std::uint32_t frequency,
                                std::uint32_t* stream) {
  // Before the first posting last_document stands for document 0, as in the run's posting format.
  const std::uint32_t previous = term.last_document == 0 ? 1 : term.last_document;
  const std::uint32_t gap = (document - previous) << 1;
  term.last_document = document;
  ++term.document_count;
  term.occurrence_count += frequency;
  stream[0] = number;
  if (frequency == 1) {
    stream[1] = gap | 1;
    term.posting_bytes += static_cast<std::uint32_t>(varint_bytes(gap | 1));
    return 2;
  }
  stream[1] = gap;
  stream[2] = frequency;
  term.posting_bytes += static_cast<std::uint32_t>(varint_bytes(gap) + varint_bytes(frequency));
  return 3;
}

// An occurrence in the stream of distances: the term's number and the distance share a word; a distance that has no
// room there follows in a second one.
inline constexpr unsigned kNumberBits = 18;
inline constexpr std::uint32_t kNumberMask = (std::uint32_t{1} << kNumberBits) - 1;
inline constexpr std::uint32_t kLongDistance = ~std::uint32_t{0} >> kNumberBits;

// Returns the number of words, 1 or 2.
inline std::size_t emit_distance(std::uint32_t number, std::uint32_t distance, std::uint32_t* stream) {
  stream[0] = number | std::min(distance, kLongDistance) << kNumberBits;
  stream[1] = distance;
  return distance < kLongDistance ? 1 : 2;
}

}  // namespace spillway
