// Writes string sets (corpora/synthetic/string_set.hpp) as lines or to memory. The same options give the same strings
// on every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

// The memory that the functions below take: at most a few megabytes per thread, or one string that is longer.
std::size_t generating_bytes(const StringSet& set, std::uint64_t count, unsigned threads);

// Writes the first `count` strings, each followed by a line feed, in order and in blocks of at most 4 MiB, from one
// thread at a time. An exception of `write` ends the work and is rethrown.
void generate_strings(const StringSet& set, std::uint64_t count, unsigned threads,
                      const std::function<void(std::string_view)>& write);

// Length of the first `count` strings without line feeds. Makes all of them once.
std::uint64_t string_bytes(const StringSet& set, std::uint64_t count, unsigned threads);

// Writes the first offsets.size() - 1 strings without gaps: string i is bytes[offsets[i], offsets[i + 1]).
// Requires: bytes.size() == string_bytes() of as many strings.
void fill_strings(const StringSet& set, unsigned threads, std::span<std::uint8_t> bytes,
                  std::span<std::uint64_t> offsets);

}  // namespace spillway
