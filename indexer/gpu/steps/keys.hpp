// The steps of a block pass that make keys. A step is a function object for one element: a thread of a kernel calls it,
// or one turn of a loop on the host. A block numbers its strings (entries of the chunk tables, counted over all
// chunks), slices (a document, or as much of it as one chunk has), occurrences, documents, and ranks (distinct terms in
// order).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

inline constexpr std::size_t kChunkAlignment = 16;  // bytes, of a chunk's first occurrence or token on the GPU
constexpr std::size_t chunk_aligned(std::size_t bytes) {
  return (bytes + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
}
inline constexpr std::size_t kTextPadding = 16;  // readable bytes after the last string
inline constexpr std::uint32_t kGroupKeys = 32;  // sorted keys that one thread folds

// Where the arrays of the block have a chunk's first element. One more, after the last chunk's, has the totals.
struct ChunkPlace {
  std::uint32_t first_occurrence = 0, first_string = 0, first_slice = 0, first_document = 0;
  std::uint64_t data_offset = 0;       // bytes before its occurrences or tokens
  std::uint32_t occurrence_width = 0;  // bytes of an occurrence's term number: 2 or 4
  std::uint32_t first_position_run = 0;
};

// Sizes of encoded lists, summed over groups of keys.
struct GroupSums {
  std::uint64_t posting_bytes = 0, distance_bytes = 0;
  std::uint32_t fragments = 0, postings = 0;
};

struct AddGroupSums {
  SPILLWAY_HOST_DEVICE GroupSums operator()(const GroupSums& a, const GroupSums& b) const {
    return {a.posting_bytes + b.posting_bytes, a.distance_bytes + b.distance_bytes, a.fragments + b.fragments,
            a.postings + b.postings};
  }
};

template <typename T>
struct Add {
  SPILLWAY_HOST_DEVICE T operator()(const T& a, const T& b) const { return a + b; }
};

// Where an encoded list, or a fragment of a long one, begins. It ends where the next one begins; one more, after the
// last, has the totals.
struct EncodedFragment {
  std::uint64_t first_posting_byte = 0, first_distance_byte = 0;
  std::uint32_t rank = 0, first_posting = 0, first_occurrence = 0;
  std::uint32_t last_document = 0;
};

// The index of the last element of an ascending array that is <= value. Requires: the first element is. O(log count).
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

// The index of the first element of an ascending array that is >= value, or count. O(log count).
template <typename Value, typename Get>
SPILLWAY_HOST_DEVICE inline std::uint32_t first_not_below(std::uint32_t count, Value value, Get get) {
  std::uint32_t low = 0, high = count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (get(middle) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
template <typename Value>
SPILLWAY_HOST_DEVICE inline std::uint32_t first_not_below(const Value* values, std::uint32_t count, Value value) {
  return first_not_below(count, value, [values](std::uint32_t i) { return values[i]; });
}

SPILLWAY_HOST_DEVICE inline unsigned set_bits(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popcll(mask));
#else
  return static_cast<unsigned>(std::popcount(mask));
#endif
}

// Sets a flag that any number of threads may set at once.
SPILLWAY_HOST_DEVICE inline void raise_flag(std::uint32_t* flag) {
#ifdef __CUDA_ARCH__
  *flag = 1;
#else
  __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
#endif
}

// Loads eight bytes from any offset of an array aligned to 8. Reads the one or two aligned words that hold them.
SPILLWAY_HOST_DEVICE inline std::uint64_t load_word(const std::uint8_t* bytes, std::uint64_t offset) {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes) + offset / 8;
  const unsigned shift = static_cast<unsigned>(offset % 8) * 8;
  return shift == 0 ? words[0] : words[0] >> shift | words[1] << (64 - shift);
}

// Finds the rank of each string and the first string of each rank. ranks_in_order: inclusive sums of
// MarkedOrder::d_firsts.
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

// The bytes of each rank's text, and 0 after the last one, so that exclusive sums end with the total.
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

// The chunks of a block in device memory.
struct PassChunks {
  const ChunkPlace* places;  // chunk_count, and the one with the totals
  std::uint32_t chunk_count;
  const std::uint32_t* slice_ends;  // inclusive sums of the lengths
  std::uint32_t slice_count;
  const std::uint8_t* occurrences;  // null for tokens

  SPILLWAY_HOST_DEVICE const ChunkPlace& chunk_of_occurrence(std::uint32_t occurrence) const {
    const ChunkPlace* const all = places;
    return places[last_not_above(chunk_count, occurrence, [all](std::uint32_t c) { return all[c].first_occurrence; })];
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document_of_slice(std::uint32_t slice) const {
    const ChunkPlace* const all = places;
    const ChunkPlace& chunk =
        places[last_not_above(chunk_count, slice, [all](std::uint32_t c) { return all[c].first_slice; })];
    return chunk.first_document + (slice - chunk.first_slice);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document(const ChunkPlace& chunk, std::uint32_t occurrence) const {
    const std::uint32_t* const ends = slice_ends + chunk.first_slice;
    const std::uint32_t slices = (&chunk)[1].first_slice - chunk.first_slice;
    return chunk.first_document + first_not_below(ends, slices, occurrence + 1);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t string(const ChunkPlace& chunk, std::uint32_t occurrence) const {
    const std::uint32_t i = occurrence - chunk.first_occurrence;
    const std::uint8_t* const from = occurrences + chunk.data_offset;
    return chunk.first_string + (chunk.occurrence_width == 2 ? reinterpret_cast<const std::uint16_t*>(from)[i]
                                                             : reinterpret_cast<const std::uint32_t*>(from)[i]);
  }
};

// Makes keys [rank | document].
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

// Makes keys [rank | occurrence], and finds the document of each occurrence.
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

// Replaces the occurrences of sorted keys by their documents, and brings the positions into the order of the keys.
struct ReplaceOccurrences {
  const std::uint64_t* sorted;  // [rank | occurrence]
  unsigned occurrence_bits, document_bits;
  const std::uint32_t *documents, *positions;  // by occurrence
  std::uint64_t* keys;                         // [rank | document]; may be `sorted`
  std::uint32_t* ordered_positions;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint64_t key = sorted[i], occurrence = key & ((std::uint64_t{1} << occurrence_bits) - 1);
    keys[i] = key >> occurrence_bits << document_bits | documents[occurrence];
    ordered_positions[i] = positions[occurrence];
  }
};

// Where the occurrences of each document end: those of a cut document end with its last slice.
struct FindDocumentEnds {
  PassChunks chunks;
  std::uint32_t* document_ends;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto slice = static_cast<std::uint32_t>(i);
    const std::uint32_t document = chunks.document_of_slice(slice);
    if (slice + 1 == chunks.slice_count || chunks.document_of_slice(slice + 1) != document) {
      document_ends[document] = chunks.slice_ends[slice];
    }
  }
};

}  // namespace spillway
