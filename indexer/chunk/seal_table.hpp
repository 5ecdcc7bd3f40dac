// The end of a chunk with a table: the terms and the occurrences are copied to memory that just fits them.
// O(entries + occurrences).
#pragma once

#include <cstdint>
#include <span>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/chunk/term_table.hpp"
#include "io/format/index.hpp"

namespace spillway {

struct OccurrenceStream {
  std::span<const std::uint32_t> words;  // entry numbers; with positions, each is followed by the position
  Positions positions = Positions::kNone;
  std::span<const std::uint32_t> lengths;  // occurrences of each document
  std::span<std::uint32_t> numbers;        // scratch: a word for each entry of the table and one more
};

// Copies `documents` and the stream.
ParsedChunk seal_table(TermTable& table, const ChunkDocuments& documents, const OccurrenceStream& stream,
                       MemoryBudget& budget);

}  // namespace spillway
