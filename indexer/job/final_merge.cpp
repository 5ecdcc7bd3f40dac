#include "indexer/job/final_merge.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "indexer/plan/run_merge.hpp"
#include "indexer/run/compaction.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "merge/index/merge.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

namespace {

// Of a batch of lists that a GPU merged, but for few.
constexpr std::size_t kGpuBatchBytes = std::size_t{32} << 20;
constexpr std::uint64_t kMostAheadOfGpus = std::uint64_t{1} << 30;
// From this many threads on, a job has two threads that write each part of its lists. With one, the others would wait.
constexpr unsigned kLeastForTwo = 24;

MergePlan plan_final_merge(const MergeSetup& setup, const RunStore& runs) {
  RunStats stats;
  stats.any_file = false;
  std::uint64_t bytes = 0;
  for (const auto& source : runs.runs) {
    stats.bytes.push_back(source->bytes);
    stats.documents += source->summary.document_count;
    stats.cursor_bytes = std::max(stats.cursor_bytes, source->cursor_bytes());
    stats.open_bytes += source->open_bytes();
    stats.most_open_bytes = std::max(stats.most_open_bytes, source->open_bytes());
    bytes += source->bytes;
    stats.any_file |= source->is_spilled();
  }
  stats.most_open_bytes = std::max(stats.most_open_bytes, StoredRun::open_bytes(bytes, runs.largest_block_bytes()));
  return plan_run_merge(stats, {.budget_bytes = setup.budget.total_bytes(),
                                .free_bytes = setup.budget.free_bytes(),
                                .run_block_bytes = setup.run_block_bytes,
                                .max_term_bytes = setup.content.max_term_bytes,
                                .store = setup.content.store,
                                .has_positions = setup.content.positions,
                                .threads = setup.threads,
                                .max_fan_in = setup.max_fan_in,
                                .descriptors = run_descriptors()});
}

// The passes before the last: each compacts groups of neighbouring runs, several groups in parallel.
class CompactionPasses {
 public:
  CompactionPasses(const MergeSetup& setup, RunStore& runs) : setup_(setup), runs_(runs) {}

  void run(const MergePlan& plan, MergeStats& stats) {
    const Stopwatch watch;
    if (!plan.passes.empty() && setup_.before_passes) setup_.before_passes();
    if (!plan.passes.empty() && setup_.checkpoints != nullptr) {
      setup_.checkpoints->flush();
      keep_all(plan.parallel_groups);
    }
    for (const std::vector<std::uint32_t>& groups : plan.passes) {
      setup_.context.progress.stage.store("merge pass");
      run_pass(groups, plan.parallel_groups);
      ++stats.passes;
    }
    stats.rewritten_bytes = plan.rewritten_bytes;
    stats.pass_seconds = watch.seconds();
  }

 private:
  // Writes runs in memory to files: a commit covers all that comes before.
  void keep_all(unsigned threads) {
    for (std::size_t i = 0; i < runs_.runs.size(); ++i) {
      if (!runs_.runs[i]->kept_name.empty()) continue;
      runs_.runs[i] = compact_all({runs_.runs.data() + i, 1}, threads, i);
    }
  }

