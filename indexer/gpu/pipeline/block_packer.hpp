// The arrays of a block that go up to the GPU, each packed from all chunks. Threads pack any ranges of them in
// parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "indexer/block/block.hpp"
#include "indexer/gpu/steps/block_pass_size.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

enum class PassArray : std::uint8_t {
  kText,         // kTables: the text of all strings
  kStringBytes,  // kTables: the length of each string, u16
  kOccurrences,  // kTables: chunk-local term numbers, u16 or u32 by chunk, chunks aligned to kChunkAlignment
  kTokens,       // kTokens: chunks aligned to kChunkAlignment, zeros between them
  kLengths,      // occurrences of each slice, u32
  kPositions,    // kTables: position of each occurrence, u32; only with positions
  kPositionRuns  // kTokens: PositionRuns; only with positions
};

// Immutable. The block outlives it.
class BlockPacker {
 public:
  // GpuMemoryError for more than 2^32 - 2 occurrences, strings or slices. FormatError where a chunk's lengths do not
  // add up to its occurrences, or its positions do not begin with its first token.
  BlockPacker(const Block& block, Positions positions, ChunkForm form);

  ChunkForm form() const { return form_; }
  const BlockPassSize& size() const { return size_; }
  // kTokens: the checksums of kTokens, kLengths and kPositionRuns, joined from those of the chunks.
  const ChunkTransferChecksums& transfer_checksums() const { return transfer_checksums_; }
  std::uint32_t document_count() const { return places_.back().first_document; }
  // One for each chunk, and the one with the totals.
  std::span<const ChunkPlace> places() const { return places_; }
  std::size_t bytes(PassArray array) const;
  // Where the array has a chunk's first byte.
  std::size_t chunk_begin(PassArray array, std::size_t chunk) const;
  // The bytes of a chunk that a pinned slot already has as they go up; empty where they must be packed.
  std::span<const std::uint8_t> in_place(PassArray array, std::size_t chunk) const;
  std::span<const ParsedChunk> chunks() const { return block_.chunks; }
  // Packs bytes [begin, begin + to.size()) of the array. Requires: `begin` and the end are multiples of 4, or the end
  // is the array's. Thread-safe.
  void pack(PassArray array, std::size_t begin, std::span<std::uint8_t> to) const;

 private:
  void add_chunk(const ParsedChunk& chunk, ChunkPlace& end);
  void pack_chunk(PassArray array, std::size_t chunk, std::size_t from, std::span<std::uint8_t> to) const;

  const Block& block_;
  const ChunkForm form_;
  BlockPassSize size_;
  ChunkTransferChecksums transfer_checksums_;
  std::vector<ChunkPlace> places_;
  std::vector<std::size_t> text_begins_;
};

}  // namespace spillway
