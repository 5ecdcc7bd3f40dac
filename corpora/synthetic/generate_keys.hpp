// Writes key sets (corpora/synthetic/key_set.hpp) as bytes or to memory. The same options give the same keys on every
// machine and with any number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "corpora/synthetic/key_set.hpp"

namespace spillway {

// Writes the set as little-endian uint64, in order and in blocks of 512 KiB, from one thread at a time. An exception of
// `write` ends the work and is rethrown. Memory: one block per thread.
void generate_keys(const KeySet& set, unsigned threads, const std::function<void(std::string_view)>& write);

// Writes the whole set to `keys`. Requires: keys.size() == set.options().count.
void fill_keys(const KeySet& set, unsigned threads, std::span<std::uint64_t> keys);

}  // namespace spillway
