// Offsets and sizes of the run format (docs/run_format.md), and the binding of its CRCs. Only for its writer and
// readers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "io/base/byte_order.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"
#include "io/format/run.hpp"

namespace spillway::run_layout {

inline constexpr std::string_view kMagic = "SPILLRUN", kTrailerMagic = "NURLLIPS";
inline constexpr std::uint16_t kMajor = 1, kMinor = 0;

// Header.
inline constexpr std::size_t kHeaderBytes = 64;
inline constexpr std::size_t kMajorAt = 8, kMinorAt = 10, kIncompatibleAt = 12, kCompatibleAt = 16, kFlagsAt = 20,
                             kJobAt = 24, kNumberAt = 40, kReservedAt = 48, kHeaderCrcAt = 60;
inline constexpr std::uint32_t kHasTexts = 1, kKnownIncompatible = kHasTexts;
inline constexpr std::uint32_t kHasPositions = 1, kFirstOpen = 2, kLastOpen = 4, kKnownFlags = 7;

// Block header.
inline constexpr std::uint8_t kTermBlock = 1, kDocumentBlock = 2, kTextBlock = 3;
inline constexpr std::size_t kBlockHeaderBytes = 24;
inline constexpr std::uint8_t kStoredAsIs = 0;  // the only codec
inline constexpr std::size_t kKindAt = 0, kCodecAt = 1, kBlockReservedAt = 2, kStoredAt = 4, kRawAt = 8, kCountAt = 12,
                             kBlockCrcAt = 16, kPayloadCrcAt = 20;

// Footer: fixed fields, samples, CRC.
inline constexpr std::size_t kDocumentCountAt = 0, kEntryCountAt = 8, kPostingCountAt = 16, kOccurrenceCountAt = 24,
                             kSumAt = 32, kBlockCountAt = 48, kTermBlockCountAt = 56, kDocumentBytesAt = 64,
                             kLargestBlockAt = 72, kLongestTermAt = 76, kFooterFlagsAt = 80, kSampleCountAt = 84;
inline constexpr std::size_t kFooterFixedBytes = 88;
inline constexpr std::size_t kPositionSumBytes = 8;   // after the fixed fields, in a run with positions
inline constexpr std::size_t kSampleFixedBytes = 17;  // offset, number, length of the term
inline constexpr std::uint32_t kHasStoredIds = 1, kKnownFooterFlags = 1;
inline constexpr std::size_t kMaxFooterBytes =
    kFooterFixedBytes + kPositionSumBytes + kMaxTermSamples * (kSampleFixedBytes + kSampleTermBytes) + 4;

// Trailer.
inline constexpr std::size_t kTrailerBytes = 24;
inline constexpr std::size_t kFooterOffsetAt = 0, kFooterBytesAt = 8, kTrailerCrcAt = 12, kTrailerMagicAt = 16;

// All other CRCs start from the header's CRC, which represents job, run number and flags. A block, footer or trailer
// from another run or place therefore fails its check.
inline std::uint32_t block_seed(std::uint32_t header_crc, std::uint64_t number, std::uint64_t offset) {
  std::array<std::uint8_t, 16> place;
  store_le(place.data(), number);
  store_le(place.data() + 8, offset);
  return crc32c(header_crc, place);
}
inline std::uint32_t footer_seed(std::uint32_t header_crc, std::uint64_t offset) {
  std::array<std::uint8_t, 8> place;
  store_le(place.data(), offset);
  return crc32c(header_crc, place);
}

[[noreturn]] inline void throw_damaged(const std::string& path, std::uint64_t offset, const std::string& expected,
                                       const std::string& found) {
  throw FormatError(printable(path, 4096) + ": offset " + std::to_string(offset) + ": expected " + expected +
                    ", found " + found + "; the run is damaged: make it again from its input");
}

}  // namespace spillway::run_layout
