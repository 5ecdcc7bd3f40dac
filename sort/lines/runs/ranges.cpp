#include "sort/lines/runs/ranges.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <string>

namespace spillway {

namespace {

constexpr std::size_t kMostSplitterBytes = std::size_t{64} << 10;
constexpr std::size_t kMostHalvings = 64;  // of a range; runs that are not in order may be cut into unequal halves

// The first record of a block.
struct Splitter {
  std::size_t run = 0, block = 0;
  std::string compared = {};  // at most kMostSplitterBytes of it
  bool is_whole = true;
};

std::string read_compared(std::span<const Run> runs, const RecordOrder& order, const Splitter& splitter) {
  const Run& run = runs[splitter.run];
  RunCursor cursor(run, order);
  cursor.seek(run.blocks[splitter.block].records_before, run.records);
  cursor.next();
  return std::string(cursor.record().compared(order));
}

// Blocks [begin, end) of a run.
struct BlockSpan {
  std::size_t begin, end;
};

// The blocks that begin in records [begin, end).
BlockSpan blocks_begun(const Run& run, std::uint64_t begin, std::uint64_t end) {
  const auto block_at = [&](std::uint64_t record) {
    const auto at = std::ranges::lower_bound(run.blocks, record, {}, &RunBlock::records_before);
    return static_cast<std::size_t>(at - run.blocks.begin());
  };
  return {block_at(begin), block_at(end)};
}

// Finds where splitters cut runs: the number of their records that stand before a splitter.
class RunCutter {
 public:
  RunCutter(std::span<const Run> runs, const RecordOrder& order, bool splits_equal)
      : runs_(runs), order_(order), splits_equal_(splits_equal) {}

  // For each splitter, in order, the first block of a run that does not begin before it.
  std::vector<std::size_t> find_blocks(std::size_t number, const std::vector<Splitter>& splitters) const {
    std::vector<std::size_t> found;
    BlockWalk walk(runs_[number]);
    for (const Splitter& splitter : splitters) {
      while (!walk.is_at_end() && begins_before(walk, number, splitter)) walk.next();
      found.push_back(walk.block());
    }
    return found;
  }

  // `block`: the first one that does not begin before the splitter. `splitter` holds its whole record.
  std::uint64_t cut(std::size_t number, std::size_t block, const Splitter& splitter) const {
    const Run& run = runs_[number];
    if (splits_equal_ && number == splitter.run) return run.blocks[splitter.block].records_before;
    return block == 0 ? 0 : cut_in_block(run, block - 1, splitter.compared, takes_equal(number, splitter));
  }

  // The same, for one splitter, in a part of a run.
  std::uint64_t cut(std::size_t number, BlockSpan blocks, const Splitter& splitter) const {
    const bool equal_before = takes_equal(number, splitter);
    while (blocks.begin != blocks.end) {
      const std::size_t middle = std::midpoint(blocks.begin, blocks.end);
      if (is_before(read_compared(runs_, order_, {number, middle}), splitter.compared, equal_before)) {
        blocks.begin = middle + 1;
      } else {
        blocks.end = middle;
      }
    }
    return cut(number, blocks.begin, splitter);
  }

 private:
  // Among equal records, those of earlier runs come first.
  bool takes_equal(std::size_t number, const Splitter& splitter) const {
    return splits_equal_ && number < splitter.run;
  }

  bool is_before(std::string_view record, std::string_view splitter, bool equal_before) const {
    const int difference = compare_records(record, splitter, order_);
    return difference < 0 || (difference == 0 && equal_before);
  }

  bool begins_before(const BlockWalk& walk, std::size_t number, const Splitter& splitter) const {
    if (splits_equal_ && number == splitter.run) return walk.block() < splitter.block;
    const bool equal_before = takes_equal(number, splitter);
    const bool is_known = walk.has_whole_first() || shared_bytes(walk.first(), splitter.compared) < walk.first().size();
    if (is_known) return is_before(walk.first(), splitter.compared, equal_before);
    const std::string record = read_compared(runs_, order_, {number, walk.block()});
    if (splitter.is_whole) return is_before(record, splitter.compared, equal_before);
    return is_before(record, read_compared(runs_, order_, splitter), equal_before);
  }

  std::uint64_t cut_in_block(const Run& run, std::size_t block, std::string_view splitter, bool equal_before) const {
    const std::uint64_t begin = run.blocks[block].records_before, end = begin + run.blocks[block].records;
    RunCursor cursor(run, order_);
    cursor.seek(begin, end);
    while (cursor.next()) {
      if (!is_before(cursor.record().compared(order_), splitter, equal_before)) return cursor.position();
    }
    return end;
  }