  void run_pass(const std::vector<std::uint32_t>& groups, unsigned parallel_groups) {
    std::vector<std::size_t> first{0};
    for (const std::uint32_t size : groups) first.push_back(first.back() + size);
    MergeSources compacted(groups.size());
    // If there are fewer groups than memory has room for, each has several threads.
    const auto compactions =
        static_cast<unsigned>(std::count_if(groups.begin(), groups.end(), [](std::uint32_t size) { return size > 1; }));
    const unsigned threads = std::max(1U, parallel_groups / std::max(1U, compactions));
    tbb::task_arena arena(static_cast<int>(parallel_groups));
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, groups.size(), 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t g = range.begin(); g != range.end(); ++g) {
              compacted[g] = compact_group({runs_.runs.data() + first[g], groups[g]}, threads, g);
            }
          },
          tbb::simple_partitioner());
    });
    runs_.runs = std::move(compacted);
    setup_.context.progress.runs.store(runs_.runs.size());
  }

  // To scratch: passes are needed only if memory is short.
  std::unique_ptr<MergeSource> compact_group(std::span<std::unique_ptr<MergeSource>> group, unsigned threads,
                                             std::uint64_t number) {
    return group.size() == 1 ? std::move(group[0]) : compact_all(group, threads, number);
  }

  std::unique_ptr<MergeSource> compact_all(std::span<std::unique_ptr<MergeSource>> group, unsigned threads,
                                           std::uint64_t number) {
    throw_if_stopped(setup_.context);
    const StageSpan span(timeline_of(setup_.context.recorder), JobStage::kMergePass);
    RunMergeOptions options;
    options.block_bytes = setup_.run_block_bytes;
    options.run_number = number;
    options.threads = threads;
    options.ahead_bytes = std::size_t{2} * threads * merge_batch_bytes(setup_.budget.total_bytes(), setup_.threads);
    options.check = [this] { throw_if_stopped(setup_.context); };
    std::unique_ptr<MergeSource> compacted = compact(group, runs_, CompactTo::kScratch, options);
    if (setup_.checkpoints != nullptr) setup_.checkpoints->replace(group, *compacted);
    for (auto& source : group) source.reset();
    return compacted;
  }

  const MergeSetup& setup_;
  RunStore& runs_;
};

