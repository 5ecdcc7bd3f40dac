// Types that all executors of block passes share. An executor runs the steps of a pass (indexer/gpu/steps): on a GPU
// (CudaExecutor, whose comments are the contract of an executor's members), or on the host in tests.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

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

// The working memory of the block passes of a GPU: arenas of one size, which its lanes take by turns. A lane has one
// from its first upload until its lists are on the host. Meanwhile lanes without one prepare their block or keep their
// lists. Thread-safe; lives longer than what take() returns.
template <typename Memory>
class ArenaPool {
 public:
  explicit ArenaPool(std::vector<Memory> arenas) : arenas_(std::move(arenas)) {
    for (Memory& arena : arenas_) free_.push_back(&arena);
  }
  ArenaPool(const ArenaPool&) = delete;
  ArenaPool& operator=(const ArenaPool&) = delete;

  struct GiveBack {
    ArenaPool* pool = nullptr;
    void operator()(Memory* arena) const { pool->give_back(arena); }
  };
  using Turn = std::unique_ptr<Memory, GiveBack>;
  // Waits for a free arena.
  Turn take() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !free_.empty(); });
    Memory* const arena = free_.back();
    free_.pop_back();
    return Turn(arena, GiveBack{this});
  }

 private:
  void give_back(Memory* arena) {
    {
      const std::lock_guard lock(mutex_);
      free_.push_back(arena);
    }
    freed_.notify_one();
  }

  std::vector<Memory> arenas_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<Memory*> free_;
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
