// The runs of a job, in document order: kept in memory while their share of the budget lasts, else spilled to scratch
// files, which hold no descriptor unless they are open for a merge.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "indexer/merge_source.hpp"
#include "io/memory_file.hpp"
#include "io/run_format.hpp"
#include "io/temp_space.hpp"

namespace spillway {

class StoredRun final : public MergeSource {
 public:
  StoredRun(std::unique_ptr<MemoryFile> memory, std::unique_ptr<TempFile> temp)
      : memory_(std::move(memory)), temp_(std::move(temp)) {}

  const ReadableFile& file() { return memory_ != nullptr ? *memory_ : temp_->reader(); }
  const MergeInput& open(unsigned cursors) override;
  void close() override;
  std::size_t cursor_bytes() const override { return cursor_bytes(largest_block_bytes); }
  std::size_t open_bytes() const override { return open_bytes(bytes, largest_block_bytes); }
  std::size_t documents_bytes(unsigned) const override;
  // The same of a run that is not there yet.
  static std::size_t cursor_bytes(std::size_t largest_block_bytes) { return largest_block_bytes + kCursorBytes; }
  static std::size_t open_bytes(std::uint64_t run_bytes, std::size_t largest_block_bytes);
  bool is_spilled() const override { return temp_ != nullptr; }

  std::size_t largest_block_bytes = kMaxRunBlockBytes;  // blocks are not compressed: a cursor holds one

 private:
  static constexpr std::size_t kCursorBytes = 4096;
  std::unique_ptr<MemoryFile> memory_;
  std::unique_ptr<TempFile> temp_;
  std::unique_ptr<RunReader> reader_;
  std::unique_ptr<MergeInput> input_;
};

// A share of the memory for runs, held for one that is on its way: given back when destroyed, but for what was kept.
// Movable; no longer than its store.
class RunShare {
 public:
  RunShare() = default;
  RunShare(RunShare&& other) noexcept
      : left_(std::exchange(other.left_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  RunShare& operator=(RunShare&&) = delete;
  RunShare(const RunShare&) = delete;
  RunShare& operator=(const RunShare&) = delete;
  ~RunShare() { give_back(bytes_); }

  // Is there one? Else the run goes to a scratch file.
  bool is_memory() const { return left_ != nullptr; }
  // The run took so much of it, for good; the rest is given back. Requires: bytes are no more than were asked for.
  void keep(std::size_t bytes);

 private:
  friend class RunStore;
  RunShare(std::atomic<std::size_t>& left, std::size_t bytes) : left_(&left), bytes_(bytes) {}
  void give_back(std::size_t bytes);
  std::atomic<std::size_t>* left_ = nullptr;
  std::size_t bytes_ = 0;
};

// Thread-safe, but for `runs`.
class RunStore {
 public:
  // Runs in memory take at most memory_bytes of `budget`. No block of a run is larger than largest_block_bytes.
  RunStore(MemoryBudget& budget, TempSpace& temp, std::size_t memory_bytes,
           std::size_t largest_block_bytes = kMaxRunBlockBytes)
      : budget_(budget), temp_(temp), memory_left_(memory_bytes), largest_block_bytes_(largest_block_bytes) {}

  // Lets runs in memory take so much more.
  void add_memory(std::size_t bytes) { memory_left_ += bytes; }

  std::size_t largest_block_bytes() const { return largest_block_bytes_; }

  // Memory for a run of at most `bound_bytes`, or none: decided before it is written, as what is done with it may
  // depend on that.
  RunShare take_share(std::size_t bound_bytes);

  // Writes the run that the share was taken for. `write` gets the file to fill.
  std::unique_ptr<StoredRun> write(RunShare share, const std::function<RunSummary(WritableFile&)>& write);

  // Always to a scratch file.
  std::unique_ptr<StoredRun> spill(const std::function<RunSummary(WritableFile&)>& write);

  std::vector<std::unique_ptr<MergeSource>> runs;

 private:
  MemoryBudget& budget_;
  TempSpace& temp_;
  std::atomic<std::size_t> memory_left_;
  std::size_t largest_block_bytes_;
};

}  // namespace spillway