// The last pass. It finds duplicate ids first, because lists are renumbered without the dropped documents. Then it
// writes documents and lists: in parallel if there is memory for both, otherwise one after the other. Ids are sorted
// first, or beside lists and documents if their hashes show that there are no duplicates.
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
        lengths_(setup.budget, lay_out_source(inputs_).document_count) {}

  // Returns the share of the dropped documents in the sum of the source.
  ContentChecksum run(const std::function<void(std::uint64_t)>& duplicates_found) {
    find_duplicates();
    duplicates_found(stats_.duplicate_documents);
    Reservation memory = take_memory();
    if (memory.bytes() == 0) {
      setup_.context.progress.stage.store("documents");
      write_documents({});
    }
    setup_.context.progress.stage.store("merge");
    return merge_lists(memory.bytes() != 0);
  }

 private:
  void find_duplicates() {
    const Stopwatch watch;
    const StageSpan span(timeline_of(setup_.context.recorder), JobStage::kIds);
    setup_.context.progress.stage.store("ids");
    const std::size_t sort_bytes = std::min(setup_.id_sort_bytes, setup_.budget.free_bytes() / 2);
    ids_.emplace(inputs_, setup_.content.duplicate_ids,
                 IdTableResources{.budget = setup_.budget,
                                  .temp = setup_.temp,
                                  .sorter = setup_.id_sorter,
                                  .memory_bytes = sort_bytes,
                                  .to_drop = setup_.to_drop,
                                  .check_cancelled = check_,
                                  .threads = setup_.threads,
                                  .documents_bytes = documents_bytes_,
                                  .on_duplicate = setup_.on_duplicate,
                                  .appended_to = setup_.appended_to,
                                  .urls_to_drop = setup_.urls_to_drop,
                                  .dedup = setup_.dedup,
                                  .on_repeat = setup_.on_repeat,
                                  .id_sort = when_to_sort(sort_bytes)},
                 lengths_);
    stats_.duplicate_documents = ids_->duplicate_count();
    stats_.listed_documents = ids_->listed_count();
    stats_.duplicates = ids_->examples();
    stats_.repeated_documents = ids_->repeat_count();
    stats_.repeats = ids_->repeats();
    stats_.known_documents = ids_->known_count();
    stats_.known = ids_->known_examples();
    stats_.replaced_documents = ids_->replaced_count();
    stats_.id_seconds = watch.seconds();
  }

  // Lists need to know only which documents are dropped. Where the order of ids will be written beside lists and
  // documents, which leave some threads idle, the sort goes there, too. A GPU is left to the lists.
  IdSort when_to_sort(std::size_t sort_bytes) const {
    const std::size_t bytes = sort_bytes + plan_.last_pass_bytes + documents_bytes_;
    return may_order_beside(bytes) && !setup_.id_sorter.needs_gpu() ? IdSort::kWhenNeeded : IdSort::kAtOnce;
  }

  // Memory for lists and documents at the same time. None if one thread does all, or too little memory is free.
  Reservation take_memory() {
    if (setup_.threads <= 1) return {};
    const std::size_t bytes = plan_.last_pass_bytes + documents_bytes_;
    if (auto memory = setup_.budget.try_reserve(bytes, "the merge")) return std::move(*memory);
    const Stopwatch watch;
    write_order();  // frees memory
    stats_.id_seconds += watch.seconds();
    if (auto memory = setup_.budget.try_reserve(bytes, "the merge")) return std::move(*memory);
    return {};
  }

  // Memory for lists that wait for their turn: enough for all of them at most, and half as much again because vectors
  // grow. GPUs merge lists faster than they can be written, so more would only let them touch new memory.
  Reservation take_memory_ahead() {
    std::uint64_t bytes = estimated_list_bytes(inputs_) * 3 / 2;
    if (setup_.lanes != nullptr) bytes = std::min(bytes, kMostAheadOfGpus);
    auto memory = setup_.budget.try_reserve(
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes, setup_.budget.free_bytes() / 2)),
        "lists ahead of the writer");
    return memory ? std::move(*memory) : Reservation();
  }

  // Returns the memory of the helpers; none if one thread does all, or too little memory is free.
  Reservation start_list_helpers() {
    if (setup_.threads <= 1) return {};
    std::size_t most_owned = batch_bytes_ * 2;  // vectors grow by doubling
    std::optional<Reservation> memory;
    if (setup_.lanes != nullptr && kGpuBatchBytes > most_owned) {
      memory = take_helper_memory(kGpuBatchBytes);
      if (memory) most_owned = kGpuBatchBytes;
    }
    if (!memory) memory = take_helper_memory(most_owned);
    if (!memory) return {};
    writer_.start_list_helpers(most_owned, setup_.threads >= kLeastForTwo ? SectionWriter::BehindThreads::kTwo
                                                                          : SectionWriter::BehindThreads::kOne);
    return std::move(*memory);
  }

  std::optional<Reservation> take_helper_memory(std::size_t most_owned) {
    return setup_.budget.try_reserve(IndexWriter::list_helper_bytes(setup_.content, most_owned),
                                     "helpers of the writer");
  }

  void write_order() {
    if (std::exchange(order_is_written_, true)) return;
    if (ids_->must_sort()) sort_ids();
    ids_->write_order(writer_);
  }

  // The calling thread may be one of its own, which is in no arena of the job.
  void sort_ids() {
    const StageSpan span(timeline_of(setup_.context.recorder), JobStage::kIds);
    check_();
    tbb::task_arena arena(static_cast<int>(setup_.threads));
    arena.execute([this] { ids_->sort(); });
  }

  // False where few threads merge, or where the memory of the sort of ids may be what documents lack. `bytes` of the
  // free memory will be taken before.
  bool may_order_beside(std::size_t bytes) const {
    constexpr unsigned kLeastThreads = 8;
    return setup_.threads >= kLeastThreads && setup_.budget.free_bytes() >= setup_.budget.total_bytes() / 4 + bytes;
  }

  // Sorts ids, if that is still to be done, and writes their order in a thread of its own, whose end the result waits
  // for: one thread writes 20 million a second, and until then other threads would merge no documents. Returns none
  // where that does not pay.
  std::future<void> start_order() {
    if (order_is_written_ || !may_order_beside(0)) return {};
    try {
      return std::async(std::launch::async, [this] {
        try {
          write_order();
        } catch (...) {
          order_failed_.store(true);
          throw;
        }
      });
    } catch (const std::system_error&) {  // no thread is left
      return {};
    }
  }

  // `lists_check` throws once the lists have failed. May be empty.
  void write_documents(const StopCheck& lists_check) {
    const Stopwatch watch;
    const StageSpan span(timeline_of(setup_.context.recorder), JobStage::kDocuments);
    std::future<void> order = start_order();
    if (!order.valid()) write_order();
    try {
      merge_documents(lists_check);
    } catch (...) {
      if (order.valid()) order.get();  // its error may be the first
      throw;
    }
    if (order.valid()) order.get();
    stats_.document_seconds = watch.seconds();
  }

  void merge_documents(const StopCheck& lists_check) {
    spillway::merge_documents(inputs_, ids_->dropped(), writer_, setup_.budget, setup_.threads, [&] {
      check_();
      if (lists_check) lists_check();
      if (order_failed_.load()) throw std::runtime_error("the order of ids could not be written");
    });
  }

  ContentChecksum merge_lists(bool with_documents) {
    const Stopwatch watch;
    IndexMergeOptions options;
    options.threads = plan_.last_pass_ranges;
    options.batch_bytes = batch_bytes_;
    options.check = check_;
    options.timeline = timeline_of(setup_.context.recorder);
    options.progress = [this](std::uint64_t done) { setup_.context.progress.postings_done.store(done); };
    options.most_threads = setup_.threads;
    const Reservation ahead = with_documents ? take_memory_ahead() : Reservation();
    options.ahead_bytes = ahead.bytes();
    options.lanes = setup_.lanes;
    if (with_documents) options.beside = [this](const StopCheck& check) { write_documents(check); };
    const Reservation helpers = start_list_helpers();
    // The helpers take the time of about one thread in eight.
    if (helpers.bytes() != 0) options.threads = std::min(options.threads, setup_.threads - setup_.threads / 8);
    const IndexMergeResult result = spillway::merge_lists(inputs_, ids_->dropped(), lengths_.span(), writer_, options);
    writer_.end_list_helpers();
    stats_.documents = result.document_count;
    stats_.postings = result.posting_count;
    stats_.occurrences = result.occurrence_count;
    stats_.list_seconds = watch.seconds();
    stats_.list_busy_seconds = result.cpu_seconds;
    stats_.gpu_postings = result.lane_postings;
    return result.dropped_sum;
  }

  const MergeSetup& setup_;
  const MergePlan& plan_;
  const std::span<const MergeInput* const> inputs_;
  IndexWriter& writer_;
  MergeStats& stats_;
  const StopCheck check_ = [this] { throw_if_stopped(setup_.context); };
  const std::size_t batch_bytes_ = merge_batch_bytes(setup_.budget.total_bytes(), setup_.threads);
  const std::size_t documents_bytes_;
  LengthCodes lengths_;
  std::optional<IdTable> ids_;
  bool order_is_written_ = false;
  std::atomic<bool> order_failed_{false};
};

}  // namespace

IndexTotals merge_into_index(const MergeSetup& setup, RunStore& runs, IndexWriter& writer,
                             const std::function<void(std::uint64_t)>& duplicates_found, MergeStats& stats) {
  const MergePlan plan = plan_final_merge(setup, runs);
  stats.plan = plan.describe();
  setup.context.say(stats.plan);
  CompactionPasses(setup, runs).run(plan, stats);
  const OpenSources open(runs.runs, plan.last_pass_ranges);
  const SourceLayout layout = lay_out_source(open.inputs());
  IndexTotals totals;
  totals.source_document_count = layout.document_count;
  totals.source_sum = layout.sum;
  for (const auto& run : runs.runs) setup.context.progress.postings_total += run->summary.posting_count;
  tbb::task_arena arena(static_cast<int>(setup.threads));
  arena.execute([&] { totals.dropped_sum = LastPass(setup, plan, open, writer, stats).run(duplicates_found); });
  ++stats.passes;
  return totals;
}

}  // namespace spillway
