#include "sort/lines/runs/merge.hpp"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/memory/in_flight.hpp"
#include "sort/lines/block/padded_copy.hpp"
#include "sort/lines/runs/ranges.hpp"
#include "sort/lines/runs/tournament.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastRuns = 2;
// Bounds of the text that is written at once: the least stays in the processor's cache, the most makes a disk fast.
constexpr std::size_t kLeastWrite = std::size_t{256} << 10, kMostWrite = std::size_t{1} << 20, kPartOfWrite = 1024;
constexpr std::size_t kMostPlacedRangeBytes = std::size_t{64} << 20;
constexpr std::size_t kLeastRangeBytes = std::size_t{256} << 10, kMostRangeBytes = std::size_t{8} << 20;

// How a merge shares the memory among the ranges that are worked on at once.
struct MergePlan {
  std::size_t tokens = 1, range_bytes = 0, most_runs = kLeastRuns, write_bytes = kLeastWrite;
  bool is_serial = false;  // one thread merges whole runs, and copies no long line
};

// What a thread makes of a range: text for the output, or blocks of a run.
struct RangeResult {
  std::vector<std::uint8_t> text;
  std::vector<EncodedBlock> blocks;
  std::uint64_t offset = 0;
};

class RangeWorker {
 public:
  RangeWorker(std::span<const Run> runs, const LineOrder& order, std::size_t block_bytes, const MergePlan& plan)
      : runs_(runs),
        order_(order),
        format_(order.format),
        block_bytes_(block_bytes),
        range_bytes_(plan.range_bytes),
        write_bytes_(plan.write_bytes) {}

  void make_text(const MergeRange& range, RangeResult& result) const {
    RunMerger merger = merge_range(runs_, order_, range);
    // Ranges differ a little in size.
    std::vector<std::uint8_t>& text = result.text;
    text.resize(range_bytes_ / 4 * 5 + kCopyPadding);
    std::size_t used = 0;
    while (merger.next()) {
      const std::string_view line = merger.record().line(order_);
      if (text.size() - used <= line.size() + kCopyPadding) text.resize((used + line.size() + kCopyPadding) / 4 * 5);
      append_line(line, text.data() + used);
      used += line.size() + format_.end_bytes();
    }
    text.resize(used);
  }

  // Writes the text of a range where it belongs, while it is in the processor's cache. Lines that are longer than what
  // is written at once are not copied.
  void write_text(const MergeRange& range, std::uint64_t offset, const std::function<void()>& check,
                  LineOutput& output) const {
    RunMerger merger = merge_range(runs_, order_, range);
    std::vector<std::uint8_t> text(write_bytes_ + kCopyPadding);
    std::size_t used = 0;
    bool is_full = output.is_full();
    const auto write = [&](std::span<const std::uint8_t> bytes) {
      if (check) check();
      put_text(output, offset, bytes);
      offset += bytes.size();
      is_full = output.is_full();
    };
    const auto write_used = [&] {
      if (used != 0) write(std::span(text).first(used));
      used = 0;
    };
    while (!is_full && merger.next()) {
      const std::string_view line = merger.record().line(order_);
      if (used + line.size() >= write_bytes_) write_used();
      if (line.size() >= write_bytes_) {
        write(bytes_of({line.data(), line.size() + format_.end_bytes()}));
        continue;
      }
      append_line(line, text.data() + used);
      used += line.size() + format_.end_bytes();
    }
    write_used();
  }

  // Calls put(block) for each block.
  template <typename Put>
  void make_blocks(const MergeRange& range, const Put& put) const {
    RunMerger merger = merge_range(runs_, order_, range);
    BlockEncoder encoder(order_);
    while (merger.next()) {
      if (merger.record().bytes.size() >= kLongLine) {
        if (!encoder.is_empty()) put(encoder.finish());
        put(encoder.encode_alone(merger.record()));
        continue;
      }
      encoder.add_padded(merger.record(), merger.shared());
      if (encoder.record_bytes() >= block_bytes_) put(encoder.finish());
    }
    if (!encoder.is_empty()) put(encoder.finish());
  }

