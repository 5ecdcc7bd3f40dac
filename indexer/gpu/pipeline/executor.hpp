// Types that all executors of block passes share. An executor runs the steps of a pass (indexer/gpu/steps): on a GPU
// (CudaExecutor, whose comments are the contract of an executor's members), or on the host in tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>

#include "io/memory/budget.hpp"

namespace spillway {

inline constexpr std::size_t kPassSteps = 8;
inline constexpr std::array<std::string_view, kPassSteps> kPassStepNames{"upload", "find", "sum",    "compact",
                                                                         "sort",   "keys", "encode", "download"};
// Duration of each step, by the GPU's clock.
using PassSeconds = std::array<double, kPassSteps>;

// The ends of the steps. Those from kFound to kCompacted are steps of blocks of tokens; for others they are the same
// moment as kUploaded.
enum class PassMark : std::uint8_t {
  kBegin,
  kUploaded,
  kFound,
  kSummed,
  kCompacted,
  kSorted,  // strings
  kKeyed,   // keys are in order
  kEncoded,
  kDownloaded
};
inline constexpr std::size_t kPassMarks = kPassSteps + 1;

// The working memory of block passes. A lane holds `turn` from its first upload until its lists are on the host: of two
// lanes with one arena, one sorts a block while the other writes a run.
template <typename Memory>
struct Arena {
  explicit Arena(Memory bytes) : memory(std::move(bytes)) {}
  Memory memory;
  std::mutex turn;
};

// An array that comes down, and its place in the result.
struct DownloadedArray {
  const std::uint8_t* device = nullptr;
  std::size_t host_offset = 0, bytes = 0;
};
using DownloadedArrays = std::array<DownloadedArray, 5>;

// The result on the host.
struct Download {
  const std::uint8_t* data = nullptr;
  Buffer memory;  // that `data` views; empty: it is the executor's, until the next pass
};

}  // namespace spillway
