// Checks a whole index: `spillway verify`, and tests.
#pragma once

#include <cstdint>
#include <functional>

#include "io/index/reader.hpp"

namespace spillway {

// Re-reads and checks everything: hashes of all files, page CRCs, order of terms, documents and ids, counts, every
// list against its bounds, lengths against postings, and the checksum of the source. Throws FormatError at the first
// fault. `progress`, if set, gets the bytes checked so far. Holds 4 bytes per document.
void verify_index(const IndexReader& index, const std::function<void(std::uint64_t)>& progress = {});

}  // namespace spillway
