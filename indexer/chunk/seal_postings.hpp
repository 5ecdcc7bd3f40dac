// The end of a chunk with postings: the stream of postings, in the order in which parsing finished them, is inverted by
// a counting sort on the term while it is still in cache. O(entries + postings + bytes of distances).
#pragma once

#include <cstdint>
#include <span>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/chunk/term_table.hpp"
#include "io/base/varint.hpp"
#include "io/format/index.hpp"

namespace spillway {

struct PostingStream {
  // The words of emit_posting(); with positions, each posting is followed by the bytes of its distances.
  std::span<const std::uint32_t> words;
  std::span<const std::uint8_t> distances;  // of all postings, one after the other
  Positions positions = Positions::kNone;
  // Scratch: three words for each entry of the table and one more, four with positions.
  std::span<std::uint32_t> cursors;
};

// Copies `documents`, and uses up the state of the table's terms.
ParsedChunk seal_postings(TermTable& table, const ChunkDocuments& documents, const PostingStream& stream,
                          MemoryBudget& budget);

// A posting in the stream is two words: the entry's number, with the posting's bytes in its list above it, and these
// bytes as a little-endian word. A posting of more than three bytes is three words: the number alone, gap word and
// frequency.
inline constexpr unsigned kEntryBits = 18;
inline constexpr std::uint32_t kEntryMask = (1U << kEntryBits) - 1;

// Writes the posting (document + 1, frequency) of a term to the stream, and counts its bytes. Returns the number of
// words, 2 or 3. Does not branch on the posting's shape, which would often be mispredicted.
inline std::size_t emit_posting(TermState& term, std::uint32_t number, std::uint32_t document, std::uint32_t frequency,
                                std::uint32_t* stream) {
  // Before the first posting last_document stands for document 0, as in the run's posting format.
  const std::uint32_t previous = term.last_document == 0 ? 1 : term.last_document;
  const std::uint32_t single = frequency == 1 ? 1 : 0;
  const std::uint32_t gap_word = (document - previous) << 1 | single;
  const std::uint32_t written = frequency & (single - 1);
  term.last_document = document;
  ++term.document_count;
  term.occurrence_count += frequency;
  if ((gap_word >> 14 | written >> 7) != 0) {
    const std::size_t bytes = varint_bytes(gap_word) + (single != 0 ? 0 : varint_bytes(frequency));
    term.posting_bytes += static_cast<std::uint32_t>(bytes);
    stream[0] = number;
    stream[1] = gap_word;
    stream[2] = frequency;
    return 3;
  }
  const std::uint32_t two = gap_word >> 7 != 0 ? 1 : 0;
  const std::uint32_t bytes = 2 + two - single;
  term.posting_bytes += bytes;
  stream[0] = bytes << kEntryBits | number;
  stream[1] = (gap_word & 0x7F) | two << 7 | gap_word >> 7 << 8 | written << (8 + 8 * two);
  return 2;
}

}  // namespace spillway
