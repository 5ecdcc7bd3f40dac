// Sizes of a chunk and of its parser's buffers, from the limits that the memory plan sets.
#pragma once

#include <cstddef>

#include "indexer/chunk/limits.hpp"
#include "indexer/chunk/parsed_chunk.hpp"
#include "io/format/content_options.hpp"
#include "text/scan/word_kernels.hpp"

namespace spillway {

// Words with non-ASCII bytes up to this long are remembered with their tokens; longer ones hardly ever recur.
inline constexpr std::size_t kMaxRememberedBytes = 48;
inline constexpr std::size_t kMaxListTerms = 64;

// A range of text gives at most a token every two bytes or, from remembered words, kMaxListTerms every
// kMaxRememberedBytes.
inline constexpr std::size_t kRangeTokens = 2 * kScanBytes;
static_assert(kMaxListTerms <= 2 * kMaxRememberedBytes);

// Words that may be added to the stream between two checks whether it is full. kPostings: a document adds at most a
// posting of 3 words (4 with positions) for each entry of the table. kTables: a range adds its tokens, of 1 word each
// (2 with positions).
std::size_t slack_words(const ChunkLimits& limits, ChunkForm form, bool positions);

// Words for the terms of a document, which sealing reuses as scratch (PostingStream::cursors,
// OccurrenceStream::numbers).
std::size_t touched_words(const ChunkLimits& limits, bool folds_positions);

// Cache of the words that dictionaries find.
std::size_t word_cache_bytes(const ChunkLimits& limits);

// Arena of keys above 16 bytes. In most languages at most every third word is so long, in Cyrillic ones every second.
std::size_t arena_bytes(const ContentOptions& options, const ChunkLimits& limits);

// The most tokens of a chunk of kTokens: a TermTable can hold as many terms.
inline constexpr std::size_t kMaxChunkTokens = (std::size_t{1} << 18) - 2;

// kTokens: bytes of a chunk's token stream in a buffer. It holds a range of text and the longest term in any case.
std::size_t token_capacity(const ContentOptions& options, const ChunkLimits& limits);
std::size_t token_range_bytes(const ChunkLimits& limits);
// kTokens: bytes of the token stream with its positions in a slot of PinnedSlotPool; and bytes of the slot, which also
// has room for the arrays of usual documents.
std::size_t slot_token_capacity(const ContentOptions& options, const ChunkLimits& limits);
std::size_t pinned_slot_bytes(const ContentOptions& options, const ChunkLimits& limits);
std::size_t max_chunk_tokens(const ContentOptions& options, const ChunkLimits& limits);
// The most runs of positions of a chunk of kTokens, one for every second token: more seal the chunk. Stop words and
// overlong tokens begin runs.
std::size_t max_chunk_runs(const ContentOptions& options, const ChunkLimits& limits);

// The most bytes that a chunk of these limits takes once parsed.
std::size_t max_chunk_bytes(const ContentOptions& options, const ChunkLimits& limits, ChunkForm form);

// The most bytes of a chunk's text stream: the head of an entry, and the ends of documents without text, may
// pass the limit.
std::size_t max_text_bytes(const ContentOptions& options, const ChunkLimits& limits);

}  // namespace spillway
