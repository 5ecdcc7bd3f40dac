// What DocumentWeight (io/checksum/content_checksum.hpp) adds for lists whose neighbours seldom share the high part of
// their powers, which are most: both parts are multiplied for each posting, eight at a time, in digits of 52 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

struct ScatteredWeight {
  std::uint64_t weight = 0;  // sum of tf * r^document, below 2^61 - 1
  std::size_t count = 0;     // of how many postings, from the first on
};

// Whether this CPU has the vectors for it.
bool has_scattered_weight();

// Of the first postings, as far as this is for them: none on CPUs without the vectors, and up to the first frequencies
// above 7. Requires: documents ascend and are below 2^24.
ScatteredWeight weigh_scattered(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);

}  // namespace spillway
