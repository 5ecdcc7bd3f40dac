// What parsing makes of a chunk: its term table, its occurrences or postings, its documents. Memory paid from the
// budget, that lives until its block is sorted.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "indexer/chunk/memory.hpp"
#include "indexer/chunk/transfer_checksum.hpp"
#include "io/checksum/content_checksum.hpp"
#include "text/scan/token_hash.hpp"

namespace spillway {

// What the parser leaves for the sorter: `cpu-chunk` wants each chunk inverted already (postings lists by term),
// block-wide sorters want plain occurrences of the terms of a table, and a GPU that sorts every token as a string wants
// the tokens themselves, so that parsing does not look them up.
enum class ChunkForm : std::uint8_t { kPostings, kOccurrences, kTokens };

// kPostings: unused bytes behind each list, so that a posting may be written as a word.
inline constexpr std::uint32_t kListPadding = 3;

// A term of the chunk's table. Documents are numbered from 0 in the chunk.
struct ChunkTerm {
  std::uint32_t text_offset = 0;
  std::uint32_t text_bytes = 0;
  std::uint32_t posting_offset = 0;  // of its list in `postings` (format of io/format/run.hpp)
  std::uint32_t posting_bytes = 0;
  std::uint32_t document_count = 0;
  std::uint32_t occurrence_count = 0;
  std::uint32_t last_document = 0;
};

// Where a term's positions stand.
struct PositionPart {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

// What proves the arrays of a chunk of kTokens, taken while they are made.
struct ChunkTransferChecksums {
  TransferChecksum tokens, lengths, positions;

  ChunkTransferChecksums& operator+=(const ChunkTransferChecksums& other) {
    tokens += other.tokens;
    lengths += other.lengths;
    positions += other.positions;
    return *this;
  }
  ChunkTransferChecksums of_chunk(std::uint64_t chunk) const {
    return {tokens.of_chunk(chunk), lengths.of_chunk(chunk), positions.of_chunk(chunk)};
  }
};

// A chunk's documents in the buffers of its parser, before they are copied to the chunk.
struct DocumentParts {
  std::span<const std::uint8_t> documents, open_strings, texts;
  std::span<const std::uint32_t> lengths;
};

struct ParsedChunk {
  ChunkMemory memory;  // what the spans below view

  std::span<const ChunkTerm> terms;            // kOccurrences: only the text is set
  std::span<const std::uint8_t> text;          // of the terms, behind each other in their order
  std::span<const std::uint8_t> postings;      // kPostings
  std::span<const std::uint32_t> occurrences;  // kOccurrences: the chunk's term ids, in (document, position) order
  // kTokens: the terms of the chunk's occurrences in (document, position) order: the maximal runs of bytes that are not
  // 0. Between two of them stands at least one 0, the last byte is 0, and more zeros may stand anywhere.
  std::span<const std::uint8_t> tokens;
  // With positions. kPostings: the distances (io/format/run.hpp), and where those of each term stand; kOccurrences and
  // kTokens: the position of each occurrence in its document.
  std::span<const std::uint8_t> distances;
  std::span<const PositionPart> distance_parts;
  std::span<const std::uint32_t> positions;
  // kOccurrences, kTokens: tokens kept, by document (its share of the occurrences).
  std::span<const std::uint32_t> lengths;
  // Document stream (io/format/run.hpp) of the documents that end in this chunk.
  std::span<const std::uint8_t> documents;
  // Text stream (io/format/run.hpp), where texts are stored: what of it was met in this chunk.
  std::span<const std::uint8_t> texts;
  // The document that goes on in the next chunk, if last_document_open: its presence bits, its length so far, and the
  // stream's bytes behind the length.
  std::span<const std::uint8_t> open_strings;
  std::uint8_t open_fields = 0;
  std::uint32_t open_length = 0;
  // The length, here, of a document that began before and ends in this chunk: the first entry of `documents`.
  std::uint32_t continued_length = 0;

  std::uint32_t document_count = 0;
  std::uint64_t occurrence_count = 0;
  std::uint64_t posting_count = 0;     // kPostings
  std::size_t largest_list_bytes = 0;  // kPostings: of a term's postings and distances together
  bool first_document_open = false;    // it continues the last document of the chunk before
  bool last_document_open = false;
  bool has_stored_ids = false;
  ContentChecksum sum;               // kTokens: of the tokens above kShortTokenBytes only
  ChunkTransferChecksums word_sums;  // kTokens

  std::string_view term_text(const ChunkTerm& term) const {
    return {reinterpret_cast<const char*>(text.data()) + term.text_offset, term.text_bytes};
  }
};

}  // namespace spillway
