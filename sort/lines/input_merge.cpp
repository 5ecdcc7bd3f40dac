#include "sort/lines/input_merge.hpp"

#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/stopwatch.hpp"
#include "io/file/system_error.hpp"
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
constexpr std::size_t kUsualParts = 4;  // all but one of these parts of the memory are for usual lines
constexpr std::size_t kLinesBetweenChecks = 4096;

using InputMerger = Tournament<InputCursor>;

struct Chunk {
  std::uint64_t offset = 0;
  std::vector<std::uint8_t> text;
};

// Writes the lines of a merger: chunks of them while the next ones are merged, and each long one by itself, from where
// it stands, once all before it are written.
class MergedOutput {
 public:
  MergedOutput(InputMerger& merger, const LineOrder& order, const std::function<void()>& check, LineOutput& output)
      : merger_(merger), order_(order), format_(order.format), check_(check), output_(output) {}

  void write() {
    do {
      write_chunks();
      if (std::exchange(is_long_, false)) write_long();
    } while (!has_ended_ && !output_.is_full());
  }

 private:
  // The record's line, with its end.
  std::span<const std::uint8_t> line() const {
    const std::string_view line = merger_.record().line(order_);
    return bytes_of({line.data(), line.size() + format_.end_bytes()});
  }

  // Lines of the merger: kChunkBytes, and less than a long line more. Ends before a long one.
  Chunk next_chunk() {
    Chunk chunk{offset_, {}};
    chunk.text.reserve(kChunkBytes + kLongLine);
    while (chunk.text.size() < kChunkBytes) {
      has_ended_ = !merger_.next();
      if (has_ended_) break;
      const std::span<const std::uint8_t> bytes = line();
      is_long_ = bytes.size() > kLongLine;
      if (is_long_) break;
      chunk.text.insert(chunk.text.end(), bytes.begin(), bytes.end());
    }
    offset_ += chunk.text.size();
    return chunk;
  }

