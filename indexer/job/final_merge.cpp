#include "indexer/job/final_merge.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "indexer/plan/run_merge.hpp"
#include "indexer/run/open_sources.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "merge/index/merge.hpp"
#include "merge/run/merge.hpp"

namespace spillway {

namespace {

class Merging {
 public:
  Merging(const MergeSetup& setup, RunStore& runs, MergeStats& stats)
      : setup_(setup), runs_(runs), stats_(stats), arena_(static_cast<int>(setup.threads)) {}

  MergePlan plan() const {
    RunStats stats;
    stats.any_file = false;
    std::uint64_t bytes = 0;
    for (const auto& source : runs_.runs) {
      stats.bytes.push_back(source->bytes);
      stats.documents += source->summary.document_count;
      stats.cursor_bytes = std::max(stats.cursor_bytes, source->cursor_bytes());
      stats.open_bytes += source->open_bytes();
      stats.most_open_bytes = std::max(stats.most_open_bytes, source->open_bytes());
      bytes += source->bytes;
      stats.any_file |= source->is_spilled();
    }
    stats.most_open_bytes = std::max(stats.most_open_bytes, StoredRun::open_bytes(bytes, runs_.largest_block_bytes()));
    MergeResources resources;
    resources.budget_bytes = setup_.budget.total_bytes();
    resources.free_bytes = setup_.budget.free_bytes();
    resources.run_block_bytes = setup_.run_block_bytes;
    resources.max_term_bytes = setup_.content.max_term_bytes;
    resources.store = setup_.content.store;
    resources.has_positions = setup_.content.positions;
    resources.threads = setup_.threads;
    resources.max_fan_in = setup_.max_fan_in;
    resources.descriptors = run_descriptors();
    return plan_run_merge(stats, resources);
  }

  std::size_t batch_bytes() const { return merge_batch_bytes(setup_.budget.total_bytes(), setup_.threads); }

  void run_passes(const MergePlan& plan) {
    const Stopwatch watch;
    for (const std::vector<std::uint32_t>& groups : plan.passes) {
      setup_.context.progress.stage.store("merge pass");
      run_pass(groups, plan.parallel_groups);
      ++stats_.passes;
    }
    stats_.rewritten_bytes = plan.rewritten_bytes;
    stats_.pass_seconds = watch.seconds();
  }

 private:
  void run_pass(const std::vector<std::uint32_t>& groups, unsigned parallel_groups) {
    std::vector<std::size_t> first{0};
    for (const std::uint32_t size : groups) first.push_back(first.back() + size);
    std::vector<std::unique_ptr<MergeSource>> merged(groups.size());
    // Where there are fewer merges than memory has room for, each has several threads.
    const auto merges =
        static_cast<unsigned>(std::count_if(groups.begin(), groups.end(), [](std::uint32_t size) { return size > 1; }));
    const unsigned threads = std::max(1U, parallel_groups / std::max(1U, merges));
    tbb::task_arena arena(static_cast<int>(parallel_groups));
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, groups.size(), 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t g = range.begin(); g != range.end(); ++g) {
              merged[g] = merge_group({runs_.runs.data() + first[g], groups[g]}, threads, g);
            }
          },
          tbb::simple_partitioner());
    });
    runs_.runs = std::move(merged);
    setup_.context.progress.runs.store(runs_.runs.size());
  }

  std::unique_ptr<MergeSource> merge_group(std::span<std::unique_ptr<MergeSource>> group, unsigned threads,
                                           std::uint64_t number) {
    if (group.size() == 1) return std::move(group[0]);
    throw_if_stopped(setup_.context);
    RunMergeOptions options;
    options.block_bytes = setup_.run_block_bytes;
    options.run_number = number;
    for (const auto& source : group) options.input_bytes += source->bytes;
    options.threads = threads;
    options.ahead_bytes = std::size_t{2} * threads * batch_bytes();
    options.check = [this] { throw_if_stopped(setup_.context); };
    std::unique_ptr<StoredRun> merged;
    {
      const OpenSources open(group, threads, setup_.context.signal_number);
      // Passes are only needed when memory is short, so what they write is spilled.
      merged = runs_.spill([&](WritableFile& file) { return merge_runs(open.inputs(), file, options); });
    }
    for (auto& source : group) {
      merged->may_have_dropped |= source->may_have_dropped;
      source.reset();
    }
    return merged;
  }

  const MergeSetup& setup_;
  RunStore& runs_;
  MergeStats& stats_;

 public:
  tbb::task_arena arena_;
};

// The last pass: duplicate ids are found first, as lists are renumbered without the dropped documents; then documents
// and lists go to the writer, side by side where there is memory for both.
class LastPass {
 public:
  LastPass(const MergeSetup& setup, const MergePlan& plan, const OpenSources& open, IndexWriter& writer,
           MergeStats& stats)
      : setup_(setup),
        plan_(plan),
        inputs_(open.inputs()),
        writer_(writer),
        stats_(stats),
        documents_bytes_(open.documents_bytes()),
        lengths_(setup.budget, source_document_count(inputs_)) {}

  // Returns the share of the dropped documents in the sum of the source.
  ContentChecksum run(std::size_t batch_bytes, const std::function<void(std::uint64_t)>& duplicates_found) {
    find_duplicates();
    duplicates_found(stats_.duplicate_documents);
    Reservation memory = take_memory();
    if (memory.bytes() == 0) {
      setup_.context.progress.stage.store("documents");
      write_documents([this] { throw_if_stopped(setup_.context); });
    }
    setup_.context.progress.stage.store("merge");
    return merge_lists(batch_bytes, memory.bytes() != 0);
  }

