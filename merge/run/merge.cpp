#include "merge/run/merge.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "io/run/document_cursor.hpp"
#include "io/run/text_cursor.hpp"
#include "io/run/writer.hpp"
#include "merge/cursor/ordered_ranges.hpp"
#include "merge/cursor/term_merge_cursor.hpp"
#include "merge/cursor/term_ranges.hpp"
#include "merge/input/document_join.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/input/totals.hpp"
#include "merge/run/postings_concatenator.hpp"
#include "merge/run/term_merger.hpp"

namespace spillway {

namespace {

// The new run's writer, for threads that take turns.
class SharedWriter {
 public:
  explicit SharedWriter(RunWriter& writer) : writer_(writer) {}
  void append_terms(const TermBlock& block) {
    const std::scoped_lock lock(mutex_);
    writer_.append_terms(block);
  }
  void append_documents(std::span<const std::uint8_t> bytes) {
    const std::scoped_lock lock(mutex_);
    writer_.append_documents(bytes);
  }

 private:
  std::mutex mutex_;
  RunWriter& writer_;
};

// `check` is called every so often.
void merge_documents_to_run(std::span<const MergeInput* const> inputs, const std::function<void()>& check,
                            SharedWriter& writer) {
  constexpr std::size_t kPieceBytes = std::size_t{16} << 10;
  std::vector<std::uint8_t> stream;
  const auto write = [&] {
    check();
    writer.append_documents(stream);
    stream.clear();
  };
  join_documents(inputs, [&](std::uint32_t, const RunDocument& document) {
    append_run_document(document, stream);
    if (stream.size() >= kPieceBytes) write();
    return JoinStep::kGoOn;
  });
  write();
}

void merge_texts_to_run(std::span<const MergeInput* const> inputs, RunWriter& writer) {
  std::vector<std::uint8_t> stream;
  for (const MergeInput* const input : inputs) {
    const std::unique_ptr<TextCursor> cursor = input->texts();
    while (cursor->next()) {
      stream.clear();
      append_text_fragment(cursor->fragment(), stream);
      writer.append_texts(stream);
    }
  }
}

ThreadSlot take_slot(const RunMergeOptions& options) {
  return options.slots == nullptr ? ThreadSlot() : options.slots->take();
}

// Ranges of a thread: the fewest, so that threads end together although ranges are uneven. The most, as each range
// reads the blocks at its ends that its neighbours read too.
constexpr std::size_t kLeastRanges = 6, kMostRanges = 48;

std::size_t ahead_bytes(const RunMergeOptions& options) {
  return options.ahead_bytes + 2 * std::size_t{options.threads} * options.block_bytes;
}

std::uint64_t estimated_bytes(std::span<const MergeInput* const> inputs) {
  constexpr std::uint64_t kPostingBytes = 2, kEntryBytes = 12, kPositionBytes = 1;
  std::uint64_t bytes = 0;
  for (const MergeInput* const input : inputs) {
    const RunSummary& summary = input->summary();
    bytes += summary.posting_count * kPostingBytes + summary.entry_count * kEntryBytes;
    if (input->identity().has_positions) bytes += summary.occurrence_count * kPositionBytes;
  }
  return bytes;
}

// What all threads make of their ranges is to fit what may wait, else they wait for the first: with half as much again,
// as ranges are uneven.
std::size_t range_count_of(std::span<const MergeInput* const> inputs, const RunMergeOptions& options) {
  if (options.threads <= 1) return 1;
  const std::uint64_t bytes = options.input_bytes != 0 ? options.input_bytes : estimated_bytes(inputs);
  return std::clamp<std::size_t>(3 * bytes / 2 / (ahead_bytes(options) / options.threads),
                                 kLeastRanges * options.threads, kMostRanges * options.threads);
}

// The lists of all inputs, range by range, to the writer's term blocks, and their documents beside that. Ranges are
// taken in order by however many threads there are.
class RangeMerger {
 public:
  RangeMerger(std::span<const MergeInput* const> inputs, const SourceLayout& layout, const RunMergeOptions& options,
              SharedWriter& writer)
      : inputs_(inputs),
        layout_(layout),
        options_(options),
        writer_(writer),
        has_positions_(inputs.front()->identity().has_positions),
        splitters_(choose_term_splitters(inputs, range_count_of(inputs, options))),
        totals_(inputs.size()),
        blocks_([this](TermBlock&& block) { write(block); }, splitters_.size() + 1, ahead_bytes(options)) {}

  void run() {
    const std::size_t count = std::clamp<std::size_t>(options_.threads, 1, splitters_.size() + 1);
    std::vector<std::thread> threads;
    threads.reserve(count);
    try {
      while (threads.size() + 1 < count) threads.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // No more threads are to be had: those that are here do all.
    }
    work();
    for (std::thread& thread : threads) thread.join();
    blocks_.check_complete();
    for (std::size_t i = 0; i < inputs_.size(); ++i) check_totals(*inputs_[i], totals_[i]);
  }

