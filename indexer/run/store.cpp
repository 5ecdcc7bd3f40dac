#include "indexer/run/store.hpp"

#include <algorithm>

#include "merge/input/run.hpp"

namespace spillway {

namespace {

// What a run in memory grows by: large enough for large pages where the run is.
constexpr std::size_t piece_bytes_of(std::size_t run_bytes) {
  if (run_bytes < (std::size_t{8} << 20)) return std::size_t{64} << 10;
  return run_bytes < (std::size_t{64} << 20) ? std::size_t{1} << 20 : std::size_t{4} << 20;
}

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
std::size_t StoredRun::documents_bytes_of(std::size_t largest_block_bytes) {
  constexpr std::size_t kStringsBytes = std::size_t{512} << 10;
  return 2 * (3 * largest_block_bytes + kStringsBytes);
}

RunShare RunStore::take_share(std::size_t bound_bytes) {
  // The last piece may be all but empty.
  const std::size_t piece_bytes = piece_bytes_of(bound_bytes), bytes = bound_bytes + piece_bytes;
  std::int64_t left = memory_left_.load();
  do {
    if (left < 0 || bytes > static_cast<std::size_t>(left)) return {};
  } while (!memory_left_.compare_exchange_weak(left, left - static_cast<std::int64_t>(bytes)));
  return {memory_left_, bytes, piece_bytes};
}

std::unique_ptr<StoredRun> RunStore::write(RunShare share, const std::function<RunSummary(WritableFile&)>& write) {
  if (!share.is_memory()) return spill(write);
  auto file = std::make_unique<MemoryFile>(budget_, "a run in memory", share.piece_bytes_);
  RunSummary summary = write(*file);
  const std::uint64_t bytes = file->size();
  share.keep(static_cast<std::size_t>(file->memory_bytes()));
  auto run = std::make_unique<StoredRun>(std::move(file), nullptr);
  run->share = std::move(share);
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
