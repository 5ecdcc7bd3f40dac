#include "merge/index/merge.hpp"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "io/base/error.hpp"
#include "merge/cursor/term_ranges.hpp"
#include "merge/index/postings_merger.hpp"
#include "merge/input/document_join.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/input/text_join.hpp"
#include "merge/input/totals.hpp"

namespace spillway {

namespace {

// Ranges of a thread: the fewest, so that threads end together although ranges are uneven, and so that the writer has
// something to write soon: until the first is through, it gets what one thread makes. The most, as each range reads the
// blocks at its ends that its neighbours read too.
constexpr std::size_t kLeastRanges = 20, kMostRanges = 48;

SourceLayout whole_source(std::span<const MergeInput* const> inputs) {
  SourceLayout layout = lay_out_source(inputs);
  if (!layout.first_open && !layout.last_open) return layout;
  throw FormatError((layout.first_open ? inputs.front() : inputs.back())->name() +
                    ": expected whole documents at both ends of a merge, found one that is cut: the run " +
                    (layout.first_open ? "before" : "behind") + " it is missing");
}

// That the calling thread has used.
double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Ranges are taken in order by however many threads there are.
class RangeWorkers {
 public:
  RangeWorkers(const ListMergeJob& job, std::vector<std::string> splitters, const IndexMergeOptions& options)
      : job_(job), splitters_(std::move(splitters)), options_(options) {}

  std::size_t range_count() const { return splitters_.size() + 1; }

  double cpu_seconds() const { return cpu_seconds_; }

  ListMergeTotals run() {
    const std::size_t count = std::clamp<std::size_t>(options_.threads, 1, range_count());
    std::vector<std::thread> threads;
    try {
      const bool joins = options_.beside && count >= options_.most_threads;
      if (options_.beside) threads.emplace_back([this, joins] { work_beside(joins); });
      for (std::size_t i = joins ? 2 : 1; i < count; ++i) threads.emplace_back([this] { work(); });
    } catch (...) {
      job_.out.fail(std::current_exception());
    }
    work();
    for (std::thread& thread : threads) thread.join();
    job_.out.check_complete();
    return totals_;
  }

 private:
  void work_beside(bool joins) noexcept {
    try {
      options_.beside([this] { job_.out.check_stopped(); });
    } catch (const OrderedLists::Stopped&) {
      return;
    } catch (...) {
      job_.out.fail(std::current_exception());
      return;
    }
    if (joins) work();
  }

  void work() noexcept {
    const double before = thread_cpu_seconds();
    try {
      PostingsMerger merger(job_);
      for (std::size_t range = next_++; range < range_count(); range = next_++) {
        const std::string first = range == 0 ? std::string() : splitters_[range - 1];
        const std::string last = range == splitters_.size() ? std::string() : splitters_[range];
        merger.merge_range(range, first, last);
      }
      const std::scoped_lock lock(mutex_);
      totals_.add(merger.totals());
      cpu_seconds_ += thread_cpu_seconds() - before;
    } catch (const OrderedLists::Stopped&) {
      // Another thread's error is kept already.
    } catch (...) {
      job_.out.fail(std::current_exception());
    }
  }

