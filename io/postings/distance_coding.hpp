// Codes blocks of 128 distances between positions: Rice codes (Rice & Plaunt, "Adaptive variable-length coding for
// efficient compression of spacecraft television data", 1971), cut in two so that each part decodes fast. The low bits
// of all values are packed like a block of postings (io/postings/bit_packing.hpp); what is above them follows in unary,
// a bit string in which value i ends at the i-th bit that is set. docs/formats.md has the bytes.
//
// Distances are heavy-tailed: a block packed at the width of its largest value took 95.6 MB of the 64 M positions of
// the RFCs, patched (PFor) at best 82.8, and this 77.8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kDistanceBlock = 128;
inline constexpr std::size_t kDistanceHeadBytes = 2;
inline constexpr std::size_t kMaxDistanceBlockBytes = kDistanceHeadBytes + 16 * 31 + 48;

// Writes one block of any 128 values at the width that takes the fewest bits (the least such). Returns its bytes, at
// most kMaxDistanceBlockBytes. Requires: as many writable bytes at `to`.
std::size_t pack_distances(const std::uint32_t* values, std::uint8_t* to);
// The same without the vectors that the CPU may lack: for tests.
std::size_t pack_distances_portable(const std::uint32_t* values, std::uint8_t* to);

// Bytes of the block with this head of kDistanceHeadBytes, the head included; 0 where it is the head of none.
std::size_t distance_block_bytes(const std::uint8_t* head);

// Reads one block. False where it does not hold exactly 128 values below 2^32. Requires: distance_block_bytes(from) is
// not 0, and so many bytes are there.
bool unpack_distances(const std::uint8_t* from, std::uint32_t* values);

}  // namespace spillway