 private:
  // Requires: room for the line and kCopyPadding bytes.
  void append_line(std::string_view line, std::uint8_t* to) const {
    std::uint8_t* const end = copy_padded(reinterpret_cast<const std::uint8_t*>(line.data()), line.size(), to);
    if (format_.has_ends()) *end = static_cast<std::uint8_t>(format_.line_end);
  }

  std::span<const Run> runs_;
  RecordOrder order_;
  LineFormat format_;
  std::size_t block_bytes_, range_bytes_, write_bytes_;
};

std::size_t token_count() { return static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1; }

// Calls check() before each range, make(range, result) in parallel, take(result) in order by one thread at a time, and
// put(result) in parallel. Ends early where is_enough() tells so.
struct RangeWork {
  std::vector<MergeRange> ranges;
  std::size_t tokens;
  const std::function<void()>& check;
  std::function<bool()> is_enough = {};
};
template <typename Make, typename Take, typename Put>
void for_each_range(const RangeWork& work, const Make& make, const Take& take, const Put& put) {
  using Pointer = RangeResult*;
  InFlight<RangeResult> results;
  std::size_t next = 0;
  const auto number =
      tbb::make_filter<void, std::size_t>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (work.check) work.check();
        if (next == work.ranges.size() || (work.is_enough && work.is_enough())) control.stop();
        return next++;
      });
  const auto merge = tbb::make_filter<std::size_t, Pointer>(tbb::filter_mode::parallel, [&](std::size_t i) {
    const Pointer result = results.add({});
    make(work.ranges[i], *result);
    return result;
  });
  const auto order = tbb::make_filter<Pointer, Pointer>(tbb::filter_mode::serial_in_order, [&](Pointer result) {
    take(*result);
    return result;
  });
  const auto write = tbb::make_filter<Pointer, void>(tbb::filter_mode::parallel, [&](Pointer result) {
    put(*result);
    results.remove(result);
  });
  tbb::parallel_pipeline(work.tokens, number & merge & order & write);
}

MergeRange all_records(std::span<const Run> runs) {
  MergeRange all{std::vector<std::uint64_t>(runs.size()), {}};
  for (const Run& run : runs) all.end.push_back(run.records);
  return all;
}

Run merge_group(std::span<const Run> runs, RunSpace& space, const LineOrder& order, const MergeResources& resources,
                const MergePlan& plan) {
  const RangeWorker worker(runs, order, resources.block_bytes, plan);
  Run merged;
  merged.file = &space.next_file();
  const auto append = [&](const EncodedBlock& block) {
    space.charge(block.stored.size());
    append_block(merged, block);
  };
  if (plan.is_serial) {
    worker.make_blocks(all_records(runs), [&](const EncodedBlock& block) {
      if (resources.check) resources.check();
      append(block);
    });
  } else {
    for_each_range(
        RangeWork{split_by_rank(runs, order, plan.range_bytes), plan.tokens, resources.check},
        [&](const MergeRange& range, RangeResult& result) {
          worker.make_blocks(range, [&](EncodedBlock block) { result.blocks.push_back(std::move(block)); });
        },
        [&](const RangeResult& result) { std::ranges::for_each(result.blocks, append); }, [](const RangeResult&) {});
  }
  merged.blocks.shrink_to_fit();
  return merged;
}

// Ranges whose texts go to their places need no memory for them, so they may be long. Each begins and ends with a part
// of a block of each run, which is unpacked several times.
std::size_t placed_range_bytes(std::span<const Run> runs, const MergeResources& resources, const MergePlan& plan) {
  constexpr std::size_t kRangesOfThread = 8, kBlocksOfRun = 16;
  if (resources.range_bytes != 0) return resources.range_bytes;
  std::uint64_t bytes = 0;
  for (const Run& run : runs) bytes += run.record_bytes;
  const std::uint64_t even = bytes / (kRangesOfThread * token_count());
  const std::size_t worthwhile = kBlocksOfRun * runs.size() * resources.block_bytes;
  return std::max(
      {static_cast<std::size_t>(std::min<std::uint64_t>(even, kMostPlacedRangeBytes)), worthwhile, plan.range_bytes});
}

