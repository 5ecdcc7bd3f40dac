#include "sort/lines/runs/tournament.hpp"

namespace spillway {

RunMerger merge_range(std::span<const Run> runs, const RecordOrder& order, const MergeRange& range) {
  std::vector<RunCursor> cursors;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (range.begin[run] >= range.end[run]) continue;
    cursors.emplace_back(runs[run], order);
    cursors.back().seek(range.begin[run], range.end[run]);
  }
  return {std::move(cursors), order};
}

}  // namespace spillway
