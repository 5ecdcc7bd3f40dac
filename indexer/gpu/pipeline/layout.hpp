// Where everything that one block's visit needs stands in its arena: a pure function of what the block holds and of
// the scratch that the sorters ask for, so that the plan knows before the block is there.
#pragma once

#include <cstddef>

#include "indexer/gpu/sorter/block_sorter.hpp"

namespace spillway {

// Scratch of what the visit calls.
struct PassScratch {
  std::size_t string_sort_bytes = 0, record_sort_bytes = 0, scan_bytes = 0;
};

// Offsets into the arena. Arrays whose lifetimes do not meet share their place.
struct PassLayout {
  // All through the visit.
  std::size_t chunk_places, piece_ends, group_sums, scan_scratch, totals;
  std::size_t document_ends, documents, positions;  // those of kTokens without positions: see there
  // From the ranks on.
  std::size_t rank_text_offsets, rank_text;
  // Strings, their order and ranks: until the keys are made.
  std::size_t text, string_offsets, order, ranks_in_order, first_strings;
  std::size_t string_scratch;
  // Sorted, and then encoded.
  std::size_t keys, parts, postings, distances;
  std::size_t total_bytes;
};

// Strings, their ranks and the chunk-local occurrences share their place with the encoded lists; the scratch of the
// string sort with keys and theirs.
struct OccurrenceLayout : PassLayout {
  std::size_t string_bytes, ranks, occurrences;  // until the keys are made
  std::size_t key_scratch;
};

// For each token, if all were distinct terms (bytes; t of text, about 5; r of what went up, about 7: windows of text,
// with zeros in the place of what stands between words):
//   all through: 4 of positions and 4 of documents, with positions; the sums of groups, about 0.4
//   strings:     t + 12 (offset, order), at the place of parts, postings and distances: 37, or 42 with positions
//   one after another, behind the strings:
//     until the sort: r and 0.25 r of counts, 8 for each document
//     the sort:       its scratch, 31 for gpu-string-radix
//     the keys:       8 (mark, first token) and 4 (document, without positions), which end before lists are encoded;
//                     16 + t (key, offset of the rank's text, its bytes), behind the place of the lists
// That is 58 (with positions 71) and what each chunk, document and scan takes.
struct TokenLayout : PassLayout {
  std::size_t raw, raw_counts, document_powers;  // until the string sort
  std::size_t group_documents;                   // from it on, until the keys are made; documents, too
  std::size_t token_sums, uploaded_sums;         // all through the visit
};

OccurrenceLayout lay_out_occurrences(const BlockPassSize& size, const PassScratch& scratch);
TokenLayout lay_out_tokens(const BlockPassSize& size, const PassScratch& scratch);

// Bytes of the arena.
std::size_t pass_bytes(const BlockPassSize& size, const PassScratch& scratch, ChunkForm form);

// Bytes of the chunk-local occurrences of these chunks as they go up (narrow where a chunk's table allows), at most.
std::size_t occurrence_bytes_bound(const BlockPassSize& size);

}  // namespace spillway
