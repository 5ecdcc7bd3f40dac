// The two inner loops of tokenizing, over up to kScanBytes of text, which fit the L1 cache: find where words begin and
// end, and compute the term table keys of the short ones. The widest vector instructions of the CPU are chosen at run
// time; all paths give the same results. Time O(bytes), 64 bytes per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// Word bytes are [A-Za-z0-9]; with kWithHighBytes also all bytes from 0x80.
enum class WordBytes : std::uint8_t { kAlphanumeric, kWithHighBytes };
constexpr bool is_word_byte(std::uint8_t c, WordBytes words) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (words == WordBytes::kWithHighBytes && c >= 0x80);
}

inline constexpr std::size_t kScanBytes = 4096;
// Bytes that must be writable after the lowered text and after the edges, and readable after the lowered text.
inline constexpr std::size_t kScanPadding = 64;

// Writes the offsets of all edges, ascending, and the text with A-Z lowered; returns the number of edges. An edge is a
// byte that differs from its predecessor in being a word byte, so edges are in turn begins and ends of words.
// `word_before` (0 or 1) says whether the byte before the text is a word byte. A word that reaches the end of the text
// has no edge there. Requires: count <= kScanBytes. Reads no byte outside [text, text + count).
using FindEdgesFunction = std::size_t (*)(const std::uint8_t* text, std::size_t count, std::uint64_t word_before,
                                          std::uint8_t* lowered, std::uint16_t* edges);

// Does what std::popcount does. Without the POPCNT instruction (any x86-64), std::popcount is a function call.
[[gnu::always_inline]] inline std::size_t count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555ULL;
  bits = (bits & 0x3333333333333333ULL) + (bits >> 2 & 0x3333333333333333ULL);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FULL;
  return static_cast<std::size_t>(bits * 0x0101010101010101ULL >> 56);
}

// Tokens looked up together.
inline constexpr std::size_t kTokenBatch = 32;

struct TokenKeys {
  // Each token as two zero-padded words. low == 0: the token is longer than 16 bytes.
  alignas(64) std::uint64_t low[kTokenBatch], high[kTokenBatch];
  // The entry in the token's slot, 0 for none. The caller must compare it, because tokens may share a slot.
  alignas(64) std::uint32_t guess[kTokenBatch];
  std::uint8_t bytes[kTokenBatch];  // length; 0 where low == 0, so that it equals no key of a table
};

// The slots of a TermTable: slot = slots[hash >> shift], entry = slot & index_mask.
struct SlotTable {
  const std::uint32_t* slots = nullptr;
  unsigned shift = 0;
  std::uint32_t index_mask = 0;
  std::uint64_t seed = 0;  // of hash_token_words
};

// Computes the keys and guesses of the tokens [edges[2i], edges[2i + 1]) of a lowered text.
// Requires: an even number of edges, at most 2 * kTokenBatch; kScanPadding readable bytes after the last token.
using LoadKeysFunction = void (*)(const std::uint8_t* lowered, std::span<const std::uint16_t> edges,
                                  const SlotTable& table, TokenKeys& keys);

struct WordKernels {
  const char* name;  // portable, sse2, avx2, avx512
  FindEdgesFunction find_edges;
  LoadKeysFunction load_keys;
};

// The fastest kernels that this CPU can run.
const WordKernels& word_kernels(WordBytes words);
// All kernels that this CPU can run, the portable ones first: for tests and benchmarks.
std::span<const WordKernels> all_word_kernels(WordBytes words);

}  // namespace spillway
