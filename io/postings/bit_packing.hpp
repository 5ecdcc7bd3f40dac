// Packs blocks of 128 32-bit values at a fixed width, in the vertical layout of SIMD-BP128 (Lemire & Boytsov, "Decoding
// billions of integers per second through vectorization", 2015): value i goes to lane i % 4, and each lane is a stream
// of 32-bit words filled from the low bits. Word k of the four lanes is at bytes 16k .. 16k+15.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spillway {

inline constexpr std::size_t kPackedBlock = 128;
inline constexpr unsigned kMaxPackedWidth = 32;
inline constexpr std::size_t packed_bytes(unsigned width) { return std::size_t{16} * width; }

// Writes packed_bytes(width) bytes, at any alignment. Requires: width <= 32, and every value fits `width` bits.
void pack_block(const std::uint32_t* values, unsigned width, std::uint8_t* to);
// Reads packed_bytes(width) bytes. Requires: width <= 32.
void unpack_block(const std::uint8_t* from, unsigned width, std::uint32_t* values);
// Unpacks a block of gaps into documents: the first is `first` + its gap, each other one the previous + 1 + its gap,
// modulo 2^32.
void unpack_documents(const std::uint8_t* from, unsigned width, std::uint32_t first, std::uint32_t* documents);

// The same, one value at a time, as the format is documented. For tests.
void pack_block_portable(const std::uint32_t* values, unsigned width, std::uint8_t* to);
void unpack_block_portable(const std::uint8_t* from, unsigned width, std::uint32_t* values);

}  // namespace spillway
