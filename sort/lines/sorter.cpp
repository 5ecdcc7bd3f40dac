#include "sort/lines/sorter.hpp"

#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "io/base/stopwatch.hpp"
#include "io/file/system_error.hpp"
#include "io/memory/budget.hpp"
#include "sort/lines/block/read_ahead.hpp"
#include "sort/lines/head/head_source.hpp"
#include "sort/lines/runs/memory_run.hpp"
#include "sort/lines/runs/merge.hpp"
#include "sort/lines/runs/run_writer.hpp"
#include "sort/lines/sorted_copy.hpp"

namespace spillway {

namespace {

constexpr std::size_t kLeastBlockMemory = std::size_t{4} << 20;
constexpr std::size_t kRunPart = 64, kMostDoublings = 3;  // the part of the memory that runs may take meanwhile
// If only the first lines are wanted: the part of the memory that they may take between blocks, and the memory of the
// first block for each thread. The next ones grow if the wanted lines are more than half of a block.
constexpr std::size_t kHeadPart = 4, kHeadBlockOfThread = std::size_t{8} << 20;
// The part of the memory for lines that text takes which is read ahead of them: as much as a disk reads while 16
// threads sort a block and make a run of it.
constexpr double kAheadPart = 0.45;
// If the size of the input is known: the part of it that scratch files take, where zstd can do that. Runs take no more
// than the second part of their lines, since those that are to stay in memory may not: a long line or shorter ones may
// come.
constexpr double kMostShare = 0.297, kMostShareOfRuns = 0.36;

// Fills blocks, and writes the only one, or makes runs of them and merges these.
class BlockwiseSort {
 public:
  BlockwiseSort(LineInput& input, const LineOrder& order, const LineSortOptions& options, LineOutput& output)
      : input_(input),
        order_(order),
        options_(options),
        output_(output),
        memory_(std::max(options.memory_bytes, kLeastSortMemory)),
        own_(unsorted_memory(memory_)),
        line_memory_(options.block_bytes != 0 ? options.block_bytes
                                              : std::max(memory_, own_ + kLeastBlockMemory) - own_),
        most_memory_(options.head ? line_memory_ - line_memory_ / kHeadPart : line_memory_),
        budget_(can_grow() ? std::numeric_limits<std::size_t>::max() : std::max(memory_, line_memory_)),
        encoder_(order, options.sorter != nullptr),
        costs_(encoder_, options.output, head_copies()),
        resources_(merge_resources(options)),
        space_(options.temp_directories, options.temp_limit_bytes, options.keeper),
        source_(&input) {
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const bool begins_small = options.head && most_memory_ / 4 > threads * kHeadBlockOfThread;
    block_memory_ = begins_small ? threads * kHeadBlockOfThread : most_memory_;
    if (options.head) {
      // Kept lines are there twice while they are replaced by those of the next block.
      head_.emplace(input, order, encoder_, *options.head, budget_, line_memory_ / kHeadPart / 2);
      source_ = &*head_;
    }
    make_block();
  }

  LineSortSummary run() {
    try {
      return sort_all();
    } catch (const DiskFullError&) {  // what was written tells how full it is
      summary_.spilled_bytes = space_.written_bytes();
      if (options_.report) options_.report(summary_);
      throw;
    }
  }

 private:
  LineSortSummary sort_all() {
    LineSortSummary::Seconds& seconds = summary_.seconds;
    if (options_.keeper != nullptr) go_on(*options_.keeper);
    if (options_.reads_ahead && input_.file_ahead().value_or(0) > most_memory_) read_ahead();
    while (timed(seconds.read, [&] { return fill(); })) {
      summary_.bytes = ahead_ ? ahead_->bytes_read() : input_.bytes_read();
      summary_.lines = head_ ? head_->lines_read() : summary_.lines + block_->lines();
      const bool is_kept = timed(seconds.split, [&] {
        block_->arrange();
        return !is_whole() && keeps_head();
      });
      if (is_whole() || stays_in_memory()) break;
      const Stopwatch watch;
      if (!is_kept) spill();
      if (options_.reads_ahead && !ahead_) read_ahead();
      seconds.spill += watch.seconds();
      begin("read");
    }
    const bool is_merge = !is_whole();
    begin(is_merge ? "merge" : "write");
    const Stopwatch watch;
    if (is_merge) {
      merge();
    } else {
      write_block(*block_, order_.is_unique, output_);
      input_.end_mappings();
    }
    (is_merge ? seconds.merge : seconds.write) += watch.seconds();
    summary_.spilled_bytes = space_.written_bytes();
    if (options_.report) options_.report(summary_);
    return summary_;
  }

  // If the size of the input is known, the last block is as large as may stay in memory.
  bool fill() {
    const bool may_keep_last =
        !head_ && options_.keeper == nullptr && options_.block_bytes == 0 && !options_.reads_ahead;
    const std::size_t beside = may_keep_last ? memory_beside_merge(runs_, resources_) : 0;
    last_block_bytes_ = std::min(beside, most_memory_) / 32 * 31;  // lines may become shorter
    block_->leave_for_last(last_block_bytes_);
    return block_->fill(*source_);
  }

