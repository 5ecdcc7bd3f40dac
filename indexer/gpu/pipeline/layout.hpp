// Where the arena has each array of a block pass: a pure function of the block's size and of the scratch that the
// sorters ask for, so that a plan can use it before there is a block. O(1).
#pragma once

#include <cstddef>

#include "indexer/gpu/steps/block_pass_size.hpp"

namespace spillway {

// Bytes of scratch for the algorithms that a pass calls.
struct PassScratch {
  std::size_t string_sort_bytes = 0;  // for all strings
  std::size_t term_sort_bytes = 0;    // kTokens: for as many strings as the table of terms has slots
  std::size_t record_sort_bytes = 0, scan_bytes = 0;
};

// Offsets into the arena. Arrays that are never in use at the same time share bytes.
struct PassLayout {
  // In use throughout the pass.
  std::size_t chunk_places, slice_ends, group_sums, scan_scratch, totals;
  std::size_t documents, positions;  // `documents` of kTokens: until the keys are made
  std::size_t ordered_positions;     // from the keys on
  // In use from the ranks on.
  std::size_t rank_text_offsets, rank_text;
  // Strings, their order and ranks: in use until the keys are made.
  std::size_t text, string_offsets, order, firsts, ranks_in_order, first_strings;
  std::size_t string_scratch;
  // Sorted keys, and the lists that they are encoded to.
  std::size_t keys, fragments, postings, distances;
  std::size_t total_bytes;
};

// The encoded lists take the bytes of strings, ranks and chunk-local occurrences; keys and their scratch take those of
// the string sort's scratch.
struct OccurrenceLayout : PassLayout {
  std::size_t string_bytes, ranks, occurrences;  // until the keys are made
  std::size_t key_scratch;
};

// Bytes for each token, if all tokens were distinct terms. t: bytes of text, about 5. r: uploaded bytes, about 7, as
// tokens go up as words with zeros for separators. s: slots of the table of terms, at most 0.5 (and 64 in all).
//   throughout the pass: 4 for positions, with positions; 0.75 for the sums of groups
//   strings: t + 13 (offset, order, mark), which the fragments, postings and distances replace: 37, or 42 with
//   positions after the strings, one set after the other:
//     until strings are sorted: 4 + 8 s (slot of each token; slot and rank of each term), r, 0.25 r for counts, 24 s
//       (the table), 8 for each document, and 12 for each run of positions
//     the sort of all tokens: its scratch, 31 for gpu-string-radix; or that of the terms, after their slots
//     the keys: 8 (rank, first token; or the slots and ranks), 4 for documents, 8 with positions, which end before
//     lists are encoded;
//       then, after the place of the lists, 16 + t (key, offset of the rank's text, its bytes), and 4 for positions in
//       order
//   keys that are not sorted yet take 8 of the bytes of strings, which end before
// This adds up to 59 bytes a token, 72 with positions; chunks, documents and scans take more in addition.
struct TokenLayout : PassLayout {
  std::size_t document_ends;                            // throughout the pass
  std::size_t raw, raw_counts, document_powers;         // until terms or tokens are strings
  std::size_t position_runs, run_tokens, group_runs;    // likewise, with positions
  std::size_t term_slots, slot_counts;                  // likewise
  std::size_t token_slots, slot_of_term, rank_of_slot;  // until the keys are made
  std::size_t term_scratch;                             // for the sort of terms
  std::size_t unsorted_keys, key_scratch;  // keys before they are sorted; the scratch has the place of `keys`
  std::size_t token_places;                // with positions, in the place of `documents`: until the keys have documents
  std::size_t group_documents;             // after the sort of strings, until the keys are made
  std::size_t token_sums, uploaded, term_totals;  // throughout the pass
};

OccurrenceLayout lay_out_occurrences(const BlockPassSize& size, const PassScratch& scratch);
TokenLayout lay_out_tokens(const BlockPassSize& size, const PassScratch& scratch);

// The bytes of the arena that a pass needs.
std::size_t pass_bytes(const BlockPassSize& size, const PassScratch& scratch, ChunkForm form);

// The most bytes that the chunk-local occurrences of these chunks take on the GPU (2 or 4 each).
std::size_t occurrence_bytes_bound(const BlockPassSize& size);

}  // namespace spillway
