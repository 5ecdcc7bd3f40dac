// The inner loop of parsing to tokens (ChunkForm::kTokens), over a window of text that fits the L1 cache: the text,
// lowered, with all that is between words zeroed, which for ASCII words already is what the chunk keeps; and where
// other words are. The widest instructions that the CPU has are chosen at run time; all paths give the same answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "text/scan/window_kernels.hpp"

namespace spillway {

// Bits by byte of a window; those behind it are 0.
struct WindowMarks {
  using Bits = std::array<std::uint64_t, kWindowBytes / 64>;
  Bits words;    // of a word
  Bits special;  // at least one in each word with a byte from 0x80, or of more than kShortTokenBytes bytes; in no other
};

struct WindowTokens {
  std::size_t count = 0;     // words
  bool has_special = false;  // is any bit of WindowMarks::special set?
};

// Writes words with A-Z lowered and zeros between them to `tokens`, with zeros up to a multiple of 64 bytes.
// Requires: 0 < count <= kWindowBytes; the byte before the text is of no word. Reads no byte outside
// [text, text + count).
using MarkTokensFunction = WindowTokens (*)(const std::uint8_t* text, std::size_t count, std::uint8_t* tokens,
                                            WindowMarks& marks);

struct TokenKernel {
  const char* name;  // portable, sse2, avx2, avx512
  MarkTokensFunction mark_tokens;
};

// The fastest on this CPU.
MarkTokensFunction token_kernel(WordBytes words);
// Every path that this CPU can run, the portable one first: for tests and benchmarks.
std::span<const TokenKernel> all_token_kernels(WordBytes words);

}  // namespace spillway