  // Returns the result of work(), and adds its time to `seconds`.
  template <typename Work>
  static bool timed(double& seconds, const Work& work) {
    const Stopwatch watch;
    const bool result = work();
    seconds += watch.seconds();
    return result;
  }

  // After the runs of an earlier process, if there are any.
  void go_on(const RunKeeper& keeper) {
    input_.keep_places();
    runs_ = space_.open_kept();
    if (runs_.empty()) return;
    const InputDone done = keeper.done();
    input_.go_on_after(done);
    for (const Run& run : runs_) run_bytes_ += run.own_bytes();
    summary_.bytes = summary_.resumed_bytes = done.bytes;
    summary_.lines = done.lines;
    summary_.runs = runs_.size();
    begin("read");
  }

  // What is in runs once the block is one.
  InputDone done() {
    InputDone done = input_.done_before(block_->pending().size());
    done.lines = summary_.lines;
    return done;
  }

  void begin(const char* stage) {
    summary_.stage = stage;
    if (options_.report) options_.report(summary_);
  }

  // Whether the block has all lines.
  bool is_whole() const { return runs_.empty() && block_->has_all(); }

  // Makes the last block a run in memory if the merge needs no more than what it leaves.
  bool stays_in_memory() {
    const std::size_t used = block_->used_bytes();
    const bool is_last = block_->has_all() && !head_ && options_.keeper == nullptr;
    if (!is_last || block_->longest().is_long() || used >= resources_.memory_bytes) return false;
    MergeResources rest = resources_;
    rest.memory_bytes -= used;
    if (!merges_at_once(runs_, order_, rest)) return false;
    runs_.push_back(make_memory_run(*block_, order_, encoder_, resources_.block_bytes));
    if (!merges_at_once(runs_, order_, rest)) {
      runs_.pop_back();
      return false;
    }
    block_->drop_free_pages();
    resources_ = rest;
    return true;
  }

  void merge() {
    ahead_.reset();
    const bool needs_block = !runs_.empty() && runs_.back().lines != nullptr;
    if (!needs_block) {
      input_.end_mappings();
      block_.reset();
    }
    if (!runs_.empty()) merge_runs(std::move(runs_), space_, order_, resources_, output_);
    if (needs_block) input_.end_mappings();
  }

  // The threshold, and with groups the last line or its keys, twice.
  LineCopies head_copies() const {
    if (!options_.head) return {};
    const std::size_t of_groups = options_.head->counts_groups ? 2 : 0;
    return order_.keys.empty() ? LineCopies{1 + of_groups, 0} : LineCopies{1, 2 + of_groups};
  }

  bool can_grow() const { return options_.warn_of_growth != nullptr; }

  void make_block() {
    block_.emplace(budget_, block_memory_, order_, encoder_, options_.sorter, options_.maps_inputs, costs_);
    if (can_grow() || block_memory_ != most_memory_) {
      block_->allow_growth([this](std::size_t bytes) { return growth(bytes); });
    }
  }

  std::size_t growth(std::size_t bytes) {
    if (!can_grow()) return std::min(bytes, most_memory_);
    if (bytes > most_memory_) warn(bytes);
    return bytes;
  }

  // From now on the block has less memory, and a thread of its own reads text. Not where lines are long, which need all
  // of it.
  void read_ahead() {
    const auto bytes = static_cast<std::size_t>(static_cast<double>(most_memory_) * kAheadPart);
    const bool is_usual = !block_->longest().is_long() && block_->pending().size() < bytes;
    if (!is_usual || bytes < 2 * ReadAhead::kLeastBytes || block_->has_all()) return;
    block_->shrink(most_memory_ - bytes);
    most_memory_ -= bytes;
    ahead_.emplace(input_, budget_, bytes - ReadAhead::kLeastBytes);
    source_ = &*ahead_;
  }

  void warn(std::size_t line_bytes) {
    if (can_grow() && !std::exchange(has_warned_, true)) options_.warn_of_growth(own_ + line_bytes);
  }

  // Throws if the block holds a line that is too long to be sorted by runs.
  void check_long_lines() {
    const LongestLine& longest = block_->longest();
    const std::size_t bytes = longest.is_long() ? costs_.spilled(longest) : 0;
    if (bytes <= most_memory_) return;
    if (!can_grow()) block_->refuse(*source_);
    warn(bytes);
  }

  // Whether the lines of the block that are wanted are kept for the next one. If not, the block has no others any more.
  bool keeps_head() {
    if (!head_) return false;
    const BlockHead first = head_->find(*block_);
    const std::size_t next = first.share > 0.5 ? larger_block(first) : block_memory_;
    const bool fits_next = first.share * static_cast<double>(block_memory_) <= static_cast<double>(next) / 2;
    if (!runs_.empty() || !fits_next || !head_->keep(*block_, first)) {
      block_->keep_parts(first.parts);
      return false;
    }
    if (std::exchange(block_memory_, next) != next) make_block();
    return true;
  }

