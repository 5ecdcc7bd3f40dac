// String sets (corpora/synthetic/string_set.hpp) as lines and in memory. The same options give the same strings on
// every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

// What the functions below take for blocks of strings: at most a few megabytes a thread, or one string that is longer.
std::size_t generating_bytes(const StringSet& set, std::uint64_t count, unsigned threads);

// The first `count` strings, each with a line feed behind it, in order and in pieces of about a megabyte, from one
// thread at a time; what `write` throws ends the work and is thrown here.
void generate_strings(const StringSet& set, std::uint64_t count, unsigned threads,
                      const std::function<void(std::string_view)>& write);

// Bytes of the first `count` strings without line feeds. Makes them all once.
std::uint64_t string_bytes(const StringSet& set, std::uint64_t count, unsigned threads);

// The first offsets.size() - 1 strings, behind each other: string i is bytes[offsets[i], offsets[i + 1]).
// Requires: bytes.size() is what string_bytes says.
void fill_strings(const StringSet& set, unsigned threads, std::span<std::uint8_t> bytes,
                  std::span<std::uint64_t> offsets);

}  // namespace spillway
