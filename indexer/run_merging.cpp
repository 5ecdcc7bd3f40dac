#include "indexer/run_merging.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "indexer/open_sources.hpp"
#include "indexer/run_merge_plan.hpp"
#include "indexer/stopwatch.hpp"
#include "io/error.hpp"
#include "merge/index_merge.hpp"
#include "merge/run_merge.hpp"

namespace spillway {

namespace {

class Merging {
 public:
  Merging(const MergeSetup& setup, RunStore& runs, MergeFigures& figures)
      : setup_(setup), runs_(runs), figures_(figures), arena_(static_cast<int>(setup.threads)) {}

  MergePlan plan() const {
    RunFigures figures;
    figures.any_file = false;
    std::uint64_t bytes = 0;
    for (const auto& source : runs_.runs) {
      figures.bytes.push_back(source->bytes);
      figures.documents += source->summary.document_count;
      figures.cursor_bytes = std::max(figures.cursor_bytes, source->cursor_bytes());
      figures.open_bytes += source->open_bytes();
      figures.most_open_bytes = std::max(figures.most_open_bytes, source->open_bytes());
      bytes += source->bytes;
      figures.any_file |= source->is_spilled();
    }
    figures.most_open_bytes =
        std::max(figures.most_open_bytes, StoredRun::open_bytes(bytes, runs_.largest_block_bytes()));
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
    return plan_run_merge(figures, resources);
  }

  std::size_t batch_bytes() const { return merge_batch_bytes(setup_.budget.total_bytes(), setup_.threads); }

  void run_passes(const MergePlan& plan) {
    const Stopwatch watch;
    for (const std::vector<std::uint32_t>& groups : plan.passes) {
      setup_.context.progress.stage.store("merge pass");
      run_pass(groups, plan.parallel_groups);
      ++figures_.passes;
    }
    figures_.rewritten_bytes = plan.rewritten_bytes;
    figures_.pass_seconds = watch.seconds();
  }

 private:
  void run_pass(const std::vector<std::uint32_t>& groups, unsigned parallel_groups) {
    std::vector<std::size_t> first{0};
    for (const std::uint32_t size : groups) first.push_back(first.back() + size);
    std::vector<std::unique_ptr<MergeSource>> merged(groups.size());
    tbb::task_arena arena(static_cast<int>(parallel_groups));
    arena.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, groups.size(), 1),
          [&](const tbb::blocked_range<std::size_t>& range) {
            for (std::size_t g = range.begin(); g != range.end(); ++g) {
              merged[g] = merge_group({runs_.runs.data() + first[g], groups[g]}, g);
            }
          },
          tbb::simple_partitioner());
    });
    runs_.runs = std::move(merged);
    setup_.context.progress.runs.store(runs_.runs.size());
  }

  std::unique_ptr<MergeSource> merge_group(std::span<std::unique_ptr<MergeSource>> group, std::uint64_t number) {
    if (group.size() == 1) return std::move(group[0]);
    throw_if_stopped(setup_.context);
    RunMergeOptions options;
    options.block_bytes = setup_.run_block_bytes;
    options.run_number = number;
    std::unique_ptr<StoredRun> merged;
    {
      const OpenSources open(group, 1, setup_.context.signal_number);
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
  MergeFigures& figures_;

 public:
  tbb::task_arena arena_;
};

struct DocumentTables {
  DroppedDocuments dropped;
  Buffer length_codes;
};

DocumentTables merge_ids_and_documents(const MergeSetup& setup, std::span<const MergeInput* const> inputs,
                                       IndexWriter& writer, const std::function<void(std::uint64_t)>& duplicates_found,
                                       MergeFigures& figures) {
  const Stopwatch id_watch;
  setup.context.progress.stage.store("ids");
  const std::size_t sort_bytes = std::min(setup.id_sort_bytes, setup.budget.free_bytes() / 2);
  const auto check_cancelled = [&setup] { throw_if_stopped(setup.context); };
  IdTable ids(inputs, setup.content.duplicate_ids,
              {setup.budget, setup.temp, setup.id_sorter, sort_bytes, setup.to_drop, check_cancelled});
  figures.duplicate_documents = ids.duplicate_count();
  figures.listed_documents = ids.listed_count();
  figures.id_seconds = id_watch.seconds();
  for (const IdTable::Duplicate& duplicate : ids.examples()) figures.duplicates.push_back(duplicate);
  duplicates_found(figures.duplicate_documents);

  const Stopwatch document_watch;
  setup.context.progress.stage.store("documents");
  DocumentTables tables;
  tables.length_codes = merge_documents(inputs, ids.dropped(), writer, setup.budget, setup.threads);
  ids.write_order(writer);
  tables.dropped = ids.take_dropped();
  figures.document_seconds = document_watch.seconds();
  return tables;
}

}  // namespace

IndexTotals merge_into_index(const MergeSetup& setup, RunStore& runs, IndexWriter& writer,
                             const std::function<void(std::uint64_t)>& duplicates_found, MergeFigures& figures) {
  Merging merging(setup, runs, figures);
  const MergePlan plan = merging.plan();
  figures.plan = plan.describe();
  setup.context.say(figures.plan);
  merging.run_passes(plan);
  const OpenSources open(runs.runs, plan.last_pass_ranges, setup.context.signal_number);
  const auto inputs = open.inputs();
  IndexTotals totals;
  totals.source_document_count = source_document_count(inputs);
  totals.source_sum = source_sum(inputs);
  const auto& context = setup.context;
  for (const auto& run : runs.runs) context.progress.postings_total += run->summary.posting_count;

  merging.arena_.execute([&] {
    // The table of ids gives its memory back before the lists are merged.
    const auto [dropped, length_codes] = merge_ids_and_documents(setup, inputs, writer, duplicates_found, figures);

    const Stopwatch list_watch;
    context.progress.stage.store("merge");
    IndexMergeOptions options;
    options.threads = plan.last_pass_ranges;
    options.batch_bytes = merging.batch_bytes();
    figures.list_threads = options.threads;
    options.check_cancelled = [&context] { throw_if_stopped(context); };
    options.progress = [&](std::uint64_t done) { context.progress.postings_done.store(done); };
    const IndexMergeResult result = merge_lists(inputs, dropped, length_codes.span(), writer, options);
    totals.dropped_sum = result.dropped_sum;
    figures.documents = result.document_count;
    figures.postings = result.posting_count;
    figures.occurrences = result.occurrence_count;
    figures.list_seconds = list_watch.seconds();
  });
  ++figures.passes;
  return totals;
}

}  // namespace spillway
