#include "indexer/gpu/steps/block_pass_size.hpp"

#include <algorithm>

#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

BlockPassSize& BlockPassSize::operator+=(const BlockPassSize& other) {
  chunks += other.chunks;
  strings += other.strings;
  string_bytes += other.string_bytes;
  occurrences += other.occurrences;
  documents += other.documents;
  token_bytes += other.token_bytes;
  position_runs += other.position_runs;
  positions = positions || other.positions;
  return *this;
}

BlockPassSize block_pass_size(const ParsedChunk& chunk, Positions positions) {
  BlockPassSize size;
  size.chunks = 1;
  if (chunk.form() == ChunkForm::kTables) {
    size.strings = chunk.table().terms.size();
    size.string_bytes = chunk.table().text.size();
    size.occurrences = chunk.table().occurrences.size();
  } else {
    // At least one zero byte follows each token.
    const std::uint64_t tokens = chunk.occurrence_count, bytes = chunk.tokens().tokens.size();
    size.strings = size.occurrences = tokens;
    size.string_bytes = std::max(bytes, tokens) - tokens;
    size.token_bytes = chunk_aligned(bytes);
    size.position_runs = chunk.tokens().position_runs.size();
  }
  size.documents = chunk.lengths().size();
  size.positions = positions == Positions::kStored;
  return size;
}

}  // namespace spillway
