// The inner loops of parsing to tokens (ChunkForm::kTokens), over up to kScanBytes of text, which fit the L1 cache: one
// packs ASCII words in the form that the chunk keeps, the other marks where other words are. The widest vector
// instructions of the CPU are chosen at run time. Time O(bytes), 64 bytes per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "text/scan/word_kernels.hpp"
#include "text/scan/word_marks.hpp"

namespace spillway {

// Words above kShortTokenBytes and words with a byte of 0x80 or above are special, as in WordMarks::special.

struct PackedTokens {
  std::size_t count = 0;     // words
  std::size_t bytes = 0;     // of the words and their zeros
  bool has_special = false;  // then the rest means nothing
};

// Writes the words with A-Z lowered to `tokens`, and at least one zero after each word that does not end the text.
// Kernels with instructions for that write no other zeros. None needs more than `count` bytes, but kScanPadding more
// may be overwritten. Requires: 0 < count <= kScanBytes. Reads no byte outside [text, text + count), and takes a word
// at the begin of the text for a whole one.
using PackTokensFunction = PackedTokens (*)(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens);

// Writes the words with A-Z lowered and zeros between them to `lowered`, each byte at its place in the text,
// zero-padded to a multiple of 64 bytes, and marks them. All kernels give the same. Requires: as PackTokensFunction.
using MarkTokensFunction = void (*)(const std::uint8_t* text, std::size_t count, std::uint8_t* lowered,
                                    WordMarks& marks);

struct TokenKernel {
  const char* name;  // portable, sse2, avx2, avx512, vbmi2
  PackTokensFunction pack_tokens;
  MarkTokensFunction mark_tokens;
  bool packs = false;  // pack_tokens writes no zeros but one after each word
};

// The fastest kernel that this CPU can run.
const TokenKernel& token_kernel(WordBytes words);
// All kernels that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const TokenKernel> all_token_kernels(WordBytes words);

}  // namespace spillway