  const ListMergeJob& job_;
  std::vector<std::string> splitters_;
  const IndexMergeOptions& options_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  ListMergeTotals totals_;
  double cpu_seconds_ = 0;
};

// What all threads make of their ranges is to fit what may wait, else they wait for the first.
std::size_t range_count_of(std::span<const MergeInput* const> inputs, std::size_t threads, std::size_t limit_bytes) {
  if (threads <= 1) return 1;
  const std::uint64_t wanted = 2 * estimated_list_bytes(inputs) / std::max<std::size_t>(limit_bytes / threads, 1);
  return std::clamp<std::size_t>(wanted, kLeastRanges * threads, kMostRanges * threads);
}

// As many as have room; they hold what is returned.
Reservation start_helpers(IndexWriter& writer, MemoryBudget& budget, unsigned threads) {
  for (; threads > 1; --threads) {
    auto room = budget.try_reserve((threads - 1) * IndexWriter::helper_bytes());
    if (!room) continue;
    writer.start_document_helpers(threads - 1);
    return std::move(*room);
  }
  return {};
}

void check_input(const MergeInput& input, const ListMergeTotals::Input& found) {
  check_totals(input, {found.posting_count, found.occurrence_count});
  if (found.sum == input.summary().sum) return;
  throw FormatError(input.name() +
                    ": its postings do not give the sum that was taken when it was made: it is damaged, make it again "
                    "from its input");
}

std::function<void(std::uint64_t)> make_tick(const IndexMergeOptions& options, std::mutex& mutex, std::uint64_t& done) {
  return [&options, &mutex, &done](std::uint64_t postings) {
    if (options.check_cancelled) options.check_cancelled();
    if (!options.progress) return;
    const std::scoped_lock lock(mutex);
    done += postings;
    options.progress(done);
  };
}

}  // namespace

std::uint64_t source_document_count(std::span<const MergeInput* const> inputs) {
  return lay_out_source(inputs).document_count;
}

std::uint64_t estimated_list_bytes(std::span<const MergeInput* const> inputs) {
  constexpr std::uint64_t kPostingBytes = 2, kPositionBytes = 2;
  std::uint64_t bytes = 0;
  for (const MergeInput* input : inputs) {
    const RunSummary& summary = input->summary();
    bytes += summary.posting_count * kPostingBytes;
    if (input->identity().has_positions) bytes += summary.occurrence_count * kPositionBytes;
  }
  return bytes;
}

std::vector<std::uint64_t> document_bases(std::span<const MergeInput* const> inputs) {
  return lay_out_source(inputs).bases;
}

ContentChecksum source_sum(std::span<const MergeInput* const> inputs) {
  const SourceLayout layout = lay_out_source(inputs);
  ContentChecksum sum;
  for (std::size_t i = 0; i < inputs.size(); ++i) sum.join(inputs[i]->summary().sum, layout.bases[i]);
  return sum;
}

void merge_documents(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, IndexWriter& writer,
                     MemoryBudget& budget, unsigned threads, const std::function<void()>& check) {
  whole_source(inputs);
  const Reservation helpers = start_helpers(writer, budget, threads);
  TextJoiner texts(inputs);
  join_documents(inputs, [&](std::uint32_t number, const RunDocument& document) {
    if (check) check();
    if (dropped.contains(number)) {
      texts.next_document([](std::string_view) {});
      writer.append_dropped(number);
      return JoinStep::kGoOn;
    }
    if (document.fields == RunDocument::kDropped) {
      throw std::logic_error("a document that an index has dropped was not dropped again");
    }
    texts.next_document([&](std::string_view piece) { writer.append_text(piece); });
    writer.append_document(document);
    return JoinStep::kGoOn;
  });
  texts.finish();
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
  std::vector<std::string> splitters =
      choose_term_splitters(inputs, range_count_of(inputs, options.threads, limit_bytes));
  // Each thread may find a written batch to write the next in. They are a part of what may wait, and of vectors that
  // have grown to twice what is in them.
  const std::size_t used = options.ahead_bytes == 0 ? 0 : options.threads;
  OrderedLists out(writer, splitters.size() + 1, limit_bytes - used * 2 * options.batch_bytes, used);
  std::mutex progress_mutex;
  std::uint64_t postings_done = 0;
  const bool has_positions = inputs.front()->identity().has_positions;
  const ListMergeJob job{inputs,
                         layout,
                         dropped,
                         length_codes,
                         has_positions ? Positions::kStored : Positions::kNone,
                         options.batch_bytes,
                         out,
                         make_tick(options, progress_mutex, postings_done)};
  RangeWorkers workers(job, std::move(splitters), options);
  const ListMergeTotals totals = workers.run();

  std::uint64_t source_occurrences = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_input(*inputs[i], totals.inputs[i]);
    source_occurrences += totals.inputs[i].occurrence_count;
  }
  if (source_occurrences != totals.occurrence_count + totals.dropped_occurrence_count) {
    throw std::logic_error("a merge lost occurrences");
  }
  return {layout.document_count - dropped.count(), totals.posting_count, totals.occurrence_count, totals.dropped_sum,
          workers.cpu_seconds()};
}

}  // namespace spillway
