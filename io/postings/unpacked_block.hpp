// What has to be known of a block of 128 postings before it is packed: in vectors, where the CPU has them.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "io/postings/bit_packing.hpp"

namespace spillway {

struct UnpackedBlock {
  alignas(64) std::array<std::uint32_t, kPackedBlock> gaps;  // document - the one before - 1
  alignas(64) std::array<std::uint32_t, kPackedBlock> rest;  // frequency - 1
  std::uint32_t gap_bits = 0, rest_bits = 0;                 // all gaps or-ed, all rests or-ed
  std::uint32_t most = 0;                                    // the largest frequency
};

// Of 128 postings, where `next` is the last document before them + 1.
UnpackedBlock shape_block(const std::uint32_t* documents, const std::uint32_t* frequencies, std::uint32_t next);

// The least of codes[document]. Requires: documents are not empty, they ascend, and all have a code.
std::uint8_t least_code(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes);

// Of any numbers.
std::uint64_t sum_of(std::span<const std::uint32_t> numbers);

// The same without vectors: for other CPUs, and tests.
UnpackedBlock shape_block_portable(const std::uint32_t* documents, const std::uint32_t* frequencies,
                                   std::uint32_t next);
std::uint8_t least_code_portable(std::span<const std::uint32_t> documents, std::span<const std::uint8_t> codes);

}  // namespace spillway
