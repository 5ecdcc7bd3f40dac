// What of a block goes up to the GPU, as arrays, each put together from all chunks; any piece of them can be
// packed by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/gpu/sorter/block_sorter.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

enum class PassArray : std::uint8_t {
  kText,         // kOccurrences: of all strings
  kStringBytes,  // kOccurrences: u16 each
  kOccurrences,  // kOccurrences: chunk-local ids: u16 or u32 by chunk, each chunk's at a multiple of kChunkAlignment
  kTokens,       // kTokens: each chunk's at a multiple of kChunkAlignment, zeros between them
  kLengths,      // u32 for each piece
  kPositions     // u32 for each occurrence; only with positions
};

// Immutable; the block outlives it.
class BlockPacker {
 public:
  // GpuMemoryError for a block with more than 2^32 - 2 occurrences, strings or documents, which a smaller one has not.
  // FormatError where a chunk's lengths are not the number of its occurrences.
  BlockPacker(const Block& block, Positions positions, ChunkForm form);

  ChunkForm form() const { return form_; }
  const BlockPassSize& size() const { return size_; }
  // kTokens: of the arrays of those names, from the sums of all chunks.
  const ChunkTransferChecksums& word_sums() const { return word_sums_; }
  std::uint32_t document_count() const { return places_.back().first_document; }
  // One for each chunk, and one with the totals.
  std::span<const ChunkPlace> places() const { return places_; }
  std::size_t bytes(PassArray array) const;
  // Where the array's part of a chunk begins.
  std::size_t chunk_begin(PassArray array, std::size_t chunk) const;
  // A chunk's part that stands in a slab just as it goes up; empty for others.
  std::span<const std::uint8_t> standing(PassArray array, std::size_t chunk) const;
  std::span<const ParsedChunk> chunks() const { return block_.chunks; }
  // Bytes [begin, begin + to.size()) of the array. Requires: begin is a multiple of 4, and to.size() too or the array's
  // end.
  void pack(PassArray array, std::size_t begin, std::span<std::uint8_t> to) const;

 private:
  void add_chunk(const ParsedChunk& chunk, ChunkPlace& end);
  void pack_chunk(PassArray array, std::size_t chunk, std::size_t from, std::span<std::uint8_t> to) const;

  const Block& block_;
  const ChunkForm form_;
  BlockPassSize size_;
  ChunkTransferChecksums word_sums_;
  std::vector<ChunkPlace> places_;
  std::vector<std::size_t> text_begins_;
};

}  // namespace spillway
