// Copies bytes that a thread block has gathered in shared memory to where they belong, in pieces of 16 bytes.
#pragma once

#include <cstdint>

namespace spillway {

// The bytes [begin, end) of `s_pieces` go to bytes [begin, end) of `to`, which is aligned to a piece: bytes stand in
// shared memory as far from a multiple of a piece as in the result. Other thread blocks write the rest of the first and
// the last piece. All threads call it, after what they gathered is there.
template <unsigned kThreads>
__device__ inline void copy_gathered(const uint4* s_pieces, unsigned begin, unsigned end, std::uint8_t* to) {
  const auto* const s_bytes = reinterpret_cast<const std::uint8_t*>(s_pieces);
  for (unsigned at = threadIdx.x * sizeof(uint4); at < end; at += kThreads * sizeof(uint4)) {
    const unsigned piece_end = at + sizeof(uint4);
    if (at >= begin && piece_end <= end) {
      *reinterpret_cast<uint4*>(to + at) = s_pieces[at / sizeof(uint4)];
    } else {
      for (unsigned i = max(at, begin); i < min(piece_end, end); ++i) to[i] = s_bytes[i];
    }
  }
}

}  // namespace spillway
