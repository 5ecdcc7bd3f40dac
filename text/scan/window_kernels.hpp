// The two inner loops of tokenizing, over a window of text that fits the L1 cache: where do words begin and end, and
// what are the keys of the short ones in a term table? The widest instructions that the CPU has are chosen at run time;
// all paths give the same answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

// What counts as a word byte: [A-Za-z0-9], with kWithHighBytes also all bytes from 0x80.
enum class WordBytes : std::uint8_t { kAlphanumeric, kWithHighBytes };
constexpr bool is_word_byte(std::uint8_t c, WordBytes words) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         (words == WordBytes::kWithHighBytes && c >= 0x80);
}

inline constexpr std::size_t kWindowBytes = 4096;
// Writable behind the lowered text and behind the edges, readable behind the lowered text.
inline constexpr std::size_t kWindowPadding = 64;

// Edges are the places where word bytes begin or end, in turn: a byte that differs from the one before it in being a
// word byte; `word_before` (0 or 1) stands for the byte before the text. Writes their offsets, ascending, and the text
// with A-Z lowered; returns their number. A word that reaches the text's end has no edge there.
// Requires: count <= kWindowBytes. Reads no byte outside [text, text + count).
using FindEdgesFunction = std::size_t (*)(const std::uint8_t* text, std::size_t count, std::uint64_t word_before,
                                          std::uint8_t* lowered, std::uint16_t* edges);

// Tokens looked up together.
inline constexpr std::size_t kTokenBatch = 32;

struct TokenKeys {
  // The token in two zero-padded words. low == 0: it is longer than 16 bytes.
  alignas(64) std::uint64_t low[kTokenBatch], high[kTokenBatch];
  // The entry that the token's slot names, 0 for none: to be proved, since tokens may share a slot.
  alignas(64) std::uint32_t guess[kTokenBatch];
  std::uint8_t bytes[kTokenBatch];  // of the token; 0 where low == 0, so that no key of a table is like it
};

// What is needed to look at the slots of a TermTable: slot = slots[hash >> shift], entry = slot & index_mask.
struct SlotTable {
  const std::uint32_t* slots = nullptr;
  unsigned shift = 0;
  std::uint32_t index_mask = 0;
  std::uint64_t seed = 0;  // of hash_token_words
};

// Keys and guesses of the tokens [edges[2i], edges[2i + 1]) of a lowered text, at most kTokenBatch of them.
// Requires: an even number of edges; kWindowPadding readable bytes behind the last token.
using LoadKeysFunction = void (*)(const std::uint8_t* lowered, std::span<const std::uint16_t> edges,
                                  const SlotTable& table, TokenKeys& keys);

struct WindowKernels {
  const char* name;  // portable, sse2, avx2, avx512
  FindEdgesFunction find_edges;
  LoadKeysFunction load_keys;
};

// The fastest on this CPU.
const WindowKernels& window_kernels(WordBytes words);
// Every path that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const WindowKernels> all_window_kernels(WordBytes words);

}  // namespace spillway
