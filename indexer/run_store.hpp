// The runs of a job, in document order: kept in memory while their share of the budget lasts, else spilled to scratch
// files, which hold no descriptor unless they are open for a merge.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/memory_file.hpp"
#include "io/run_format.hpp"
#include "io/temp_space.hpp"

namespace spillway {

class StoredRun {
 public:
  StoredRun(std::unique_ptr<MemoryFile> memory, std::unique_ptr<TempFile> temp)
      : memory_(std::move(memory)), temp_(std::move(temp)) {}

  const ReadableFile& open() { return memory_ != nullptr ? *memory_ : temp_->reader(); }
  void close() {
    if (temp_ != nullptr) temp_->close_reader();
  }
  bool is_spilled() const { return temp_ != nullptr; }
  std::uint64_t bytes = 0;
  RunSummary summary;

 private:
  std::unique_ptr<MemoryFile> memory_;
  std::unique_ptr<TempFile> temp_;
};

// Not thread-safe, but for write() of different runs.
class RunStore {
 public:
  // Runs in memory take at most memory_bytes of `budget`.
  RunStore(MemoryBudget& budget, TempSpace& temp, std::size_t memory_bytes)
      : budget_(budget), temp_(temp), memory_left_(memory_bytes) {}

  // Lets runs in memory take so much more.
  void add_memory(std::size_t bytes) { memory_left_ += bytes; }

  // Will a run of at most `bound_bytes` be kept in memory?
  bool fits_memory(std::size_t bound_bytes) const;

  // Writes a run of at most `bound_bytes`. `write` gets the file to fill.
  std::unique_ptr<StoredRun> write(std::size_t bound_bytes, const std::function<RunSummary(WritableFile&)>& write);

  // The same, but always to a scratch file.
  std::unique_ptr<StoredRun> spill(const std::function<RunSummary(WritableFile&)>& write);

  std::vector<std::unique_ptr<StoredRun>> runs;

 private:
  MemoryBudget& budget_;
  TempSpace& temp_;
  std::size_t memory_left_;
};

}  // namespace spillway
