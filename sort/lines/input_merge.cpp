#include "sort/lines/input_merge.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "io/base/stopwatch.hpp"
#include "io/memory/in_flight.hpp"
#include "sort/lines/input_cursor.hpp"
#include "sort/lines/runs/merge.hpp"
#include "sort/lines/runs/tournament.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastBuffer = std::size_t{64} << 10, kMostBuffer = std::size_t{1} << 20;
constexpr std::size_t kTestBuffer = std::size_t{4} << 10;   // if the memory of a block is set
constexpr std::size_t kOtherBytes = std::size_t{32} << 10;  // of a cursor: records of usual lines, names and files
constexpr std::size_t kChunkBytes = std::size_t{512} << 10, kChunks = 3;
constexpr std::size_t kLinesBetweenChecks = 4096;

using InputMerger = Tournament<InputCursor>;

struct Chunk {
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> text;
};

// Lines of `merger` for the output, kChunkBytes and less than a line more.
Chunk next_chunk(InputMerger& merger, const LineOrder& line_order, std::uint64_t& offset) {
  const RecordOrder order(line_order);
  Chunk chunk{offset, {}};
  chunk.text.reserve(kChunkBytes);
  while (chunk.text.size() < kChunkBytes && merger.next()) {
    const std::string_view line = merger.record().line(order);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(line.data());
    chunk.text.insert(chunk.text.end(), bytes, bytes + line.size());
    if (line_order.format.has_ends()) chunk.text.push_back(static_cast<std::uint8_t>(line_order.format.line_end));
  }
  offset += chunk.text.size();
  return chunk;
}

void write_merged(InputMerger& merger, const LineOrder& order, const std::function<void()>& check, LineOutput& output) {
  using Pointer = Chunk*;
  InFlight<Chunk> chunks;
  std::uint64_t offset = 0;
  const auto merge =
      tbb::make_filter<void, Pointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
        if (check) check();
        const Pointer chunk = chunks.add(output.is_full() ? Chunk() : next_chunk(merger, order, offset));
        if (chunk->text.empty()) control.stop();
        return chunk;
      });
  const auto mode = output.has_places() ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
  const auto write = tbb::make_filter<Pointer, void>(mode, [&](Pointer chunk) {
    if (output.has_places()) {
      output.write_at(chunk->offset, chunk->text);
    } else {
      output.write(chunk->text);
    }
    chunks.remove(chunk);
  });
  tbb::parallel_pipeline(kChunks, merge & write);
}

class InputGroups {
 public:
  InputGroups(const SortedInputs& inputs, const LineOrder& order, const LineSortOptions& options)
      : inputs_(inputs),
        options_(options),
        order_(order),
        encoder_(order),
        memory_(std::max(options.memory_bytes, kLeastSortMemory)),
        budget_(options.warn_of_growth ? std::numeric_limits<std::size_t>::max() : memory_),
        own_(budget_.reserve(unsorted_memory_in(), "the program and its output")),
        cursors_{order, encoder_, budget_, kTestBuffer, counts_, [this](std::size_t bytes) { warn(bytes); }} {
    bool has_standard_input = false;
    for (const std::string& path : inputs.paths) {
      if (path == "-" && std::exchange(has_standard_input, true)) continue;
      paths_.push_back(path);
    }
    const std::size_t memory = memory_ - own_.bytes();
    size_ = std::min({paths_.size(), inputs.most_open, memory / (kLeastBuffer + kOtherBytes)});
    if (options.most_runs != 0) size_ = std::min(size_, options.most_runs);
    size_ = std::max<std::size_t>(size_, 2);
    if (options.block_bytes != 0) return;
    cursors_.buffer_bytes = std::clamp(memory / size_ - kOtherBytes, kLeastBuffer, kMostBuffer) / 4096 * 4096;
  }

  const InputCounts& counts() const { return counts_; }
  std::size_t count() const { return (paths_.size() + size_ - 1) / size_; }

