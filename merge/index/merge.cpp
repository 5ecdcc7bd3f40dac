#include "merge/index/merge.hpp"

#include <time.h>

#include <algorithm>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "io/base/error.hpp"
#include "merge/cursor/term_ranges.hpp"
#include "merge/index/batch_merger.hpp"
#include "merge/index/document_batches.hpp"
#include "merge/index/postings_merger.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

namespace {

// Ranges per thread. With fewer, uneven ranges keep some threads busy at the end, and the writer waits longer at the
// start: until the first range is done, it gets the output of one thread only. With more, too many blocks are read
// twice, by the ranges on both sides of a border.
constexpr std::size_t kLeastRanges = 20, kMostRanges = 48;

SourceLayout whole_source(std::span<const MergeInput* const> inputs) {
  SourceLayout layout = lay_out_source(inputs);
  if (!layout.first_open && !layout.last_open) return layout;
  throw FormatError((layout.first_open ? inputs.front() : inputs.back())->name() +
                    ": expected whole documents at both ends of a merge, found one that is cut: the run " +
                    (layout.first_open ? "before" : "after") + " it is missing");
}

// CPU time of the calling thread.
double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// The threads that merge lists; each takes the next range when it has finished one.
class RangeWorkers {
 public:
  RangeWorkers(const PostingsMergeJob& job, const IndexMergeOptions& options) : job_(job), options_(options) {}

  double cpu_seconds() const { return cpu_seconds_; }

  PostingsMergeTotals run() {
    const std::size_t count = std::clamp<std::size_t>(options_.threads, 1, job_.ranges.count());
    bool merges_after = options_.beside && count >= options_.most_threads;
    std::jthread beside;
    try {
      if (options_.beside) beside = std::jthread([this, merges_after] { work_beside(merges_after); });
    } catch (const std::system_error&) {  // no thread is left: the lists come after what was to be beside them
      merges_after = false;
      work_beside(merges_after);
    }
    job_.out.run_threads(count - (merges_after ? 1 : 0), [this] { work(); });
    if (!merges_after) end_lanes();  // documents may take longer, and lanes a while to go
    if (beside.joinable()) beside.join();
    if (merges_after) end_lanes();
    job_.out.check_complete();
    return totals_;
  }

 private:
  void end_lanes() {
    if (options_.lanes == nullptr) return;
    job_.out.drop_used();  // in memory of the lanes
    options_.lanes->end();
  }

  void work_beside(bool merges_after) {
    job_.out.guard([&] {
      options_.beside([this] { job_.out.check_stopped(); });
      if (merges_after) work();
    });
  }

  void work() {
    const double before = thread_cpu_seconds();
    BatchMerger merger(job_, options_.lanes);
    if (!merger.may_merge()) return;
    while (const auto range = job_.out.begin_range()) {
      const StageSpan span(options_.timeline, JobStage::kMerge);
      if (options_.lanes != nullptr && job_.out.all_begun()) options_.lanes->expect_end();
      merger.merge_range(*range);
    }
    const std::scoped_lock lock(mutex_);
    totals_.add(merger.totals());
    cpu_seconds_ += thread_cpu_seconds() - before;
  }

  const PostingsMergeJob& job_;
  const IndexMergeOptions& options_;
  std::mutex mutex_;
  PostingsMergeTotals totals_;
  double cpu_seconds_ = 0;
};

std::vector<BatchInput> batch_inputs(std::span<const MergeInput* const> inputs, const SourceLayout& layout) {
  std::vector<BatchInput> described;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    described.push_back({inputs[i]->summary().posting_count, static_cast<std::uint32_t>(layout.bases[i]),
                         cut_document(inputs, layout, i)});
  }
  return described;
}

// Enough ranges that the output of one range of every thread fits `limit_bytes`; otherwise threads would wait for the
// first range.
std::size_t range_count_of(std::span<const MergeInput* const> inputs, std::size_t threads, std::size_t limit_bytes) {
  if (threads <= 1) return 1;
  const std::uint64_t wanted = 2 * estimated_list_bytes(inputs) / std::max<std::size_t>(limit_bytes / threads, 1);
  return std::clamp<std::size_t>(wanted, kLeastRanges * threads, kMostRanges * threads);
}

// Starts as many helpers as the budget has room for. They use the returned memory.
Reservation start_helpers(IndexWriter& writer, MemoryBudget& budget, unsigned threads) {
  for (; threads > 1; --threads) {
    auto room = budget.try_reserve(IndexWriter::document_helper_bytes(threads - 1), "helpers of the writer");
    if (!room) continue;
    writer.start_document_helpers(threads - 1);
    return std::move(*room);
  }
  return {};
}

void check_sum(const MergeInput& input, const InputTotals& found) {
  if (found.sum == input.summary().sum) return;
  throw FormatError(input.name() +
                    ": its postings do not give the sum that was taken when it was made: it is damaged, make it again "
                    "from its input");
}

// Counts of lists that lanes held are those of all inputs together.
void check_totals_together(std::span<const MergeInput* const> inputs, const PostingsMergeTotals& found) {
  InputTotals expected, all = found.held;
  for (const MergeInput* const input : inputs) {
    expected.posting_count += input->summary().posting_count;
    expected.occurrence_count += input->summary().occurrence_count;
  }
  for (const InputTotals& input : found.inputs) all.add(input);
  const bool has_positions = inputs.front()->identity().has_positions;  // fragments may cut a posting
  if (all.occurrence_count == expected.occurrence_count &&
      (has_positions ? all.posting_count >= expected.posting_count : all.posting_count == expected.posting_count)) {
    return;
  }
  throw FormatError("the runs: expected " + std::to_string(expected.posting_count) + " postings of " +
                    std::to_string(expected.occurrence_count) + " occurrences, found " +
                    std::to_string(all.posting_count) + " of " + std::to_string(all.occurrence_count) +
                    " where GPUs hold them: their memory is at fault: index again, with --mode cpu+ if this happens "
                    "twice");
}

