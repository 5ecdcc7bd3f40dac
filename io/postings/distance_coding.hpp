// Codes blocks of 128 distances between positions: Rice codes (Rice & Plaunt, "Adaptive variable-length coding for
// efficient compression of spacecraft television data", 1971), split in two so that each part decodes fast. The low
// bits of all values are packed like a block of postings (io/postings/bit_packing.hpp); the high bits follow in unary,
// a bit string in which value i ends at the i-th set bit. docs/formats.md lists the bytes.
//
// Distances are heavy-tailed. The 64 M positions of the RFCs take 95.6 MB in blocks packed at the width of the largest
// value, at best 82.8 MB with patching (PFor), and 77.8 MB with these codes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kDistanceBlock = 128;
inline constexpr std::size_t kDistanceHeadBytes = 2;
inline constexpr std::size_t kMaxDistanceBlockBytes = kDistanceHeadBytes + 16 * 31 + 48;

// Writes one block of any 128 values at the least width that takes the fewest bits. Returns its size in bytes, at most
// kMaxDistanceBlockBytes. Requires: that many writable bytes at `to`.
std::size_t pack_distances(const std::uint32_t* values, std::uint8_t* to);
// The same without vector instructions. For tests.
std::size_t pack_distances_portable(const std::uint32_t* values, std::uint8_t* to);

// Returns the size in bytes of the block with this head of kDistanceHeadBytes, head included; 0 if the head is invalid.
std::size_t distance_block_bytes(const std::uint8_t* head);

// Reads one block. Returns false if it does not hold exactly 128 values below 2^32. Requires:
// distance_block_bytes(from) is not 0, and that many bytes are readable.
bool unpack_distances(const std::uint8_t* from, std::uint32_t* values);

}  // namespace spillway
