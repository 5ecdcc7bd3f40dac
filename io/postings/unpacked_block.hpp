// Properties of a block of 128 postings that are needed before it is packed. Vectorized where the CPU supports it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "io/postings/bit_packing.hpp"

namespace spillway {

struct UnpackedBlock {
  alignas(64) std::array<std::uint32_t, kPackedBlock> gaps;  // document - previous document - 1
  alignas(64) std::array<std::uint32_t, kPackedBlock> rest;  // frequency - 1
  std::uint32_t gap_bits = 0, rest_bits = 0;                 // bitwise or of all gaps, of all rests
  std::uint32_t most = 0;                                    // the largest frequency
};

// Computes them for 128 postings; `next` is the last document before them + 1.
UnpackedBlock shape_block(const std::uint32_t* documents, const std::uint32_t* frequencies, std::uint32_t next);

// Returns the least of codes[document]. Requires: at least one document; documents ascend, and each has a code.
std::uint8_t least_code(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes);

// Sums any numbers.
std::uint64_t sum_of(std::span<const std::uint32_t> numbers);

// The same without vectors. For other CPUs, and for tests.
UnpackedBlock shape_block_portable(const std::uint32_t* documents, const std::uint32_t* frequencies,
                                   std::uint32_t next);
std::uint8_t least_code_portable(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes);

}  // namespace spillway
