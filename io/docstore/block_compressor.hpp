// Compresses the blocks of streams (io/docstore/block_stream.hpp), optionally with helper threads, and appends them in
// the order of add(). The bytes do not depend on the number of threads.
#pragma once

#include <zstd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "io/section/writer.hpp"

namespace spillway {

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// The kind of a stream decides how its blocks are compressed (docs/formats.md#compressed-blocks).
enum class BlockContent : std::uint8_t { kFields, kText };

// Called by one thread at a time. Destruction without finish() discards the blocks that wait.
class BlockCompressor {
 public:
  // `most_block_bytes`: size limit of every block, and of the blocks that are compressed together.
  explicit BlockCompressor(std::size_t most_block_bytes);
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;

  // Starts up to `count` threads that compress in parallel with the caller; fewer if the system has no more. Requires:
  // no helpers were started since the last finish().
  void start_helpers(unsigned count);
  // The next blocks of a stream: at most BlockCompressor's most_block_bytes together, each of block_bytes but the last.
  struct Blocks {
    std::size_t block_bytes = 0;
    BlockContent content = BlockContent::kText;
    SectionWriter* data = nullptr;
    SectionWriter* offsets = nullptr;
  };
  // Takes the bytes of `raw`, which becomes empty but keeps room. This call or a later add() or finish() appends the
  // stored bytes of each block to the stream's data and their offset to its offsets, on the calling thread. Rethrows
  // the errors of helpers. After an exception only destruction makes sense.
  void add(std::vector<std::uint8_t>& raw, const Blocks& blocks);
  // Appends all blocks that wait, ends the helpers and frees its memory. The compressor may be used again.
  void finish();

  std::size_t most_block_bytes() const { return most_block_bytes_; }
  static std::size_t memory_bytes(std::size_t most_block_bytes);  // without helpers
  static std::size_t helper_bytes(std::size_t most_block_bytes);  // for each helper

 private:
  // A thread has one, with the settings for the content of its last block.
  struct Context {
    std::unique_ptr<ZSTD_CCtx, FreeZstd> zstd;
    BlockContent content = BlockContent::kText;
    bool is_set = false;
  };
  struct Slot {
    std::vector<std::uint8_t> raw, stored;
    std::vector<std::size_t> stored_ends;  // of each block
    Blocks blocks;
    std::atomic<bool> is_done = false;
  };

  Slot& slot(std::uint64_t block) { return slots_[block % slots_.size()]; }
  static void prepare(Context& context, BlockContent content);
  void compress(Slot& slot, Context& context) const;
  void help() noexcept;
  bool oldest_is_done() { return slot(appended_count_).is_done.load(std::memory_order_acquire); }
  void append_oldest();
  void make_progress();
  void end_helpers() noexcept;

  std::size_t most_block_bytes_;
  Context context_;          // of the calling thread
  std::vector<Slot> slots_;  // a ring; a block's slot belongs to the caller, then to the thread that compresses it,
                             // then to the caller again
  std::mutex mutex_;
  std::condition_variable added_, done_;
  // Numbers of slots added, taken for compression, and appended. Only the caller writes added_count_, with the mutex
  // held, and only it uses appended_count_.
  std::uint64_t added_count_ = 0, taken_count_ = 0, appended_count_ = 0;
  bool is_ending_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> helpers_;
};

}  // namespace spillway