// Lanes take the sum over all inputs.
void check_sums_together(const SourceLayout& layout, const PostingsMergeTotals& found) {
  ContentChecksum sum = found.lane_sum;
  for (std::size_t i = 0; i < found.inputs.size(); ++i) sum.join(found.inputs[i].sum, layout.bases[i]);
  if (sum == layout.sum) return;
  throw FormatError(
      "the postings of all runs do not give the sums that were taken when they were made: a run is damaged, or the GPU "
      "that merged them is at fault: index again, with --mode cpu+ if this happens twice");
}

// Threads of the merge for each thread that encodes documents, and the most of these. One at a time appends; on 32
// processors 4 threads that encoded never waited for that (docs/results/gpu_several.md).
constexpr unsigned kThreadsForEach = 4, kMostDocumentThreads = 8;

// Appends the documents in turn, with their texts.
void merge_documents_in_turn(const DocumentMergeJob& job) {
  SourceTexts texts(job.inputs);
  for_each_document(job.inputs, job.check, [&](std::uint32_t number, const RunDocument& document) {
    const bool is_dropped = job.dropped.contains(number);
    texts.next_document([&](std::string_view fragment) {
      if (!is_dropped) job.writer.append_text(fragment);
    });
    append_merged_document(number, document, job.dropped, job.writer);
    return ReadStep::kGoOn;
  });
  texts.finish();
}

}  // namespace

void merge_documents(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, IndexWriter& writer,
                     MemoryBudget& budget, unsigned threads, const StopCheck& check) {
  whole_source(inputs);
  const Reservation helpers = start_helpers(writer, budget, threads);
  const DocumentMergeJob job{.inputs = inputs,
                             .dropped = dropped,
                             .writer = writer,
                             .budget = budget,
                             .threads = std::min(threads / kThreadsForEach, kMostDocumentThreads),
                             .check = check};
  if (!merge_document_batches(job)) merge_documents_in_turn(job);
  writer.end_document_helpers();
}

IndexMergeResult merge_lists(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                             std::span<const std::uint8_t> length_codes, IndexWriter& writer,
                             const IndexMergeOptions& options) {
  const SourceLayout layout = whole_source(inputs);
  if (length_codes.size() != layout.document_count - dropped.count()) {
    throw std::logic_error("a merge was given length codes of another number of documents");
  }
  const std::size_t limit_bytes = (options.threads + std::size_t{1}) * 2 * options.batch_bytes + options.ahead_bytes;
  const TermRanges ranges(choose_term_splitters(inputs, range_count_of(inputs, options.threads, limit_bytes)));
  // Each thread may reuse a written batch. These batches count towards the limit, each at twice its bytes, because
  // vectors grow by doubling. Lanes reuse more: they would spend a third of their threads' time on new pages.
  const std::size_t used = options.ahead_bytes == 0 ? 0 : options.threads;
  const std::size_t used_bytes =
      used * 2 * options.batch_bytes + (options.lanes == nullptr ? 0 : options.ahead_bytes / 2);
  OrderedLists out(writer, ranges.count(), limit_bytes - used_bytes,
                   used_bytes + (options.lanes == nullptr ? 0 : options.lanes->used_bytes()));
  std::mutex progress_mutex;
  std::uint64_t postings_done = 0;
  const auto tick = [&](std::uint64_t postings) {
    if (options.check) options.check();
    if (!options.progress) return;
    const std::scoped_lock lock(progress_mutex);
    options.progress(postings_done += postings);
  };
  const bool has_positions = inputs.front()->identity().has_positions;
  if (options.lanes != nullptr) {
    options.lanes->begin({.dropped = dropped,
                          .length_codes = length_codes,
                          .document_count = layout.document_count,
                          .has_positions = has_positions,
                          .inputs = batch_inputs(inputs, layout)});
  }
  const PostingsMergeJob job{.inputs = inputs,
                             .ranges = ranges,
                             .layout = layout,
                             .dropped = dropped,
                             .length_codes = length_codes,
                             .positions = has_positions ? Positions::kStored : Positions::kNone,
                             .batch_bytes = options.batch_bytes,
                             .most_used_bytes = options.lanes == nullptr ? ~std::size_t{0} : 4 * options.batch_bytes,
                             .out = out,
                             .tick = tick};
  RangeWorkers workers(job, options);
  const PostingsMergeTotals totals = workers.run();

  std::uint64_t source_occurrences = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (totals.held.posting_count == 0) check_totals(*inputs[i], totals.inputs[i]);
    if (totals.lane_postings == 0) check_sum(*inputs[i], totals.inputs[i]);
    source_occurrences += totals.inputs[i].occurrence_count;
  }
  source_occurrences += totals.held.occurrence_count;
  if (totals.held.posting_count != 0) check_totals_together(inputs, totals);
  if (totals.lane_postings != 0) check_sums_together(layout, totals);
  if (source_occurrences != totals.occurrence_count + totals.dropped_occurrence_count) {
    throw std::logic_error("a merge lost occurrences");
  }
  return {layout.document_count - dropped.count(),
          totals.posting_count,
          totals.occurrence_count,
          totals.dropped_sum,
          workers.cpu_seconds(),
          totals.lane_postings};
}

}  // namespace spillway