  // Of what was written.
  std::uint64_t entry_count = 0, posting_count = 0, occurrence_count = 0;

 private:
  // By one thread at a time.
  void write(const TermBlock& block) {
    writer_.append_terms(block);
    entry_count += block.entry_count;
    posting_count += block.posting_count;
    occurrence_count += block.occurrence_count;
  }

  void work() noexcept {
    try {
      if (options_.documents_beside && !documents_begun_.exchange(true)) write_documents();
      // A thread that has a range has a slot: the least unfinished range, for which others wait, goes on.
      while (next_ <= splitters_.size()) {
        const ThreadSlot slot = take_slot(options_);
        const std::size_t range = next_++;
        if (range > splitters_.size()) return;
        merge_range(range);
        blocks_.finish(range);
      }
    } catch (const OrderStopped&) {
      // Another thread's error is kept already.
    } catch (...) {
      blocks_.fail(std::current_exception());
    }
  }

  void write_documents() {
    const ThreadSlot slot = take_slot(options_);
    merge_documents_to_run(
        inputs_,
        [this] {
          blocks_.check_stopped();
          if (options_.check) options_.check();
        },
        writer_);
  }

  void merge_range(std::size_t range) {
    PostingsConcatenator joiner(options_.block_bytes, has_positions_, [&](TermBlock&& block) {
      if (options_.check) options_.check();
      const std::size_t bytes = block.payload.capacity();
      blocks_.put(range, std::move(block), bytes);
    });
    TermMerger merger(joiner, options_.block_bytes, has_positions_, range_inputs());
    TermMergeCursor sources(inputs_, range == 0 ? std::string() : splitters_[range - 1],
                            range == splitters_.size() ? std::string() : splitters_[range]);
    while (!sources.done()) merger.merge_term(sources);
    joiner.finish();
    const std::scoped_lock lock(totals_mutex_);
    for (std::size_t i = 0; i < totals_.size(); ++i) totals_[i].add(merger.inputs()[i].totals);
  }

  std::vector<RangeInput> range_inputs() const {
    std::vector<RangeInput> inputs(inputs_.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i].input = inputs_[i];
      inputs[i].document_count = inputs_[i]->summary().document_count;
      inputs[i].base = static_cast<std::uint32_t>(layout_.bases[i]);
    }
    return inputs;
  }

  const std::span<const MergeInput* const> inputs_;
  const SourceLayout& layout_;
  const RunMergeOptions& options_;
  SharedWriter& writer_;
  const bool has_positions_;
  const std::vector<std::string> splitters_;
  std::mutex totals_mutex_;
  std::vector<InputTotals> totals_;  // of the ranges that are merged, for each input
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> documents_begun_{false};
  OrderedRanges<TermBlock> blocks_;
};

}  // namespace

// libstdc++ gives each deque of waiting blocks, of which there is one a range, a first node.
std::size_t merged_ranges_bytes(std::size_t input_count, unsigned threads) {
  if (threads <= 1) return 0;
  constexpr std::size_t kRangeBytes = 768;
  return splitter_memory_bytes(input_count, kMostRanges * threads) + kMostRanges * threads * kRangeBytes;
}

// First gaps and last documents count from further off: 4 bytes more each, with positions a first distance as well.
std::uint64_t merged_run_bound(std::uint64_t input_bytes, std::uint64_t entry_count, bool has_positions) {
  constexpr std::uint64_t kEndsBytes = std::uint64_t{256} << 10;  // footer, blocks that end with their range
  return input_bytes + entry_count * (has_positions ? 16 : 8) + kEndsBytes;
}

RunSummary merge_runs(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options) {
  const SourceLayout layout = lay_out_source(inputs);
  RunIdentity identity = inputs.front()->identity();
  identity.number = options.run_number;
  identity.first_document_open = layout.first_open;
  identity.last_document_open = layout.last_open;
  RunSummary summary;
  summary.document_count = layout.document_count;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    summary.sum.join(inputs[i]->summary().sum, layout.bases[i]);
    summary.has_stored_ids |= inputs[i]->summary().has_stored_ids;
  }
  RunWriter writer(out, identity, options.block_bytes);
  SharedWriter shared(writer);
  if (!options.documents_beside) {
    const ThreadSlot slot = take_slot(options);
    merge_documents_to_run(
        inputs,
        [&options] {
          if (options.check) options.check();
        },
        shared);
  }
  RangeMerger lists(inputs, layout, options, shared);
  lists.run();
  summary.entry_count = lists.entry_count;
  summary.posting_count = lists.posting_count;
  summary.occurrence_count = lists.occurrence_count;
  const ThreadSlot slot = take_slot(options);
  if (identity.has_texts) merge_texts_to_run(inputs, writer);
  writer.finish(summary);
  return summary;
}

}  // namespace spillway