void merge_to_places(std::span<const Run> runs, const LineOrder& order, const MergeResources& resources,
                     const MergePlan& plan, LineOutput& output) {
  const RangeWorker worker(runs, order, resources.block_bytes, plan);
  const RecordOrder record_order(order);
  const auto offset_of = [&](const MergeRange& range) {
    std::uint64_t offset = 0;
    for (std::size_t run = 0; run < runs.size(); ++run) {
      offset += line_bytes_before(runs[run], range.begin[run], record_order);
      offset += range.begin[run] * order.format.end_bytes();
    }
    return offset;
  };
  output.expect_all(offset_of({all_records(runs).end, {}}));
  for_each_range(
      RangeWork{split_by_rank(runs, order, placed_range_bytes(runs, resources, plan)), plan.tokens, resources.check},
      [&](const MergeRange& range, RangeResult&) {
        worker.write_text(range, offset_of(range), resources.check, output);
      },
      [](const RangeResult&) {}, [](const RangeResult&) {});
}

void merge_to_output(std::span<const Run> runs, const LineOrder& order, const MergeResources& resources,
                     const MergePlan& plan, LineOutput& output) {
  if (plan.is_serial) {
    const RangeWorker worker(runs, order, resources.block_bytes, plan);
    return worker.write_text(all_records(runs), 0, resources.check, output);
  }
  // How long a range becomes is known before if no line is dropped.
  if (output.has_places() && !order.is_unique) return merge_to_places(runs, order, resources, plan, output);
  const RangeWorker worker(runs, order, resources.block_bytes, plan);
  std::uint64_t bytes = 0;
  for_each_range(
      RangeWork{split_by_rank(runs, order, plan.range_bytes), plan.tokens, resources.check,
                [&] { return output.is_full(); }},
      [&](const MergeRange& range, RangeResult& result) { worker.make_text(range, result); },
      [&](RangeResult& result) {
        result.offset = bytes;
        bytes += result.text.size();
        if (!output.has_places()) output.write(result.text);
      },
      [&](const RangeResult& result) {
        if (output.has_places()) output.write_at(result.offset, result.text);
      });
}

// What runs take, and the places where all ranges begin and end in them; at most half of `memory_bytes`.
std::size_t kept_bytes(std::span<const Run> runs, std::size_t range_bytes, std::size_t memory_bytes) {
  constexpr std::size_t kPlaces = 3;  // begin, end, and the block
  std::size_t bytes = 0;
  std::uint64_t record_bytes = 0;
  for (const Run& run : runs) {
    bytes += run.own_bytes();
    record_bytes += run.record_bytes;
  }
  bytes += (record_bytes / range_bytes + 1) * runs.size() * kPlaces * sizeof(std::uint64_t);
  return std::min(bytes, memory_bytes / 2);
}

// A thread takes these bytes for a run: an unpacked block, and a record.
std::size_t cursor_of(const Run& run) { return std::size_t{run.longest_raw} + run.longest_record + 512; }

// How many runs one thread can merge in `memory` if it has only the longest record of each, the next one of one of
// them, and what that is unpacked from.
std::size_t serial_runs(std::span<const Run> runs, std::size_t memory) {
  std::vector<std::size_t> cursors;
  for (const Run& run : runs) {
    cursors.push_back(std::size_t{run.longest_raw} + std::min<std::size_t>(run.longest_record, kLongLine));
  }
  std::ranges::sort(cursors, std::greater<>());
  std::size_t used = 2 * cursors.front() + 2 * kLeastWrite, count = 0;
  for (; count != cursors.size() && used + cursors[count] <= memory; ++count) used += cursors[count];
  return std::max(count, kLeastRuns);
}

// Where lines are long: what a range's thread takes for lines that it has made of the runs, and for those that it looks
// for splitters in.
constexpr std::size_t kCopiesOfRange = 2;

