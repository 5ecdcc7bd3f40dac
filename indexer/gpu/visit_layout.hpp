// Where everything that one block's visit needs stands in its arena: a pure function of what the block holds and of
// the scratch that the sorters ask for, so that the plan knows before the block is there.
#pragma once

#include <cstddef>

#include "indexer/gpu/gpu_block_sorter.hpp"

namespace spillway {

// Scratch of what the visit calls.
struct VisitScratch {
  std::size_t string_sort_bytes = 0, record_sort_bytes = 0, scan_bytes = 0;
};

// Offsets into the arena. Arrays whose lifetimes do not meet share their place: strings, their ranks and the
// chunk-local occurrences with the encoded lists; the scratch of the string sort with keys and theirs.
struct VisitLayout {
  // All through the visit.
  std::size_t chunk_places, piece_ends, rank_text_offsets, rank_text, group_sums, scan_scratch;
  std::size_t document_ends, documents, positions;  // with positions
  // Until the keys are made.
  std::size_t text, string_bytes, string_offsets, order, ranks, ranks_in_order, first_strings, occurrences;
  // Once they are sorted.
  std::size_t parts, postings, distances;
  std::size_t string_scratch;     // until the keys are made
  std::size_t keys, key_scratch;  // from then on
  std::size_t total_bytes;
};

VisitLayout lay_out_visit(const VisitSize& size, const VisitScratch& scratch);

// Bytes of the chunk-local occurrences of these chunks as they go up (narrow where a chunk's table allows), at most.
std::size_t occurrence_bytes_bound(const VisitSize& size);

}  // namespace spillway
