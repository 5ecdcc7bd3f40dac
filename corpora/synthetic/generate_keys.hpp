// Key sets (corpora/synthetic/key_set.hpp) as streams of bytes and in memory. The same options give the same keys on
// every machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "corpora/synthetic/key_set.hpp"

namespace spillway {

// The set as little-endian uint64, in order and in pieces of 512 KiB, from one thread at a time; what `write` throws
// ends the work and is thrown here. Memory: one piece a thread.
void generate_keys(const KeySet& set, unsigned threads, const std::function<void(std::string_view)>& write);

// The whole set. Requires: keys.size() == set.options().count.
void fill_keys(const KeySet& set, unsigned threads, std::span<std::uint64_t> keys);

}  // namespace spillway
