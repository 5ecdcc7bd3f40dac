// How large the buffers of a chunk parser are, by the limits that the plan gives it.
#pragma once

#include <cstddef>

#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "io/format/content_options.hpp"
#include "text/scan/word_kernels.hpp"

namespace spillway {

// Runs with non-ASCII bytes up to this long are remembered with their tokens; longer ones hardly ever recur.
inline constexpr std::size_t kMaxRememberedBytes = 48;
inline constexpr std::size_t kMaxListTerms = 64;

// Of a window of text comes at most a token every two bytes, or, from remembered runs, kMaxListTerms for every
// kMaxRememberedBytes.
inline constexpr std::size_t kWindowTokens = 2 * kScanBytes;
static_assert(kMaxListTerms <= 2 * kMaxRememberedBytes);

// Words that may be added to the stream before it is looked at whether it is full. kPostings: a document adds at most a
// posting of 3 words (with positions 4) for each entry of the table. kTables: a window adds its tokens, of one
// word each (with positions 2).
std::size_t slack_words(const ChunkLimits& limits, ChunkForm form, bool positions);

// The terms of a document, and the scratch of sealing (PostingStream::cursors, OccurrenceStream::numbers).
std::size_t touched_words(const ChunkLimits& limits, bool folds_positions);

// Of words found by dictionaries.
std::size_t word_cache_bytes(const ChunkLimits& limits);

// Of keys above 16 bytes: in most languages every third word or fewer, in Cyrillic every second.
std::size_t arena_bytes(const ContentOptions& options, const ChunkLimits& limits);

// Tokens of a chunk of kTokens, at most: so many terms fit a TermTable.
inline constexpr std::size_t kMaxChunkTokens = (std::size_t{1} << 18) - 2;

// kTokens: of the token stream of a chunk; a window of text or the longest term fits it in any case.
std::size_t token_capacity(const ContentOptions& options, const ChunkLimits& limits);
std::size_t token_window_bytes(const ChunkLimits& limits);
// The same where it stands in a piece of a slab, with the positions; and the piece, with room for usual documents.
std::size_t piece_token_capacity(const ContentOptions& options, const ChunkLimits& limits);
std::size_t slab_piece_bytes(const ContentOptions& options, const ChunkLimits& limits);
std::size_t max_chunk_tokens(const ContentOptions& options, const ChunkLimits& limits);

// The most bytes that a chunk of these limits takes once parsed.
std::size_t max_chunk_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form);

// The text stream of a chunk: a piece's head, and the ends of documents without text, may pass the limit.
std::size_t max_text_bytes(const ContentOptions& options, const ChunkLimits& limits);

}  // namespace spillway
