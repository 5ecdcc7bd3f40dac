// The hot loop of reading HTML: text and tags in memory, 64 bytes at a time. It stops at the first thing that is not
// plain, and HtmlTokenizer reads that, with the same result. Time O(bytes).
#pragma once

#include <cstdint>
#include <span>

#include "corpora/html/text_writer.hpp"

namespace spillway {

// What plain tags may not be, as bits: tags of these elements stop the loop.
inline constexpr std::uint8_t kStopAtAlternatives = 1, kStopAtMeta = 2;

// Reads text and tags from the start of `html` into `writer`, and returns how many bytes: up to a place between tokens.
// It stops where the writer's buffer or the bytes run out, at elements whose content is not ordinary or is no text, at
// comments, NUL bytes, references that it does not know, and tags with attributes that are hard to tell apart.
// Requires: valid UTF-8, which starts between tokens of ordinary content outside of svg and math.
using ReadPlainMarkup = std::size_t (*)(std::string_view html, std::uint8_t stops, HtmlTextWriter& writer);

struct PlainMarkupKernel {
  const char* name;  // none, sse2, avx2, avx512
  ReadPlainMarkup read;
};

// The fastest kernel that this CPU can run.
ReadPlainMarkup best_plain_markup_kernel();
// All kernels that this CPU can run, and one that reads nothing: for tests and benchmarks.
std::span<const PlainMarkupKernel> all_plain_markup_kernels();

}  // namespace spillway
