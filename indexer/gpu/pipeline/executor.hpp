// What machines that run visits share: the marks between their steps, and what comes down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "indexer/gpu/pipeline/pass_seconds.hpp"

namespace spillway {

// kFound to kCompacted: of tokens, else they stand where kUploaded does.
enum class PassMark : std::uint8_t {
  kBegin,
  kUploaded,
  kFound,
  kSummed,
  kCompacted,
  kSorted,  // strings
  kKeyed,   // keys are there, in order
  kEncoded,
  kDownloaded
};
inline constexpr std::size_t kPassMarks = kPassSteps + 1;

// An array that comes down, and where it will stand in the result.
struct DownloadPiece {
  const std::uint8_t* device = nullptr;
  std::size_t host_offset = 0, bytes = 0;
};
using DownloadPieces = std::array<DownloadPiece, 5>;

}  // namespace spillway