 private:
  void find_duplicates() {
    const Stopwatch watch;
    setup_.context.progress.stage.store("ids");
    const std::size_t sort_bytes = std::min(setup_.id_sort_bytes, setup_.budget.free_bytes() / 2);
    const auto check_cancelled = [this] { throw_if_stopped(setup_.context); };
    ids_.emplace(inputs_, setup_.content.duplicate_ids,
                 IdTableResources{setup_.budget, setup_.temp, setup_.id_sorter, sort_bytes, setup_.to_drop,
                                  check_cancelled, setup_.threads, documents_bytes_},
                 lengths_);
    stats_.duplicate_documents = ids_->duplicate_count();
    stats_.listed_documents = ids_->listed_count();
    stats_.duplicates = ids_->examples();
    stats_.id_seconds = watch.seconds();
  }

  // For lists and documents at the same time. None where one thread does all, or there is too little.
  Reservation take_memory() {
    if (setup_.threads <= 1) return {};
    const std::size_t bytes = plan_.last_pass_bytes + documents_bytes_;
    if (auto memory = setup_.budget.try_reserve(bytes)) return std::move(*memory);
    write_order();  // gives memory back
    if (auto memory = setup_.budget.try_reserve(bytes)) return std::move(*memory);
    return {};
  }

  // For lists until their turn comes: for all of them at most, and half as much again as vectors grow.
  Reservation take_memory_ahead() {
    const std::uint64_t bytes = estimated_list_bytes(inputs_) * 3 / 2;
    auto memory = setup_.budget.try_reserve(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, setup_.budget.free_bytes() / 2)));
    return memory ? std::move(*memory) : Reservation();
  }

  // None where one thread does all, or there is no memory.
  Reservation start_list_helpers(std::size_t batch_bytes) {
    if (setup_.threads <= 1) return {};
    const std::size_t most_owned = batch_bytes * 2;  // as vectors grow
    auto memory = setup_.budget.try_reserve(IndexWriter::list_helper_bytes(setup_.content, most_owned));
    if (!memory) return {};
    writer_.start_list_helpers(most_owned);
    return std::move(*memory);
  }

  void write_order() {
    if (!std::exchange(order_is_written_, true)) ids_->write_order(writer_);
  }

  void write_documents(const std::function<void()>& check) {
    const Stopwatch watch;
    write_order();
    merge_documents(inputs_, ids_->dropped(), writer_, setup_.budget, setup_.threads, check);
    stats_.document_seconds = watch.seconds();
  }

  ContentChecksum merge_lists(std::size_t batch_bytes, bool with_documents) {
    const Stopwatch watch;
    const IndexContext& context = setup_.context;
    IndexMergeOptions options;
    options.threads = plan_.last_pass_ranges;
    options.batch_bytes = batch_bytes;
    options.check_cancelled = [&context] { throw_if_stopped(context); };
    options.progress = [&context](std::uint64_t done) { context.progress.postings_done.store(done); };
    options.most_threads = setup_.threads;
    const Reservation ahead = with_documents ? take_memory_ahead() : Reservation();
    options.ahead_bytes = ahead.bytes();
    if (with_documents) options.beside = [this](const std::function<void()>& check) { write_documents(check); };
    const Reservation behind = start_list_helpers(batch_bytes);
    // The helpers are busy for the time of one thread of eight.
    if (behind.bytes() != 0) options.threads = std::min(options.threads, setup_.threads - setup_.threads / 8);
    const IndexMergeResult result = spillway::merge_lists(inputs_, ids_->dropped(), lengths_.span(), writer_, options);
    writer_.end_list_helpers();
    stats_.documents = result.document_count;
    stats_.postings = result.posting_count;
    stats_.occurrences = result.occurrence_count;
    stats_.list_seconds = watch.seconds();
    stats_.list_busy_seconds = result.cpu_seconds;
    return result.dropped_sum;
  }

  const MergeSetup& setup_;
  const MergePlan& plan_;
  const std::span<const MergeInput* const> inputs_;
  IndexWriter& writer_;
  MergeStats& stats_;
  const std::size_t documents_bytes_;
  LengthCodes lengths_;
  std::optional<IdTable> ids_;
  bool order_is_written_ = false;
};

}  // namespace

IndexTotals merge_into_index(const MergeSetup& setup, RunStore& runs, IndexWriter& writer,
                             const std::function<void(std::uint64_t)>& duplicates_found, MergeStats& stats) {
  Merging merging(setup, runs, stats);
  const MergePlan plan = merging.plan();
  stats.plan = plan.describe();
  setup.context.say(stats.plan);
  merging.run_passes(plan);
  const OpenSources open(runs.runs, plan.last_pass_ranges, setup.context.signal_number);
  const auto inputs = open.inputs();
  IndexTotals totals;
  totals.source_document_count = source_document_count(inputs);
  totals.source_sum = source_sum(inputs);
  for (const auto& run : runs.runs) setup.context.progress.postings_total += run->summary.posting_count;
  merging.arena_.execute([&] {
    totals.dropped_sum = LastPass(setup, plan, open, writer, stats).run(merging.batch_bytes(), duplicates_found);
  });
  ++stats.passes;
  return totals;
}

}  // namespace spillway
