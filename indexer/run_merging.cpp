#include "indexer/run_merging.hpp"

#include <sys/resource.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "indexer/duplicate_ids.hpp"
#include "indexer/stopwatch.hpp"
#include "io/error.hpp"
#include "merge/index_merge.hpp"
#include "merge/merge_plan.hpp"
#include "merge/run_input.hpp"
#include "merge/run_merge.hpp"

namespace spillway {

namespace {

constexpr std::size_t kOtherDescriptors = 48;  // the index's files, inputs, standard streams, libraries

std::size_t descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return limit.rlim_cur > kOtherDescriptors ? limit.rlim_cur - kOtherDescriptors : 0;
}

// Passes on what is written, unless the user has stopped the job: how a long pass notices it.
class StoppableFile final : public WritableFile {
 public:
  StoppableFile(WritableFile& file, const std::atomic<int>& signal_number) : file_(file), signal_(signal_number) {}
  void append(std::span<const std::uint8_t> bytes) override {
    if (const int signal = signal_.load(std::memory_order_relaxed); signal != 0) throw InterruptedError(signal);
    file_.append(bytes);
  }
  void sync() override { file_.sync(); }
  void close() override { file_.close(); }
  std::uint64_t size() const override { return file_.size(); }
  const std::string& path() const override { return file_.path(); }

 private:
  WritableFile& file_;
  const std::atomic<int>& signal_;
};

// Runs of a merge, open for its time.
class OpenRuns {
 public:
  explicit OpenRuns(std::span<const std::unique_ptr<StoredRun>> runs) : runs_(runs) {
    for (const auto& run : runs_) {
      readers_.push_back(std::make_unique<RunReader>(run->open()));
      inputs_.push_back(std::make_unique<RunInput>(*readers_.back()));
      views_.push_back(inputs_.back().get());
    }
  }
  ~OpenRuns() {
    for (const auto& run : runs_) run->close();
  }
  OpenRuns(const OpenRuns&) = delete;
  OpenRuns& operator=(const OpenRuns&) = delete;

  std::span<const MergeInput* const> inputs() const { return views_; }

 private:
  std::span<const std::unique_ptr<StoredRun>> runs_;
  std::vector<std::unique_ptr<RunReader>> readers_;
  std::vector<std::unique_ptr<RunInput>> inputs_;
  std::vector<const MergeInput*> views_;
};

class Merging {
 public:
  Merging(const MergeSetup& setup, RunStore& runs, MergeFigures& figures)
      : setup_(setup), runs_(runs), figures_(figures), arena_(static_cast<int>(setup.threads)) {}

  // Bytes for the table of length codes, held while the other consumers are sized.
  std::size_t source_documents() const {
    std::size_t count = 0;
    for (const auto& run : runs_.runs) count += run->summary.document_count;
    return count;
  }

  MergePlan plan() const {
    MergePlanInput input;
    std::size_t block_bytes = setup_.plan.run_block_bytes;
    for (const auto& run : runs_.runs) input.run_bytes.push_back(run->bytes);
    input.cursor_bytes = 2 * TermBlockBuilder::max_block_bytes(block_bytes, setup_.content.max_term_bytes) + 4096 +
                         kMaxTermSamples * (kSampleTermBytes / 2);
    input.output_bytes = 4 * batch_bytes() + 2 * block_bytes;
    const std::size_t fixed = source_documents() + source_documents() / 5 + IndexWriter::memory_bytes();
    const std::size_t free = setup_.budget.free_bytes();
    input.memory_bytes = free > fixed ? free - fixed : 0;
    input.open_files = descriptor_limit();
    input.threads = setup_.threads;
    return plan_merge(input);
  }

  std::size_t batch_bytes() const {
    return std::clamp<std::size_t>(setup_.budget.total_bytes() / (std::size_t{setup_.threads} * 256), 64 << 10,
                                   1 << 20);
  }

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
    std::vector<std::unique_ptr<StoredRun>> merged(groups.size());
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

  std::unique_ptr<StoredRun> merge_group(std::span<std::unique_ptr<StoredRun>> group, std::uint64_t number) {
    if (group.size() == 1) return std::move(group[0]);
    if (const int signal = setup_.context.signal_number.load(); signal != 0) throw InterruptedError(signal);
    RunMergeOptions options;
    options.block_bytes = setup_.plan.run_block_bytes;
    options.run_number = number;
    std::unique_ptr<StoredRun> merged;
    {
      const OpenRuns open(group);
      // Passes are only needed when memory is short, so what they write is spilled.
      merged = runs_.spill([&](WritableFile& file) {
        StoppableFile stoppable(file, setup_.context.signal_number);
        return merge_runs(open.inputs(), stoppable, options);
      });
    }
    for (auto& run : group) run.reset();
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
  const std::size_t sort_bytes = std::min(setup.plan.id_sort_bytes, setup.budget.free_bytes() / 2);
  IdTable ids(inputs, setup.content.duplicate_ids, {setup.budget, setup.temp, setup.id_sorter, sort_bytes});
  figures.duplicate_documents = ids.duplicate_count();
  figures.id_seconds = id_watch.seconds();
  for (const IdTable::Duplicate& duplicate : ids.examples()) figures.duplicates.push_back(duplicate);
  duplicates_found(figures.duplicate_documents);

  const Stopwatch document_watch;
  setup.context.progress.stage.store("documents");
  DocumentTables tables;
  tables.length_codes = merge_documents(inputs, ids.dropped(), writer, setup.budget);
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
  merging.run_passes(plan);
  const OpenRuns open(runs.runs);
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
    options.check_cancelled = [&] {
      if (const int signal = context.signal_number.load(); signal != 0) throw InterruptedError(signal);
    };
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
