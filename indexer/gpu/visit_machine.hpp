// What machines that run visits share: the marks of time, and what comes down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace spillway {

enum class VisitMark : std::uint8_t { kBegin, kUploaded, kSorted, kEncoded, kDownloaded };
inline constexpr std::size_t kVisitMarks = 5;

// An array that comes down, and where it will stand in the result.
struct DownloadPiece {
  const std::uint8_t* device = nullptr;
  std::size_t host_offset = 0, bytes = 0;
};
using DownloadPieces = std::array<DownloadPiece, 5>;

}  // namespace spillway