  std::span<const Run> runs_;
  RecordOrder order_;
  bool splits_equal_;
};

// Orders splitters by their records, as far as `text` tells them, and then by their places.
template <typename Text>
void sort_splitters(std::vector<Splitter>& splitters, const RecordOrder& order, const Text& text) {
  std::ranges::sort(splitters, [&](const Splitter& a, const Splitter& b) {
    const int difference = compare_records(text(a), text(b), order);
    if (difference != 0) return difference < 0;
    return a.run != b.run ? a.run < b.run : a.block < b.block;
  });
}

// Begins of blocks, a range of bytes apart in the order of what all blocks are known by.
std::vector<Splitter> spread_splitters(std::span<const Run> runs, const RecordOrder& order, std::uint64_t range_bytes) {
  std::vector<BlockWalk> walks(runs.begin(), runs.end());
  const auto comes_later = [&](std::size_t a, std::size_t b) {
    const int difference = compare_records(walks[a].first(), walks[b].first(), order);
    return difference != 0 ? difference > 0 : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(comes_later)> next(comes_later);
  for (std::size_t run = 0; run < runs.size(); ++run) {
    if (!walks[run].is_at_end()) next.push(run);
  }
  std::vector<Splitter> chosen;
  for (std::uint64_t bytes = 0; !next.empty();) {
    const std::size_t run = next.top();
    next.pop();
    if (bytes >= range_bytes) chosen.push_back({run, walks[run].block()});
    if (bytes >= range_bytes) bytes = 0;
    bytes += runs[run].blocks[walks[run].block()].record_bytes;
    walks[run].next();
    if (!walks[run].is_at_end()) next.push(run);
  }
  return chosen;
}

// The same splitters in the order of their records.
std::vector<Splitter> choose_splitters(std::span<const Run> runs, const RecordOrder& order, std::uint64_t range_bytes) {
  std::vector<Splitter> chosen = spread_splitters(runs, order, range_bytes);
  bool are_whole = true;
  for (Splitter& at : chosen) {
    at.compared = read_compared(runs, order, at);
    at.is_whole = at.compared.size() <= kMostSplitterBytes;
    are_whole &= at.is_whole;
    if (!at.is_whole) at.compared = at.compared.substr(0, kMostSplitterBytes);
  }
  // Records may differ after the bytes that blocks are known by, and long ones after those that splitters keep.
  if (are_whole) {
    sort_splitters(chosen, order, [](const Splitter& at) { return std::string_view(at.compared); });
  } else {
    sort_splitters(chosen, order, [&](const Splitter& at) { return read_compared(runs, order, at); });
  }
  return chosen;
}

// Halves ranges that are much too large: what blocks are known by may not tell their order.
class RangeHalver {
 public:
  RangeHalver(std::span<const Run> runs, const RecordOrder& order, const RunCutter& cutter, std::uint64_t range_bytes)
      : runs_(runs), order_(order), cutter_(cutter), range_bytes_(range_bytes) {}

  void add(const MergeRange& range, std::vector<MergeRange>& ranges, std::size_t depth = 0) const {
    const auto [bytes, largest] = measure(range);
    if (bytes > range_bytes_ / 2 * 3 && depth < kMostHalvings) {
      const auto [first, second] = halve(range, largest);
      if (first.end != range.begin && first.end != range.end) {
        add(first, ranges, depth + 1);
        return add(second, ranges, depth + 1);
      }
    }
    ranges.push_back(range);
  }

 private:
  struct Measure {
    std::uint64_t bytes = 0;  // of the blocks that begin in the range
    std::size_t largest = 0;  // the run that has most of them
  };
  Measure measure(const MergeRange& range) const {
    Measure measure;
    std::uint64_t most = 0;
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const BlockSpan blocks = blocks_begun(runs_[run], range.begin[run], range.end[run]);
      std::uint64_t bytes = 0;
      for (std::size_t i = blocks.begin; i < blocks.end; ++i) bytes += runs_[run].blocks[i].record_bytes;
      measure.bytes += bytes;
      if (bytes > most) measure.largest = run;
      most = std::max(most, bytes);
    }
    return measure;
  }

  std::pair<MergeRange, MergeRange> halve(const MergeRange& range, std::size_t largest) const {
    const BlockSpan of_largest = blocks_begun(runs_[largest], range.begin[largest], range.end[largest]);
    Splitter splitter{largest, std::midpoint(of_largest.begin, of_largest.end)};
    splitter.compared = read_compared(runs_, order_, splitter);
    MergeRange first{range.begin, {}};
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      const BlockSpan blocks = blocks_begun(runs_[run], range.begin[run], range.end[run]);
      first.end.push_back(std::clamp(cutter_.cut(run, blocks, splitter), range.begin[run], range.end[run]));
    }
    MergeRange second{first.end, range.end};
    return {std::move(first), std::move(second)};
  }

  std::span<const Run> runs_;
  const RecordOrder& order_;
  const RunCutter& cutter_;
  std::uint64_t range_bytes_;
};

}  // namespace

std::vector<MergeRange> split_by_rank(std::span<const Run> runs, const LineOrder& order, std::uint64_t range_bytes) {
  const RecordOrder record_order(order);
  std::vector<Splitter> splitters = choose_splitters(runs, record_order, range_bytes);
  const RunCutter cutter(runs, record_order, !order.is_unique);
  std::vector<std::vector<std::size_t>> blocks(runs.size());
  tbb::parallel_for(std::size_t{0}, runs.size(),
                    [&](std::size_t run) { blocks[run] = cutter.find_blocks(run, splitters); });
  std::vector<MergeRange> ranges(splitters.size() + 1);
  ranges.front().begin.resize(runs.size());
  tbb::parallel_for(std::size_t{0}, splitters.size(), [&](std::size_t i) {
    Splitter& at = splitters[i];
    if (!at.is_whole) at.compared = read_compared(runs, record_order, at);
    for (std::size_t run = 0; run < runs.size(); ++run) {
      ranges[i + 1].begin.push_back(cutter.cut(run, blocks[run][i], at));
    }
    at.compared = {};
  });
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
    // Runs that are not in order may be cut anywhere, but each record stays in one range.
    for (std::size_t run = 0; run < runs.size(); ++run) {
      ranges[i + 1].begin[run] = std::max(ranges[i + 1].begin[run], ranges[i].begin[run]);
    }
    ranges[i].end = ranges[i + 1].begin;
  }
  for (const Run& run : runs) ranges.back().end.push_back(run.records);
  const RangeHalver halver(runs, record_order, cutter, range_bytes);
  std::vector<MergeRange> halved;
  for (const MergeRange& range : ranges) halver.add(range, halved);
  return halved;
}

}  // namespace spillway
