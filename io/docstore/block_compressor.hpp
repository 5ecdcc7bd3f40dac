// Compresses the blocks of streams (io/docstore/block_stream.hpp), optionally with helper threads, and appends them in
// the order of add(). The bytes do not depend on the number of threads.
#pragma once

#include <zstd.h>

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

// What the blocks of a stream hold, which decides how they are compressed (docs/formats.md#compressed-blocks).
enum class BlockContent : std::uint8_t { kFields, kText };

// Called by one thread at a time. Destruction without finish() discards the blocks that wait.
class BlockCompressor {
 public:
  // `most_block_bytes`: size limit of every block.
  explicit BlockCompressor(std::size_t most_block_bytes);
  ~BlockCompressor();
  BlockCompressor(const BlockCompressor&) = delete;
  BlockCompressor& operator=(const BlockCompressor&) = delete;

  // Starts up to `count` threads that compress in parallel with the caller; fewer if the system has no more. Requires:
  // no helpers were started since the last finish().
  void start_helpers(unsigned count);
  // Takes the bytes of `raw`, which becomes empty but keeps room. This call or a later add() or finish() appends the
  // stored bytes to `data` and their offset to `offsets`, on the calling thread. Rethrows the errors of helpers.
  void add(std::vector<std::uint8_t>& raw, BlockContent content, SectionWriter& data, SectionWriter& offsets);
  // Appends all blocks that wait, ends the helpers and frees its memory. The compressor may be used again.
  void finish();

  static std::size_t memory_bytes(std::size_t most_block_bytes);  // without helpers
  static std::size_t helper_bytes(std::size_t most_block_bytes);  // for each helper

 private:
  // Of one thread, with the settings for the content of its last block.
  struct Context {
    std::unique_ptr<ZSTD_CCtx, FreeZstd> zstd;
    BlockContent content = BlockContent::kText;
  };
  struct Slot {
    std::vector<std::uint8_t> raw, compressed;
    std::size_t compressed_bytes = 0;
    BlockContent content = BlockContent::kText;
    SectionWriter* data = nullptr;
    SectionWriter* offsets = nullptr;
    bool is_done = false;
  };

  Slot& slot(std::uint64_t block) { return slots_[block % slots_.size()]; }
  static void prepare(Context& context, BlockContent content);
  void compress(Slot& slot, Context& context) const;
  void help() noexcept;
  void append_oldest(std::unique_lock<std::mutex>& lock);
  void make_progress(std::unique_lock<std::mutex>& lock);
  void end_helpers() noexcept;

  std::size_t most_block_bytes_;
  Context context_;          // of the calling thread
  std::vector<Slot> slots_;  // a ring; a block's slot belongs to the caller, then to the thread that compresses it,
                             // then to the caller again
  std::mutex mutex_;
  std::condition_variable added_, done_;
  std::uint64_t added_count_ = 0, taken_count_ = 0,
                appended_count_ = 0;  // numbers of blocks added, taken for compression, appended
  bool is_ending_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> helpers_;
};

}  // namespace spillway
