#include "indexer/run/store.hpp"

#include <algorithm>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// A run in memory grows in steps of this: large enough for large pages if the run is large.
constexpr std::size_t growth_bytes_of(std::size_t run_bytes) {
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

// The samples of its terms: at most one for each block. All blocks are full, except those at the ends of the ranges
// that were written in parallel.
std::size_t StoredRun::open_bytes(std::uint64_t run_bytes, std::size_t largest_block_bytes) {
  const std::uint64_t blocks = 2 * (run_bytes / largest_block_bytes) + 64;
  return static_cast<std::size_t>(std::min<std::uint64_t>(blocks, kMaxTermSamples)) *
             (sizeof(TermSample) + kSampleTermBytes) +
         sizeof(RunReader);
}

// Documents and texts: for each a block of the file, and a vector with another block and the rest of the one before. A
// vector may be half empty.
std::size_t StoredRun::documents_bytes_of(std::size_t largest_block_bytes) {
  constexpr std::size_t kStringsBytes = std::size_t{512} << 10;
  return 2 * (3 * largest_block_bytes + kStringsBytes);
}

RunShare RunStore::take_share(std::size_t bound_bytes) {
  // The last step of growth may stay all but empty.
  const std::size_t growth_bytes = growth_bytes_of(bound_bytes), bytes = bound_bytes + growth_bytes;
  std::int64_t left = memory_left_.load();
  do {
    if (left < 0 || bytes > static_cast<std::size_t>(left)) return {};
  } while (!memory_left_.compare_exchange_weak(left, left - static_cast<std::int64_t>(bytes)));
  return {memory_left_, bytes, growth_bytes};
}

std::unique_ptr<StoredRun> RunStore::write(RunShare share, const std::function<RunSummary(WritableFile&)>& write) {
  std::unique_ptr<MemoryFile> memory;
  std::unique_ptr<TempFile> temp;
  if (share.is_memory()) {
    memory = std::make_unique<MemoryFile>(budget_, "a run in memory", share.growth_bytes_);
  } else {
    temp = keeps_files_ ? temp_.create_kept("run") : temp_.create("run");
  }
  WritableFile& file = memory != nullptr ? *memory : temp->writer();
  const RunSummary summary = write(file);
  const std::uint64_t bytes = file.size();
  if (memory != nullptr) share.keep(static_cast<std::size_t>(memory->memory_bytes()));
  std::string kept_name;
  std::shared_ptr<WritableFile> unsynced;
  if (temp != nullptr) {
    temp->finish();
    kept_name = temp->kept_name();
    unsynced = temp->take_unsynced();
  }
  auto run = std::make_unique<StoredRun>(std::move(memory), std::move(temp));
  run->close();
  run->bytes = bytes;
  run->kept_name = std::move(kept_name);
  run->unsynced = std::move(unsynced);
  run->summary = summary;
  run->share = std::move(share);
  run->largest_block_bytes = largest_block_bytes_;
  return run;
}

std::unique_ptr<StoredRun> RunStore::adopt(const std::string& name, const Hash128& job) {
  std::unique_ptr<TempFile> temp = temp_.adopt(name);
  const RunReader reader(temp->reader());
  if (reader.identity().job != job) {
    throw FormatError(printable(temp->reader().path(), 4096) +
                      ": its run has other content options than the job; give --restart to begin the job anew");
  }
  const std::uint64_t bytes = temp->reader().size();
  auto run = std::make_unique<StoredRun>(nullptr, std::move(temp));
  run->bytes = bytes;
  run->kept_name = name;
  run->summary = reader.summary();
  run->largest_block_bytes = std::max(largest_block_bytes_, reader.block_bytes());
  run->close();
  return run;
}

}  // namespace spillway