  std::size_t larger_block(const BlockHead& first) const {
    const auto wanted = static_cast<double>(options_.head->count), found = static_cast<double>(first.count);
    const double bytes = static_cast<double>(block_memory_) * 4 * std::max(wanted / std::max(found, 1.0), 1.0);
    return bytes < static_cast<double>(most_memory_) ? static_cast<std::size_t>(bytes) : most_memory_;
  }

  std::size_t encoding_bytes() const {
    return encoding_memory(static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()), memory_);
  }

  // Runs may take this share of their lines: a larger one where others are to stay in memory, and the scratch space has
  // no limit.
  double wanted_share() const {
    const std::optional<std::uint64_t> left = source_->bytes_left();
    if (!left || last_block_bytes_ == 0 || options_.temp_limit_bytes != 0) return PackGoal{}.share;
    const double all = static_cast<double>(input_.bytes_read() + *left);
    const double rest = static_cast<double>(block_->pending().size() + *left);
    const double each = static_cast<double>(block_->used_bytes()) / static_cast<double>(block_->text_bytes());
    const double last = std::min(static_cast<double>(last_block_bytes_) / each, rest);
    return last < all ? std::min(kMostShare / (1 - last / all), kMostShareOfRuns) : PackGoal{}.share;
  }

  void spill() {
    check_long_lines();
    space_.want_share(wanted_share());
    runs_.push_back(
        write_run(*block_, order_, encoder_, space_, resources_.block_bytes, encoding_bytes(), options_.check));
    if (options_.keeper != nullptr) space_.keep(runs_.back(), done());
    run_bytes_ += runs_.back().own_bytes();
    summary_.runs = runs_.size();
    summary_.spilled_bytes = space_.written_bytes();
    // Many runs have larger blocks, so that what is known of them stays small.
    if (options_.block_bytes == 0 && run_bytes_ > memory_ / kRunPart * (doublings_ + 1) &&
        doublings_ < kMostDoublings) {
      resources_.block_bytes *= 2;
      ++doublings_;
    }
  }

  LineInput& input_;
  const LineOrder& order_;
  const LineSortOptions& options_;
  LineOutput& output_;
  const std::size_t memory_, own_, line_memory_;
  std::size_t most_memory_;  // of a block
  MemoryBudget budget_;
  const KeyEncoder encoder_;
  const LongLineCosts costs_;
  MergeResources resources_;
  RunSpace space_;
  std::vector<Run> runs_;
  std::optional<HeadSource> head_;
  std::optional<ReadAhead> ahead_;
  LineSource* source_;
  std::size_t block_memory_ = 0, run_bytes_ = 0, last_block_bytes_ = 0, doublings_ = 0;
  std::optional<LineBlock> block_;
  bool has_warned_ = false;
  LineSortSummary summary_;
};

// Text that is in order already needs no block, whatever the memory is.
std::optional<LineSortSummary> copy_sorted_input(LineInput& input, const LineOrder& order,
                                                 const LineSortOptions& options, LineOutput& output) {
  const bool wants_all = !options.head && options.keeper == nullptr && options.block_bytes == 0;
  if (!wants_all || !options.maps_inputs || !output.has_places() || !is_copied_if_sorted(order)) return std::nullopt;
  const ReadableFile* const file = input.only_file();
  if (file == nullptr) return std::nullopt;
  const Stopwatch watch;
  const std::optional<std::uint64_t> lines = copy_if_sorted(*file, order, options.check, output);
  if (!lines) return std::nullopt;
  input.leave_out_file();
  LineSortSummary summary;
  summary.stage = "write";
  summary.bytes = input.bytes_read();
  summary.lines = *lines;
  summary.seconds.write = watch.seconds();
  if (options.report) options.report(summary);
  return summary;
}

}  // namespace

LineSortSummary sort_lines(LineInput& input, const LineOrder& order, const LineSortOptions& options,
                           LineOutput& output) {
  if (const auto copied = copy_sorted_input(input, order, options, output)) return *copied;
  try {
    return BlockwiseSort(input, order, options, output).run();
  } catch (const LineTooLongError& error) {
    // Blocks do not count the lines that are kept between them.
    const std::size_t bytes = error.needed_bytes();
    if (options.reads_ahead) {
      refuse_long_line(error.with_need(static_cast<std::size_t>(static_cast<double>(bytes) / (1 - kAheadPart))),
                       input.longest_line(), options);
    }
    refuse_long_line(options.head ? error.with_need(bytes + bytes / (kHeadPart - 1) + kHeadPart) : error,
                     input.longest_line(), options);
  }
}

}  // namespace spillway
