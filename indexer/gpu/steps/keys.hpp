// The steps of a block's visit, each for one element: what a kernel's thread does, or one turn of a loop on the host.
// Numbers in a block: string = entry of a chunk table, counted over the chunks; piece = entry of the chunks' lengths (a
// document that is cut between chunks has several); occurrence; document; rank = of a distinct term.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

inline constexpr std::size_t kChunkAlignment = 16;  // of a chunk's first occurrence or token as it goes up
constexpr std::size_t chunk_aligned(std::size_t bytes) {
  return (bytes + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
}
inline constexpr std::size_t kTextPadding = 16;  // readable behind the last string
inline constexpr std::uint32_t kGroupKeys = 64;  // sorted keys that one thread folds

// Where a chunk's share begins in the arrays of the block. Behind the last chunk stands one with the totals.
struct ChunkPlace {
  std::uint32_t first_occurrence = 0, first_string = 0, first_piece = 0, first_document = 0;
  std::uint64_t data_offset = 0;       // in bytes, of its chunk-local occurrences or its tokens
  std::uint32_t occurrence_width = 0;  // in bytes: 2 or 4
  std::uint32_t unused = 0;
};

// What the lists of the groups before a group sum up to.
struct GroupSums {
  std::uint64_t posting_bytes = 0, distance_bytes = 0;
  std::uint32_t parts = 0, postings = 0;
};

struct AddGroupSums {
  SPILLWAY_HOST_DEVICE GroupSums operator()(const GroupSums& a, const GroupSums& b) const {
    return {a.posting_bytes + b.posting_bytes, a.distance_bytes + b.distance_bytes, a.parts + b.parts,
            a.postings + b.postings};
  }
};

template <typename T>
struct Add {
  SPILLWAY_HOST_DEVICE T operator()(const T& a, const T& b) const { return a + b; }
};

// A list, or a stretch of one: where it begins. It ends where the next begins; behind the last stands one with totals.
struct EncodedList {
  std::uint64_t first_posting_byte = 0, first_distance_byte = 0;
  std::uint32_t rank = 0, first_posting = 0, first_occurrence = 0;
  std::uint32_t last_document = 0;
};

// Index of the last element of an ascending array that is <= value. Requires: the first one is.
template <typename Value, typename Get>
SPILLWAY_HOST_DEVICE inline std::uint32_t last_not_above(std::uint32_t count, Value value, Get get) {
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (get(middle) <= value) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Index of the first element that is >= value, or count.
template <typename Value>
SPILLWAY_HOST_DEVICE inline std::uint32_t first_not_below(const Value* values, std::uint32_t count, Value value) {
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (values[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Eight bytes at any offset of an array aligned to 8; reads the aligned words that they lie in.
SPILLWAY_HOST_DEVICE inline std::uint64_t load_word(const std::uint8_t* bytes, std::uint64_t offset) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes) + offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8) * 8;
  return shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
}

// ranks_in_order[i] = 1 where the i-th string in order is another one than the string before it, else 0.
struct MarkTerms {
  const std::uint8_t* text;
  const std::uint64_t* offsets;
  const std::uint32_t* order;
  std::uint32_t* ranks_in_order;
  SPILLWAY_HOST_DEVICE bool same(std::uint32_t a, std::uint32_t b) const {
    const std::uint64_t bytes = offsets[a + 1] - offsets[a];
    if (bytes != offsets[b + 1] - offsets[b]) return false;
    for (std::uint64_t at = 0; at < bytes; at += 8) {
      std::uint64_t difference = load_word(text, offsets[a] + at) ^ load_word(text, offsets[b] + at);
      if (bytes - at < 8) difference <<= 8 * (8 - (bytes - at));
      if (difference != 0) return false;
    }
    return true;
  }
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    ranks_in_order[i] = i == 0 || !same(order[i - 1], order[i]) ? 1 : 0;
  }
};

// From the inclusive sums of those marks: the rank of each string, and each rank's first string.
struct AssignRanks {
  const std::uint32_t* order;
  const std::uint32_t* ranks_in_order;
  std::uint32_t* ranks;
  std::uint32_t* first_strings;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint32_t rank = ranks_in_order[i] - 1;
    ranks[order[i]] = rank;
    if (i == 0 || ranks_in_order[i - 1] != rank + 1) first_strings[rank] = order[i];
  }
};

