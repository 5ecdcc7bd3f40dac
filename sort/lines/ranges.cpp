#include "sort/lines/ranges.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <string>

namespace spillway {

namespace {

constexpr std::size_t kMostSplitterBytes = std::size_t{64} << 10;

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

// Finds where a splitter cuts a run: the number of its records that stand before the splitter.
class RunCutter {
 public:
  RunCutter(std::span<const Run> runs, const RecordOrder& order, bool splits_equal)
      : runs_(runs), order_(order), splits_equal_(splits_equal) {}

  std::vector<std::uint64_t> cut(const Splitter& splitter) const {
    const std::string compared = splitter.is_whole ? splitter.compared : read_compared(runs_, order_, splitter);
    std::vector<std::uint64_t> cuts;
    for (std::size_t run = 0; run < runs_.size(); ++run) cuts.push_back(cut_run(run, splitter, compared));
    return cuts;
  }

 private:
  std::uint64_t cut_run(std::size_t number, const Splitter& splitter, std::string_view compared) const {
    const Run& run = runs_[number];
    if (splits_equal_ && number == splitter.run) return run.blocks[splitter.block].records_before;
    // Among equal records, those of earlier runs come first.
    const bool equal_before = splits_equal_ && number < splitter.run;
    const std::size_t block = first_block_not_before(run, compared, equal_before);
    return block == 0 ? 0 : cut_in_block(run, block - 1, compared, equal_before);
  }

  bool is_before(std::string_view record, std::string_view splitter, bool equal_before) const {
    const int difference = compare_records(record, splitter, order_);
    return difference < 0 || (difference == 0 && equal_before);
  }

  bool block_is_before(const Run& run, std::size_t block, std::string_view splitter, bool equal_before) const {
    const std::string& first = run.blocks[block].first;
    const std::size_t shared = shared_bytes(first, splitter);
    const bool is_decided = shared < first.size() && shared < splitter.size();
    if (is_decided) return is_before(first, splitter, equal_before);
    RunCursor cursor(run, order_);
    cursor.seek(run.blocks[block].records_before, run.records);
    cursor.next();
    return is_before(cursor.record().compared(order_), splitter, equal_before);
  }

  std::size_t first_block_not_before(const Run& run, std::string_view splitter, bool equal_before) const {
    std::size_t begin = 0, end = run.blocks.size();
    while (begin != end) {
      const std::size_t middle = std::midpoint(begin, end);
      if (block_is_before(run, middle, splitter, equal_before)) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
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

// All blocks, in the order of the bytes that they are known by.
std::vector<Splitter> all_blocks(std::span<const Run> runs, const RecordOrder& order) {
  std::vector<Splitter> all;
  for (std::size_t run = 0; run < runs.size(); ++run) {
    for (std::size_t block = 0; block < runs[run].blocks.size(); ++block) all.push_back({run, block});
  }
  sort_splitters(all, order, [&](const Splitter& at) { return std::string_view(runs[at.run].blocks[at.block].first); });
  return all;
}

// Begins of blocks, evenly spread over all runs, in the order of their records.
std::vector<Splitter> choose_splitters(std::span<const Run> runs, const RecordOrder& order, std::uint64_t range_bytes) {
  std::vector<Splitter> chosen;
  std::uint64_t bytes = 0;
  bool are_whole = true;
  for (Splitter& at : all_blocks(runs, order)) {
    if (bytes >= range_bytes) {
      bytes = 0;
      at.compared = read_compared(runs, order, at);
      at.is_whole = at.compared.size() <= kMostSplitterBytes;
      are_whole &= at.is_whole;
      if (!at.is_whole) at.compared = at.compared.substr(0, kMostSplitterBytes);
      chosen.push_back(at);
    }
    bytes += runs[at.run].blocks[at.block].record_bytes;
  }
  // Records may differ after the bytes that blocks are known by, and long ones after those that splitters keep.
  if (are_whole) {
    sort_splitters(chosen, order, [](const Splitter& at) { return std::string_view(at.compared); });
  } else {
    sort_splitters(chosen, order, [&](const Splitter& at) { return read_compared(runs, order, at); });
  }
  return chosen;
}

}  // namespace

std::vector<MergeRange> split_by_rank(std::span<const Run> runs, const LineOrder& order, std::uint64_t range_bytes) {
  const RecordOrder record_order(order);
  const std::vector<Splitter> splitters = choose_splitters(runs, record_order, range_bytes);
  const RunCutter cutter(runs, record_order, !order.is_unique);
  std::vector<MergeRange> ranges(splitters.size() + 1);
  ranges.front().begin.resize(runs.size());
  tbb::parallel_for(std::size_t{0}, splitters.size(),
                    [&](std::size_t i) { ranges[i + 1].begin = cutter.cut(splitters[i]); });
  for (std::size_t i = 0; i + 1 < ranges.size(); ++i) ranges[i].end = ranges[i + 1].begin;
  for (const Run& run : runs) ranges.back().end.push_back(run.records);
  return ranges;
}

}  // namespace spillway
