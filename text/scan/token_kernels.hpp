// The inner loop of parsing to tokens (ChunkForm::kTokens), over up to kScanBytes of text, which fit the L1 cache. It
// lowers the text and zeroes all bytes between words, which is the form that the chunk keeps for ASCII words, and marks
// where other words are. The widest vector instructions of the CPU are chosen at run time; all paths give the same
// results. Time O(bytes), 64 bytes per step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "text/scan/word_kernels.hpp"
#include "text/scan/word_marks.hpp"

namespace spillway {

struct MarkedTokens {
  std::size_t count = 0;     // words
  bool has_special = false;  // whether any bit of WordMarks::special is set
};

// Writes the words with A-Z lowered and zeros between them to `tokens`, zero-padded to a multiple of 64 bytes.
// Requires: 0 < count <= kScanBytes; the byte before the text is not a word byte. Reads no byte outside
// [text, text + count).
using MarkTokensFunction = MarkedTokens (*)(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens,
                                            WordMarks& marks);

struct TokenKernel {
  const char* name;  // portable, sse2, avx2, avx512
  MarkTokensFunction mark_tokens;
};

// The fastest kernel that this CPU can run.
MarkTokensFunction token_kernel(WordBytes words);
// All kernels that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const TokenKernel> all_token_kernels(WordBytes words);

}  // namespace spillway