// Bytes of each rank's text; 0 behind the last one, so that sums end with the total.
struct MeasureRankText {
  const std::uint64_t* offsets;
  const std::uint32_t* first_strings;
  std::uint32_t rank_count;
  std::uint64_t* rank_text_offsets;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t rank) const {
    if (rank == rank_count) {
      rank_text_offsets[rank] = 0;
      return;
    }
    const std::uint32_t string = first_strings[rank];
    rank_text_offsets[rank] = offsets[string + 1] - offsets[string];
  }
};

struct GatherRankText {
  const std::uint8_t* text;
  const std::uint64_t* offsets;
  const std::uint32_t* first_strings;
  const std::uint64_t* rank_text_offsets;
  std::uint8_t* rank_text;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t rank) const {
    const std::uint8_t* const from = text + offsets[first_strings[rank]];
    std::uint8_t* const to = rank_text + rank_text_offsets[rank];
    const std::uint64_t bytes = rank_text_offsets[rank + 1] - rank_text_offsets[rank];
    for (std::uint64_t i = 0; i < bytes; ++i) to[i] = from[i];
  }
};

// The chunks of a block as they went up.
struct PassChunks {
  const ChunkPlace* places;  // chunk_count, and one with the totals
  std::uint32_t chunk_count;
  const std::uint32_t* piece_ends;  // inclusive sums of the lengths
  std::uint32_t piece_count;
  const std::uint8_t* occurrences;

  SPILLWAY_HOST_DEVICE const ChunkPlace& chunk_of_occurrence(std::uint32_t occurrence) const {
    const ChunkPlace* const all = places;
    return places[last_not_above(chunk_count, occurrence, [all](std::uint32_t c) { return all[c].first_occurrence; })];
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document_of_piece(std::uint32_t piece) const {
    const ChunkPlace* const all = places;
    const ChunkPlace& chunk =
        places[last_not_above(chunk_count, piece, [all](std::uint32_t c) { return all[c].first_piece; })];
    return chunk.first_document + (piece - chunk.first_piece);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document(const ChunkPlace& chunk, std::uint32_t occurrence) const {
    const std::uint32_t* const ends = piece_ends + chunk.first_piece;
    const std::uint32_t pieces = (&chunk)[1].first_piece - chunk.first_piece;
    return chunk.first_document + first_not_below(ends, pieces, occurrence + 1);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t string(const ChunkPlace& chunk, std::uint32_t occurrence) const {
    const std::uint32_t i = occurrence - chunk.first_occurrence;
    const std::uint8_t* const from = occurrences + chunk.data_offset;
    return chunk.first_string + (chunk.occurrence_width == 2 ? reinterpret_cast<const std::uint16_t*>(from)[i]
                                                             : reinterpret_cast<const std::uint32_t*>(from)[i]);
  }
};

// Keys [rank | document].
struct MakeKeys {
  PassChunks chunks;
  const std::uint32_t* ranks;
  unsigned document_bits;
  std::uint64_t* keys;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto occurrence = static_cast<std::uint32_t>(i);
    const ChunkPlace& chunk = chunks.chunk_of_occurrence(occurrence);
    keys[i] =
        std::uint64_t{ranks[chunks.string(chunk, occurrence)]} << document_bits | chunks.document(chunk, occurrence);
  }
};

// Keys [rank | occurrence], and the document of each occurrence.
struct MakePositionedKeys {
  PassChunks chunks;
  const std::uint32_t* ranks;
  unsigned occurrence_bits;
  std::uint64_t* keys;
  std::uint32_t* documents;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto occurrence = static_cast<std::uint32_t>(i);
    const ChunkPlace& chunk = chunks.chunk_of_occurrence(occurrence);
    keys[i] = std::uint64_t{ranks[chunks.string(chunk, occurrence)]} << occurrence_bits | occurrence;
    documents[i] = chunks.document(chunk, occurrence);
  }
};

// Where each document's occurrences end, cut ones where their last piece does.
struct FindDocumentEnds {
  PassChunks chunks;
  std::uint32_t* document_ends;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto piece = static_cast<std::uint32_t>(i);
    const std::uint32_t document = chunks.document_of_piece(piece);
    if (piece + 1 == chunks.piece_count || chunks.document_of_piece(piece + 1) != document) {
      document_ends[document] = chunks.piece_ends[piece];
    }
  }
};

}  // namespace spillway
