#include "indexer/run_store.hpp"

namespace spillway {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

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
  return run;
}

}  // namespace spillway
