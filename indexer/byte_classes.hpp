// First step of tokenizing: which bytes of a text belong to words, 64 at a time as bit masks. The widest instructions
// that the CPU has are chosen at run time; all paths give the same masks.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

// What counts as a word byte: [A-Za-z0-9], with kWithHighBytes also all bytes from 0x80.
enum class WordBytes : std::uint8_t { kAlphanumeric, kWithHighBytes };

// masks[i] bit j = byte 64 * i + j is a word byte; bits behind the end are 0. Writes (count + 63) / 64 masks. Reads no
// byte outside [text, text + count).
using ClassifyFunction = void (*)(const std::uint8_t* text, std::size_t count, std::uint64_t* masks);

// The fastest on this CPU.
ClassifyFunction classify_function(WordBytes words);

struct NamedClassify {
  const char* name;  // portable, sse2, avx2, avx512
  ClassifyFunction function;
};
// Every path that this CPU can run, the portable one first: for tests and benchmarks. *count gets their number.
const NamedClassify* classify_functions(WordBytes words, std::size_t* count);

}  // namespace spillway