  void write_chunks() {
    using Pointer = Chunk*;
    InFlight<Chunk> chunks;
    const auto merge =
        tbb::make_filter<void, Pointer>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
          if (check_) check_();
          const bool is_done = is_long_ || has_ended_ || output_.is_full();
          const Pointer chunk = chunks.add(is_done ? Chunk() : next_chunk());
          if (chunk->text.empty()) control.stop();
          return chunk;
        });
    const auto mode = output_.has_places() ? tbb::filter_mode::parallel : tbb::filter_mode::serial_in_order;
    const auto write = tbb::make_filter<Pointer, void>(mode, [&](Pointer chunk) {
      put_text(output_, chunk->offset, chunk->text);
      chunks.remove(chunk);
    });
    tbb::parallel_pipeline(kChunks, merge & write);
  }

  void write_long() {
    const std::span<const std::uint8_t> bytes = line();
    put_text(output_, offset_, bytes);
    offset_ += bytes.size();
  }

  InputMerger& merger_;
  RecordOrder order_;
  LineFormat format_;
  const std::function<void()>& check_;
  LineOutput& output_;
  std::uint64_t offset_ = 0;
  bool is_long_ = false, has_ended_ = false;  // is_long_: the record waits
};

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
        costs_(encoder_, options.output),
        cursors_{order,
                 encoder_,
                 budget_,
                 kTestBuffer,
                 counts_,
                 [this](std::size_t bytes) { warn(bytes); },
                 [this](const LongestLine& line) { return takes_long(line); }} {
    bool has_standard_input = false;
    for (const std::string& path : inputs.paths) {
      if (path == "-" && std::exchange(has_standard_input, true)) continue;
      paths_.push_back(path);
    }
    // The rest is for long lines.
    const std::size_t memory = (memory_ - own_.bytes()) / kUsualParts * (kUsualParts - 1);
    size_ =
        std::min({paths_.size(), inputs.most_open, memory / (kLeastBuffer + kOtherBytes), InputMerger::kMostSources});
    if (options.most_runs != 0) size_ = std::min(size_, options.most_runs);
    size_ = std::max<std::size_t>(size_, 2);
    if (options.block_bytes != 0) return;
    cursors_.buffer_bytes = std::clamp(memory / size_ - kOtherBytes, kLeastBuffer, kMostBuffer) / 4096 * 4096;
  }

  const InputCounts& counts() const { return counts_; }
  std::size_t count() const { return (paths_.size() + size_ - 1) / size_; }

  // Opens the inputs of a group.
  InputMerger open(std::size_t group) {
    kept_ = {};
    is_kept_ = {};
    const std::size_t begin = group * size_, end = std::min(paths_.size(), begin + size_);
    std::vector<InputCursor> opened;
    opened.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) {
      opened.push_back(cursor_of(i));
      if (!opened.back().open()) opened.pop_back();
    }
    return {std::move(opened), RecordOrder(order_)};
  }
  // After a group.
  void note_needs(InputMerger& merger) {
    for (const InputCursor& cursor : merger.cursors()) needs_.push_back(cursor.need());
  }

  // Reads what is left of all inputs. Returns the memory for lines that all groups need. Requires: `group` is open.
  LineTooLongError survey(InputMerger& merger, std::size_t group) {
    for (InputCursor& cursor : merger.cursors()) needs_.push_back(cursor.survey());
    for (std::size_t i = std::min(paths_.size(), (group + 1) * size_); i < paths_.size(); ++i) {
      InputCursor cursor = cursor_of(i);
      if (cursor.open()) needs_.push_back(cursor.survey());
    }
    std::ranges::sort(needs_, std::greater<>(), &CursorNeed::bytes);
    std::size_t most = std::min(paths_.size(), inputs_.most_open);
    if (options_.most_runs != 0) most = std::min(most, std::max<std::size_t>(options_.most_runs, 2));
    std::size_t bytes = 0, count = 0;
    LongestLine longest;
    for (const CursorNeed& need : needs_) {
      if (count++ < most) bytes += need.bytes;
      longest.add(need.longest);
    }
    bytes += kept_bytes(longest);
    // The memory that is left if each input has its usual buffer, or if these take their part.
    bytes = std::min(bytes + most * (kMostBuffer + kOtherBytes), kUsualParts * bytes);
    return {longest.line, std::max(bytes, writes_runs() ? costs_.spilled(longest) : 0) + kMostBuffer};
  }
  // The longest line of the inputs that were read to their ends.
  std::optional<LinePlace> longest_line() const {
    std::optional<LinePlace> longest;
    for (const CursorNeed& need : needs_) {
      if (need.place && (!longest || need.place->bytes > longest->bytes)) longest = need.place;
    }
    return longest;
  }

 private:
  InputCursor cursor_of(std::size_t path) {
    LineInput input(inputs_.files, {paths_[path]}, order_.format, options_.check, inputs_.opener);
    if (inputs_.are_direct) input.read_directly(1);
    return {std::move(input), cursors_};
  }

  bool writes_runs() const { return count() != 1 || inputs_.are_read_before_output; }

  // Returns the memory that the output, or the run, takes for its copies of a line.
  std::size_t kept_bytes(const LongestLine& longest) const {
    return writes_runs() ? costs_.to_run(longest) : costs_.kept(longest);
  }

  bool takes_long(const LongestLine& line) {
    is_kept_.add(line);
    const std::size_t bytes = kept_bytes(is_kept_);
    if (bytes <= kept_.bytes()) return true;
    warn(bytes - kept_.bytes());
    std::optional<Reservation> more = budget_.try_reserve(bytes - kept_.bytes(), "input of the merge");
    if (more) kept_.join(std::move(*more));
    return more.has_value();
  }

  // The least memory of a sort leaves room for the buffers of two inputs, however many threads there are.
  std::size_t unsorted_memory_in() const {
    return std::min(unsorted_memory(memory_), memory_ - 4 * (kLeastBuffer + kOtherBytes));
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
  const LongLineCosts costs_;
  LongestLine is_kept_;
  Reservation kept_;
  std::vector<CursorNeed> needs_;
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
  const auto put = [&](const EncodedBlock& block) {
    space.charge(block.stored.size());
    append_block(run, block);
  };
  for (std::uint64_t lines = 0; lines != most && merger.next(); ++lines) {
    if (resources.check && lines % kLinesBetweenChecks == 0) resources.check();
    const Record record = merger.record();
    if (record.bytes.size() >= kLongLine) {
      if (!encoder.is_empty()) put(encoder.finish());
      put(encoder.encode_alone(record));
      continue;
    }
    encoder.add(record, merger.shared());
    if (encoder.record_bytes() >= resources.block_bytes) put(encoder.finish());
  }
  if (!encoder.is_empty()) put(encoder.finish());
  run.blocks.shrink_to_fit();
  return run;
}

// Opens a group, and calls work(merger) with it.
template <typename Work>
void with_group(InputGroups& groups, std::size_t group, const LineSortOptions& options, const Work& work) {
  InputMerger merger = groups.open(group);
  try {
    work(merger);
  } catch (const LineTooLongError&) {
    const LineTooLongError need = groups.survey(merger, group);
    refuse_long_line(need, groups.longest_line(), options);
  }
  groups.note_needs(merger);
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
    with_group(groups, 0, options, [&](InputMerger& merger) {
      report("merge");
      MergedOutput(merger, order, options.check, output).write();
    });
    summary.seconds.merge = watch.seconds();
    report("merge");
    return summary;
  }
  const MergeResources resources = merge_resources(options);
  RunSpace space(options.temp_directories, options.temp_limit_bytes);
  std::vector<Run> runs;
  const bool counts_lines = options.head && !options.head->counts_groups;
  const std::uint64_t most = counts_lines ? options.head->count : std::numeric_limits<std::uint64_t>::max();
  try {
    for (std::size_t group = 0; group < groups.count(); ++group) {
      Run run;
      with_group(groups, group, options,
                 [&](InputMerger& merger) { run = write_run(merger, RecordOrder(order), space, resources, most); });
      if (run.records != 0) runs.push_back(std::move(run));
      summary.runs = runs.size();
      summary.spilled_bytes = space.written_bytes();
      report("read");
    }
    summary.seconds.spill = watch.seconds();
    report("merge");
    if (!runs.empty()) merge_runs(std::move(runs), space, order, resources, output);
  } catch (const DiskFullError&) {  // what was written tells how full it is
    summary.spilled_bytes = space.written_bytes();
    report(summary.stage);
    throw;
  }
  summary.seconds.merge = watch.seconds() - summary.seconds.spill;
  summary.spilled_bytes = space.written_bytes();
  report("merge");
  return summary;
}

}  // namespace spillway
