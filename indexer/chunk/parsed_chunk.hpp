// A parsed chunk: its documents, and its terms in the form that the block sorter takes. It pays for its memory from the
// budget and lives until its block is sorted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "indexer/chunk/memory.hpp"
#include "indexer/chunk/transfer_checksum.hpp"
#include "io/checksum/content_checksum.hpp"
#include "text/scan/token_hash.hpp"

namespace spillway {

// The forms of a chunk, in the order of ParsedChunk::content. `cpu-chunk` takes postings: lists by term. Block-wide
// sorters take tables: the terms, and the occurrences by term number. A GPU may also take the tokens themselves and
// sort each as a string: parsing then looks no token up.
enum class ChunkForm : std::uint8_t { kPostings, kTables, kTokens };

// The common part of all forms.
struct ChunkDocuments {
  // Document stream (io/format/run.hpp) of the documents that end in this chunk.
  std::span<const std::uint8_t> documents;
  // Text stream (io/format/run.hpp) of this chunk, where texts are stored.
  std::span<const std::uint8_t> texts;
  // If last_document_open: the open document's bytes of the document stream after the length, its presence bits, and
  // its length in this chunk.
  std::span<const std::uint8_t> open_strings;
  std::uint8_t open_fields = 0;
  std::uint32_t open_length = 0;
  // Length in this chunk of a document that began in an earlier chunk and ends here: the first entry of `documents`.
  std::uint32_t continued_length = 0;

  std::uint32_t document_count = 0;
  std::uint64_t occurrence_count = 0;
  bool first_document_open = false;  // it continues the last document of the previous chunk
  bool last_document_open = false;
  bool has_stored_ids = false;
  // kTokens: only of tokens above kShortTokenBytes. ChunkTokens::checksums prove the others, whose sum the GPU adds. A
  // parser that added up all tokens would take 6 times as long (RFCs, one core: 0.33 GB/s instead of 2.0).
  ContentChecksum sum;

  std::size_t array_bytes() const { return documents.size() + texts.size() + open_strings.size(); }
  // Copies the arrays to `to` and views the copies instead.
  void move_arrays(ArrayWriter& to) {
    documents = to.copy(documents);
    open_strings = to.copy(open_strings);
    texts = to.copy(texts);
  }
};

struct ChunkTerm {
  std::uint32_t text_offset = 0;
  std::uint32_t text_bytes = 0;
};
struct ChunkTerms {
  std::span<const ChunkTerm> terms;
  std::span<const std::uint8_t> text;  // of all terms, one after the other

  std::string_view term_text(std::size_t term) const {
    return {reinterpret_cast<const char*>(text.data()) + terms[term].text_offset, terms[term].text_bytes};
  }
};

// Unused bytes after each list of postings, so that a posting may be written as a word.
inline constexpr std::uint32_t kListPadding = 3;

// A term's list in `postings` (format of io/format/run.hpp). Documents are numbered from 0 in the chunk.
struct ChunkList {
  std::uint32_t posting_offset = 0;
  std::uint32_t posting_bytes = 0;
  std::uint32_t document_count = 0;
  std::uint32_t occurrence_count = 0;
  std::uint32_t last_document = 0;
};
struct DistanceRange {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
};

struct ChunkPostings : ChunkTerms {
  std::span<const ChunkList> lists;  // by term
  std::span<const std::uint8_t> postings;
  // With positions: the distances (io/format/run.hpp), and each term's range of them.
  std::span<const std::uint8_t> distances;
  std::span<const DistanceRange> distance_ranges;
  std::uint64_t posting_count = 0;
  std::size_t largest_list_bytes = 0;  // of a term's postings and distances together
};

// The occurrences of a table or of tokens are in (document, position) order.
struct ChunkTable : ChunkTerms {
  std::span<const std::uint32_t> lengths;      // occurrences of each document in this chunk
  std::span<const std::uint32_t> positions;    // with positions: of each occurrence in its document
  std::span<const std::uint32_t> occurrences;  // term numbers
};

// Consecutive tokens, up to the next run, whose positions ascend by 1.
struct PositionRun {
  std::uint32_t first_token = 0;  // in the chunk
  std::uint32_t position = 0;     // its position in its document

  std::uint32_t position_of(std::uint32_t token) const { return position + (token - first_token); }
};

inline std::span<const std::uint8_t> bytes_of(std::span<const PositionRun> runs) {
  return {reinterpret_cast<const std::uint8_t*>(runs.data()), runs.size_bytes()};
}

// Checksums of the arrays of ChunkTokens, taken while they are made.
struct ChunkTransferChecksums {
  TransferChecksum tokens, lengths, position_runs;

  ChunkTransferChecksums& operator+=(const ChunkTransferChecksums& other) {
    tokens += other.tokens;
    lengths += other.lengths;
    position_runs += other.position_runs;
    return *this;
  }
  ChunkTransferChecksums of_chunk(std::uint64_t chunk) const {
    return {tokens.of_chunk(chunk), lengths.of_chunk(chunk), position_runs.of_chunk(chunk)};
  }
};

struct ChunkTokens {
  std::span<const std::uint32_t> lengths;  // tokens of each document in this chunk
  // With positions: a run begins with the first token, and wherever a position is not the next one.
  std::span<const PositionRun> position_runs;
  // The terms of the occurrences: the maximal ranges of bytes that are not 0. At least one 0 separates two terms, the
  // last byte is 0, and more zeros may stand anywhere.
  std::span<const std::uint8_t> tokens;
  ChunkTransferChecksums checksums;
};

struct ParsedChunk : ChunkDocuments {
  ChunkMemory memory;  // holds all arrays
  std::variant<ChunkPostings, ChunkTable, ChunkTokens> content;

  ChunkForm form() const { return static_cast<ChunkForm>(content.index()); }
  // Each requires that the chunk has this form.
  const ChunkPostings& postings() const { return std::get<ChunkPostings>(content); }
  const ChunkTable& table() const { return std::get<ChunkTable>(content); }
  const ChunkTokens& tokens() const { return std::get<ChunkTokens>(content); }
  // Requires: postings or a table.
  const ChunkTerms& terms() const {
    const auto* const postings = std::get_if<ChunkPostings>(&content);
    return postings != nullptr ? static_cast<const ChunkTerms&>(*postings) : table();
  }
  // Requires: a table or tokens.
  std::span<const std::uint32_t> lengths() const {
    const auto* const tokens = std::get_if<ChunkTokens>(&content);
    return tokens != nullptr ? tokens->lengths : table().lengths;
  }
};

}  // namespace spillway