  // Opens the inputs of a group.
  InputMerger open(std::size_t group) {
    const std::size_t begin = group * size_, end = std::min(paths_.size(), begin + size_);
    std::vector<InputCursor> opened;
    opened.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      LineInput input(inputs_.files, {paths_[i]}, order_.format, options_.check, inputs_.opener);
      if (inputs_.are_direct) input.read_directly();
      opened.emplace_back(std::move(input), cursors_);
      if (!opened.back().open()) opened.pop_back();
    }
    return {std::move(opened), RecordOrder(order_)};
  }

 private:
  // The least memory of a sort leaves room for the buffers of two inputs, however many threads there are.
  std::size_t unsorted_memory_in() const {
    return std::min(unsorted_memory(), memory_ - 4 * (kLeastBuffer + kOtherBytes));
  }

  void warn(std::size_t bytes) {
    const std::size_t wanted = budget_.used_bytes() + bytes;
    if (options_.warn_of_growth && wanted > memory_ && !std::exchange(has_warned_, true)) {
      options_.warn_of_growth(wanted);
    }
  }

  const SortedInputs& inputs_;
  const LineSortOptions& options_;
  const LineOrder& order_;
  const KeyEncoder encoder_;
  const std::size_t memory_;
  MemoryBudget budget_;
  const Reservation own_;
  InputCounts counts_;
  CursorResources cursors_;
  std::vector<std::string> paths_;
  std::size_t size_ = 2;
  bool has_warned_ = false;
};

// Writes `most` records at most.
Run write_run(InputMerger& merger, const RecordOrder& order, RunSpace& space, const MergeResources& resources,
              std::uint64_t most) {
  Run run;
  run.file = &space.next_file();
  BlockEncoder encoder(order);
  const auto put = [&] {
    const EncodedBlock block = encoder.finish();
    space.charge(block.stored.size());
    append_block(run, block);
  };
  for (std::uint64_t lines = 0; lines != most && merger.next(); ++lines) {
    if (resources.check && lines % kLinesBetweenChecks == 0) resources.check();
    encoder.add(merger.record(), merger.shared());
    if (encoder.record_bytes() >= resources.block_bytes) put();
  }
  if (!encoder.is_empty()) put();
  run.blocks.shrink_to_fit();
  return run;
}

}  // namespace

LineSortSummary merge_lines(const SortedInputs& inputs, const LineOrder& order, const LineSortOptions& options,
                            LineOutput& output) {
  InputGroups groups(inputs, order, options);
  LineSortSummary summary;
  const Stopwatch watch;
  const auto report = [&](const char* stage) {
    summary.stage = stage;
    summary.bytes = groups.counts().bytes;
    summary.lines = groups.counts().lines;
    if (options.report) options.report(summary);
  };
  if (groups.count() == 1 && !inputs.are_read_before_output) {
    InputMerger merger = groups.open(0);
    report("merge");
    write_merged(merger, order, options.check, output);
    summary.seconds.merge = watch.seconds();
    report("merge");
    return summary;
  }
  const MergeResources resources = merge_resources(options);
  RunSpace space(options.temp_directories, options.temp_limit_bytes);
  std::vector<Run> runs;
  const bool counts_lines = options.head && !options.head->counts_groups;
  const std::uint64_t most = counts_lines ? options.head->count : std::numeric_limits<std::uint64_t>::max();
  for (std::size_t group = 0; group < groups.count(); ++group) {
    InputMerger merger = groups.open(group);
    Run run = write_run(merger, RecordOrder(order), space, resources, most);
    if (run.records != 0) runs.push_back(std::move(run));
    summary.runs = runs.size();
    summary.spilled_bytes = space.written_bytes();
    report("read");
  }
  summary.seconds.spill = watch.seconds();
  report("merge");
  if (!runs.empty()) merge_runs(std::move(runs), space, order, resources, output);
  summary.seconds.merge = watch.seconds() - summary.seconds.spill;
  summary.spilled_bytes = space.written_bytes();
  report("merge");
  return summary;
}

}  // namespace spillway
