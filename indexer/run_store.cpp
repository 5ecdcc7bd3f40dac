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

void RunShare::keep(std::size_t bytes) {
  const std::size_t pieces = (bytes + kPieceBytes - 1) / kPieceBytes * kPieceBytes;
  give_back(bytes_ - std::min(bytes_, pieces));
  bytes_ = 0;
}

void RunShare::give_back(std::size_t bytes) {
  if (left_ != nullptr) left_->fetch_add(bytes);
}

RunShare RunStore::take_share(std::size_t bound_bytes) {
  const std::size_t bytes = bound_bytes + kPieceBytes;
  std::size_t left = memory_left_.load();
  do {
    if (bytes > left) return {};
  } while (!memory_left_.compare_exchange_weak(left, left - bytes));
  return {memory_left_, bytes};
}

std::unique_ptr<StoredRun> RunStore::write(RunShare share, const std::function<RunSummary(WritableFile&)>& write) {
  if (!share.is_memory()) return spill(write);
  auto file = std::make_unique<MemoryFile>(budget_, "a run in memory", kPieceBytes);
  RunSummary summary = write(*file);
  const std::uint64_t bytes = file->size();
  share.keep(static_cast<std::size_t>(bytes));
  auto run = std::make_unique<StoredRun>(std::move(file), nullptr);
  run->bytes = bytes;
  run->summary = summary;
  run->largest_block_bytes = largest_block_bytes_;
  return run;
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
