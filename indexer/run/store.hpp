// The runs of a job, in document order: kept in memory while their share of the budget lasts, otherwise spilled to
// scratch files, which hold a descriptor only while they are merged.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "indexer/run/merge_source.hpp"
#include "io/file/memory_file.hpp"
#include "io/format/run.hpp"
#include "io/scratch/temp_space.hpp"
#include "merge/input/run.hpp"

namespace spillway {

class StoredRun final : public MergeSource {
 public:
  StoredRun(std::unique_ptr<MemoryFile> memory, std::unique_ptr<TempFile> temp)
      : memory_(std::move(memory)), temp_(std::move(temp)) {}

  const ReadableFile& file() { return memory_ != nullptr ? *memory_ : temp_->reader(); }
  const MergeInput& open(unsigned cursors) override;
  void close() override;
  // Cursors read blocks of runs in memory in place.
  std::size_t cursor_bytes() const override { return is_spilled() ? cursor_bytes(largest_block_bytes) : kCursorBytes; }
  std::size_t open_bytes() const override { return open_bytes(bytes, largest_block_bytes); }
  std::size_t documents_bytes(unsigned) const override { return documents_bytes_of(largest_block_bytes); }
  // Return the same figures for a run that does not exist yet (cursor_bytes: for a run that will be spilled).
  static std::size_t cursor_bytes(std::size_t largest_block_bytes) { return largest_block_bytes + kCursorBytes; }
  static std::size_t documents_bytes_of(std::size_t largest_block_bytes);
  static std::size_t open_bytes(std::uint64_t run_bytes, std::size_t largest_block_bytes);
  bool is_spilled() const override { return temp_ != nullptr; }

  std::size_t largest_block_bytes = kMaxRunBlockBytes;  // a cursor over a spilled run holds one
  static constexpr std::size_t kCursorBytes = 4096;     // memory of a cursor over a run in memory

 private:
  std::unique_ptr<MemoryFile> memory_;
  std::unique_ptr<TempFile> temp_;
  std::unique_ptr<RunReader> reader_;
  std::unique_ptr<RunInput> input_;
};

// Thread-safe, except for `runs`.
class RunStore {
 public:
  // Runs in memory take at most memory_bytes of `budget`. Blocks of runs have at most largest_block_bytes.
  RunStore(MemoryBudget& budget, TempSpace& temp, std::size_t memory_bytes,
           std::size_t largest_block_bytes = kMaxRunBlockBytes)
      : budget_(budget),
        temp_(temp),
        memory_bytes_(memory_bytes),
        memory_left_(static_cast<std::int64_t>(memory_bytes)),
        largest_block_bytes_(largest_block_bytes) {}

  // Lets runs in memory take `bytes` more.
  void add_memory(std::size_t bytes) {
    memory_bytes_ += bytes;
    memory_left_ += static_cast<std::int64_t>(bytes);
  }
  std::size_t memory_bytes() const { return memory_bytes_.load(); }
  // The part of memory_bytes() that no run holds now.
  std::size_t memory_left() const { return static_cast<std::size_t>(std::max<std::int64_t>(memory_left_.load(), 0)); }

  std::size_t largest_block_bytes() const { return largest_block_bytes_; }

  // Runs that go to scratch files from now on outlive the job, in its own directory. They are yet to be synced
  // (MergeSource::unsynced).
  void keep_files() { keeps_files_ = true; }

  // Opens a run that an earlier job kept. Throws FormatError if it is damaged, or its content options are not of `job`.
  std::unique_ptr<StoredRun> adopt(const std::string& name, const Hash128& job);

  // Takes memory for a run of at most `bound_bytes`, or none: then the run will be spilled. Call it before the run is
  // written, because how it is written may depend on where it goes.
  RunShare take_share(std::size_t bound_bytes);

  // Makes a run in the memory of the share, or in a scratch file if it has none. `write` fills the file.
  std::unique_ptr<StoredRun> write(RunShare share, const std::function<RunSummary(WritableFile&)>& write);

 private:
  MemoryBudget& budget_;
  TempSpace& temp_;
  std::atomic<std::size_t> memory_bytes_;
  std::atomic<std::int64_t> memory_left_;  // below 0 if runs took more than their shares
  std::size_t largest_block_bytes_;
  bool keeps_files_ = false;

 public:
  MergeSources runs;  // their shares refer to memory_left_
};

}  // namespace spillway
