// The transfer checksums (indexer/chunk/transfer_checksum.hpp) of the arrays of a block of tokens, taken on the GPU
// after the upload. They equal the sums of what was sent unless something was damaged on the way.
#pragma once

#include <cstddef>
#include <cstdint>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/chunk/transfer_checksum.hpp"
#include "indexer/gpu/steps/keys.hpp"
#include "indexer/gpu/steps/tokens.hpp"

namespace spillway {

struct UploadedSums {
  TransferChecksum places;  // all ChunkPlaces as one array
  ChunkTransferChecksums arrays;
};

// The host fetches this to check a block that went up.
struct UploadedTokens {
  UploadedSums sums;
  RawCounts counts;  // of all bytes
};
struct CollectCounts {
  const RawCounts* all;
  RawCounts* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t) const { *counts = *all; }
};

struct AddChecksums {
  SPILLWAY_HOST_DEVICE TransferChecksum operator()(TransferChecksum a, const TransferChecksum& b) const {
    return a += b;
  }
};

static_assert(kChunkAlignment % kSummedBytes == 0 && sizeof(ChunkPlace) % kSummedBytes == 0);
inline constexpr unsigned kSummedValues = kSummedBytes / sizeof(std::uint32_t);

// Each of these four types maps a chunk to its first value in an array of 4-byte values, and `count` to the array's
// end. Chunks begin at multiples of kStride.
struct TokenShares {
  static constexpr unsigned kStride = kSummedValues;
  const ChunkPlace* places;
  std::uint32_t count;
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::uint32_t chunk) const {
    return places[chunk].data_offset / sizeof(std::uint32_t);
  }
};
struct LengthShares {
  static constexpr unsigned kStride = 1;
  const ChunkPlace* places;
  std::uint32_t count;
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::uint32_t chunk) const { return places[chunk].first_slice; }
};
struct PositionRunShares {
  static constexpr unsigned kStride = sizeof(PositionRun) / sizeof(std::uint32_t);
  const ChunkPlace* places;
  std::uint32_t count;
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::uint32_t chunk) const {
    return std::uint64_t{kStride} * places[chunk].first_position_run;
  }
};
// The whole array counts as one chunk.
struct OneShare {
  static constexpr unsigned kStride = kSummedValues;
  static constexpr std::uint32_t count = 1;
  std::uint64_t values;
  SPILLWAY_HOST_DEVICE std::uint64_t operator()(std::uint32_t chunk) const { return chunk * values; }
};

// The sum of 16 bytes of an array, at the first of their values, and zero at the others. A chunk's last 16 bytes may be
// fewer.
template <typename Shares>
struct SumValues {
  const std::uint32_t* values;
  Shares shares;

  SPILLWAY_HOST_DEVICE TransferChecksum operator()(std::size_t i) const {
    const std::uint64_t first = i * Shares::kStride;
    const std::uint32_t chunk = last_not_above(shares.count, first, shares);
    const std::uint64_t index = first - shares(chunk), left = shares(chunk + 1) - first;
    if (index % kSummedValues != 0) return {};
    std::uint64_t words[2] = {0, 0};
    SPILLWAY_UNROLL
    for (unsigned v = 0; v < kSummedValues; ++v) {
      if (v < left) words[v / 2] |= std::uint64_t{values[first + v]} << 32 * (v % 2);
    }
    const std::uint64_t number = index / 2;
    return TransferChecksum{words[0] + words[1], keyed_word(words[0], number) + keyed_word(words[1], number + 1)}
        .of_chunk(chunk);
  }
};

}  // namespace spillway
