// The path of DocumentWeight (io/checksum/content_checksum.hpp) for lists whose neighbours rarely share the high part
// of their powers, which are most lists: multiplies both parts for each posting, eight at a time, in digits of 52 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace spillway {

struct ScatteredWeight {
  std::uint64_t weight = 0;  // sum of tf * r^document, below 2^61 - 1
  std::size_t count = 0;     // number of postings included, from the first on
};

// Returns whether this CPU has the instructions (AVX-512 IFMA).
bool has_scattered_weight();

// Sums the first postings, up to the first with a frequency above 7; none on CPUs without the instructions. Requires:
// documents ascend and are below 2^24.
ScatteredWeight weigh_scattered(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);

}  // namespace spillway
