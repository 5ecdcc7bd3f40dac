#include "indexer/parse/chunk_sizes.hpp"

#include <algorithm>

#include "corpora/document/field_table.hpp"
#include "indexer/chunk/position_folder.hpp"
#include "indexer/chunk/term_table.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// Bytes of the document stream beyond its limit: the last entry of a chunk, and an open document's strings.
constexpr std::size_t kOverhangBytes = std::size_t{64} << 10;

// The share of a slot, 1/16, that is left for the arrays after the tokens.
constexpr std::size_t kSlotShareOfDocuments = 16;
// Larger slots lose more at the ends of tasks than larger chunks gain.
constexpr std::size_t kMostSlotBytes = std::size_t{1} << 20;

// Each document has a length, and at least two bytes in the document stream.
std::size_t max_length_count(const ChunkLimits& limits) {
  return std::min<std::size_t>(limits.max_documents, limits.document_bytes / 2) + 2;
}

// The entry of a document in the document stream.
std::size_t max_string_bytes(const ContentOptions& options) {
  const std::size_t fields = options.store == StorePolicy::kNone ? 1 : 4;
  return fields * (kMaxFieldBytes + kMaxVarintBytes) + kMaxVarintBytes + 1 + 1 + sizeof(Hash128);
}

std::size_t max_token_chunk_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  const std::size_t words = (options.positions ? 2 * max_chunk_runs(options, limits) : 0) + max_length_count(limits);
  return token_capacity(options, limits) + kScanPadding + kSummedBytes + sizeof(std::uint32_t) * words +
         limits.document_bytes + 2 * max_string_bytes(options) + max_text_bytes(options, limits);
}

}  // namespace

std::size_t slack_words(const ChunkLimits& limits, ChunkForm form, bool positions) {
  if (form == ChunkForm::kPostings) return (positions ? 4 : 3) * std::size_t{limits.table_entries};
  return (positions ? 2 : 1) * kRangeTokens;
}

std::size_t touched_words(const ChunkLimits& limits, bool folds_positions) {
  return (folds_positions ? 4 : 3) * (std::size_t{limits.table_entries} + 2);
}

std::size_t word_cache_bytes(const ChunkLimits& limits) { return std::size_t{limits.table_entries} * 64; }

std::size_t arena_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  return std::max<std::size_t>(16 * std::size_t{limits.table_entries}, 3 * std::size_t{options.max_term_bytes} + 4096);
}

std::size_t token_range_bytes(const ChunkLimits& limits) {
  return std::clamp<std::size_t>(limits.token_bytes, 64, kScanBytes);
}

std::size_t token_capacity(const ContentOptions& options, const ChunkLimits& limits) {
  return std::max({limits.token_bytes, token_range_bytes(limits) + 1, std::size_t{options.max_term_bytes} + 1});
}

std::size_t slot_token_capacity(const ContentOptions& options, const ChunkLimits& limits) {
  const std::size_t usual = std::min(limits.token_bytes, kMostSlotBytes);
  const std::size_t range = token_range_bytes(limits), longest = std::max<std::size_t>(range, options.max_term_bytes);
  const std::size_t positions = options.positions ? sizeof(PositionRun) : 0;
  return std::max(usual - usual / kSlotShareOfDocuments, longest + 1 + positions);
}

std::size_t pinned_slot_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  const std::size_t usual = std::min(limits.token_bytes, kMostSlotBytes);
  const std::size_t documents = std::max(usual / kSlotShareOfDocuments, kScanPadding + kSummedBytes);
  return (slot_token_capacity(options, limits) + documents + kSummedBytes - 1) / kSummedBytes * kSummedBytes;
}

std::size_t max_chunk_tokens(const ContentOptions& options, const ChunkLimits& limits) {
  return std::min(kMaxChunkTokens, token_capacity(options, limits) / 2);
}

std::size_t max_chunk_runs(const ContentOptions& options, const ChunkLimits& limits) {
  return max_chunk_tokens(options, limits) / 2 + 1;
}

std::size_t max_text_bytes(const ContentOptions& options, const ChunkLimits& limits) {
  if (options.store != StorePolicy::kText) return 0;
  return limits.text_bytes + kMaxVarintBytes + limits.document_bytes / 2 + 1;
}

std::size_t max_chunk_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form) {
  if (form == ChunkForm::kTokens) return max_token_chunk_bytes(options, limits);
  const std::size_t list_bytes = form == ChunkForm::kPostings ? sizeof(ChunkList) : 0;
  const std::size_t terms = limits.table_entries * (sizeof(ChunkTerm) + list_bytes + 16) + arena_bytes(options, limits);
  const std::size_t stream = limits.stream_words + slack_words(limits, form, options.positions);
  const std::size_t strings = limits.document_bytes + kOverhangBytes + max_text_bytes(options, limits);
  // A posting of two words takes at most 4 bytes, because its gap is below max_documents; one of three words takes
  // about as much, because its occurrences pay for its frequency.
  if (form == ChunkForm::kPostings) {
    const std::size_t positions = options.positions ? limits.table_entries * sizeof(DistanceRange) +
                                                          PositionFolder::max_distance_bytes(limits, kRangeTokens)
                                                    : 0;
    return terms + limits.table_entries * kListPadding + 2 * stream + strings + positions;
  }
  return terms + sizeof(std::uint32_t) * (stream + max_length_count(limits)) + strings;
}

}  // namespace spillway
