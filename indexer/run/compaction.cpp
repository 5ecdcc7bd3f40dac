#include "indexer/run/compaction.hpp"

#include <algorithm>

namespace spillway {

namespace {

RunShare share_for(std::span<const std::unique_ptr<MergeSource>> group, RunStore& store, bool has_positions) {
  std::uint64_t bytes = 0, entries = 0, held = 0;
  for (const auto& run : group) {
    bytes += run->bytes;
    entries += run->summary.entry_count;
    held += run->share.bytes();
  }
  const auto bound = static_cast<std::size_t>(merged_run_bound(bytes, entries, has_positions));
  const bool leaves_half = store.memory_left() + held >= store.memory_bytes() / 2 + bound;
  return leaves_half ? store.take_share(bound) : RunShare();
}

}  // namespace

std::unique_ptr<MergeSource> compact(std::span<const std::unique_ptr<MergeSource>> group, RunStore& store, CompactTo to,
                                     const RunMergeOptions& options) {
  const OpenSources open(group, options.threads);
  const bool has_positions = open.inputs().front()->identity().has_positions;
  RunShare share = to == CompactTo::kScratch ? RunShare() : share_for(group, store, has_positions);
  std::unique_ptr<StoredRun> run =
      store.write(std::move(share), [&](WritableFile& file) { return merge_runs(open.inputs(), file, options); });
  run->may_have_dropped =
      std::any_of(group.begin(), group.end(), [](const auto& source) { return source->may_have_dropped; });
  return run;
}

}  // namespace spillway
