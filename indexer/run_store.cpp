#include "indexer/run_store.hpp"

#include <algorithm>

#include "merge/run_input.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

const MergeInput& StoredRun::open(unsigned) {
  reader_ = std::make_unique<RunReader>(file());
  input_ = std::make_unique<RunInput>(*reader_, may_have_dropped);
  return *input_;
}

void StoredRun::close() {
  input_.reset();
  reader_.reset();
  if (temp_ != nullptr) temp_->close_reader();
}

// Samples of its terms: one for each block, at most. Blocks are full but for those at the ends of the ranges that were
// written side by side.
std::size_t StoredRun::open_bytes(std::uint64_t run_bytes, std::size_t largest_block_bytes) {
  const std::uint64_t blocks = 2 * (run_bytes / largest_block_bytes) + 64;
  return static_cast<std::size_t>(std::min<std::uint64_t>(blocks, kMaxTermSamples)) *
             (sizeof(TermSample) + kSampleTermBytes) +
         sizeof(RunReader);
}

// Documents and texts: of each a block of the file, and one with the rest of the one before, in a vector that may be
// half empty.
std::size_t StoredRun::documents_bytes(unsigned) const {
  constexpr std::size_t kStringsBytes = std::size_t{512} << 10;
  return 2 * (3 * largest_block_bytes + kStringsBytes);
}

bool RunStore::fits_memory(std::size_t bound_bytes) const { return bound_bytes + kPieceBytes <= memory_left_; }

std::unique_ptr<StoredRun> RunStore::write(std::size_t bound_bytes,
                                           const std::function<RunSummary(WritableFile&)>& write) {
  if (fits_memory(bound_bytes)) {
    auto file = std::make_unique<MemoryFile>(budget_, "a run in memory", kPieceBytes);
    RunSummary summary = write(*file);
    const std::uint64_t bytes = file->size();
    memory_left_ -= (bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
    auto run = std::make_unique<StoredRun>(std::move(file), nullptr);
    run->bytes = bytes;
    run->summary = summary;
    run->largest_block_bytes = largest_block_bytes_;
    return run;
  }
  return spill(write);
}

std::unique_ptr<StoredRun> RunStore::spill(const std::function<RunSummary(WritableFile&)>& write) {
  auto file = temp_.create("run");
  RunSummary summary = write(file->writer());
  const std::uint64_t bytes = file->writer().size();
  file->finish();
  auto run = std::make_unique<StoredRun>(nullptr, std::move(file));
  run->close();
  run->bytes = bytes;
  run->summary = summary;
  run->largest_block_bytes = largest_block_bytes_;
  return run;
}

}  // namespace spillway