// A quarter of the memory is for what is made of ranges, the rest for the blocks and records of runs. Long lines leave
// less than all threads need.
MergePlan plan_merge(std::span<const Run> runs, const MergeResources& resources, std::size_t all_memory) {
  std::size_t cursor_bytes = 1, longest = 0;
  for (const Run& run : runs) {
    cursor_bytes = std::max(cursor_bytes, cursor_of(run));
    longest = std::max<std::size_t>(longest, run.longest_record);
  }
  MergePlan plan;
  plan.write_bytes = std::clamp(all_memory / kPartOfWrite, kLeastWrite, kMostWrite);
  plan.range_bytes = resources.range_bytes;
  if (plan.range_bytes == 0) {
    plan.range_bytes = std::clamp(all_memory / token_count() / 4, kLeastRangeBytes, kMostRangeBytes);
  }
  const std::size_t memory = all_memory - kept_bytes(runs, plan.range_bytes, all_memory);
  if (longest >= kLongLine) {
    const std::size_t each = plan.range_bytes + runs.size() * (cursor_bytes + kCopiesOfRange * longest);
    plan.is_serial = token_count() * each > memory;
  }
  if (plan.is_serial) {
    plan.write_bytes = kLeastWrite;
    plan.most_runs = std::min(serial_runs(runs, memory), RunMerger::kMostSources);
    if (resources.most_runs != 0) plan.most_runs = std::min(plan.most_runs, std::max(resources.most_runs, kLeastRuns));
    return plan;
  }
  const std::size_t least = plan.range_bytes + kLeastRuns * cursor_bytes;
  plan.tokens = std::clamp<std::size_t>(memory / least, 1, token_count());
  const std::size_t each = std::max(memory / plan.tokens, least);
  plan.most_runs = std::min((each - plan.range_bytes) / cursor_bytes, RunMerger::kMostSources);
  if (resources.most_runs != 0) plan.most_runs = std::min(plan.most_runs, std::max(resources.most_runs, kLeastRuns));
  return plan;
}

// Less what the output keeps of long lines. Records have at least the bytes of their lines and of their keys.
std::size_t memory_of_runs(std::span<const Run> runs, const LineOrder& order, const MergeResources& resources) {
  LongestLine longest;
  for (const Run& run : runs) longest.add({run.longest_record, order.keys.empty() ? 0 : run.longest_record});
  if (!longest.is_long()) return resources.memory_bytes;
  const std::size_t kept = LongLineCosts(KeyEncoder(order), resources.output).kept(longest);
  return resources.memory_bytes - std::min(resources.memory_bytes / 2, kept);
}

}  // namespace

bool merges_at_once(std::span<const Run> runs, const LineOrder& order, const MergeResources& resources) {
  const MergePlan plan = plan_merge(runs, resources, memory_of_runs(runs, order, resources));
  return !plan.is_serial && plan.tokens == token_count() && runs.size() <= plan.most_runs;
}

std::size_t memory_beside_merge(std::span<const Run> runs, const MergeResources& resources) {
  constexpr std::size_t kUncertain = std::size_t{1} << 20;
  std::size_t cursor_bytes = runs.empty() ? resources.block_bytes : 0, kept = 0;
  for (const Run& run : runs) {
    cursor_bytes = std::max(cursor_bytes, cursor_of(run));
    kept += 2 * run.own_bytes();
  }
  const std::size_t count = runs.size() + 2;
  // A quarter of the memory is for ranges, as plan_merge() divides it.
  const std::size_t cursors =
      std::max(4 * count * cursor_bytes, token_count() * (kLeastRangeBytes + count * cursor_bytes));
  const std::size_t needed = cursors + cursors / 8 + kept + kUncertain;
  return resources.memory_bytes - std::min(resources.memory_bytes, needed);
}

void merge_runs(std::vector<Run> runs, RunSpace& space, const LineOrder& order, const MergeResources& resources,
                LineOutput& output) {
  const std::size_t memory = memory_of_runs(runs, order, resources);
  MergePlan plan = plan_merge(runs, resources, memory);
  while (runs.size() > plan.most_runs) {
    std::vector<Run> merged;
    for (std::size_t begin = 0; begin < runs.size(); begin += plan.most_runs) {
      const std::size_t count = std::min(plan.most_runs, runs.size() - begin);
      const std::span<Run> group = std::span(runs).subspan(begin, count);
      if (count == 1) {
        merged.push_back(std::move(group.front()));
        continue;
      }
      merged.push_back(merge_group(group, space, order, resources, plan));
      space.replace(group, merged.back());
    }
    runs = std::move(merged);
    plan = plan_merge(runs, resources, memory);
  }
  merge_to_output(runs, order, resources, plan, output);
}

}  // namespace spillway
