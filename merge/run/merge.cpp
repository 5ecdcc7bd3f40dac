#include "merge/run/merge.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "io/run/document_cursor.hpp"
#include "io/run/reader.hpp"
#include "io/run/text_cursor.hpp"
#include "io/run/writer.hpp"
#include "merge/cursor/ordered_ranges.hpp"
#include "merge/cursor/term_merge_cursor.hpp"
#include "merge/cursor/term_ranges.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"
#include "merge/run/postings_concatenator.hpp"
#include "merge/run/term_merger.hpp"

namespace spillway {

namespace {

// Ranges per thread. With fewer, uneven ranges keep some threads busy at the end. With more, too many blocks are read
// twice, by the ranges on both sides of a border.
constexpr std::size_t kLeastRanges = 6, kMostRanges = 48;

std::size_t waiting_bytes(const RunMergeOptions& options) {
  return options.ahead_bytes + 2 * std::size_t{options.threads} * options.block_bytes;
}

// Enough ranges that the output of one range of every thread fits the memory for waiting blocks, with half as much
// again because ranges are uneven; otherwise threads would wait for the first range.
std::size_t range_count_of(std::span<const MergeInput* const> inputs, const RunMergeOptions& options) {
  if (options.threads <= 1) return 1;
  constexpr std::uint64_t kEntryBytes = 12;
  std::uint64_t bytes = estimated_list_bytes(inputs);
  for (const MergeInput* const input : inputs) bytes += kEntryBytes * input->summary().entry_count;
  return std::clamp<std::size_t>(3 * bytes / 2 / (waiting_bytes(options) / options.threads),
                                 kLeastRanges * options.threads, kMostRanges * options.threads);
}

RunIdentity merged_identity(std::span<const MergeInput* const> inputs, const SourceLayout& layout,
                            std::uint64_t run_number) {
  RunIdentity identity = inputs.front()->identity();
  identity.number = run_number;
  identity.first_document_open = layout.first_open;
  identity.last_document_open = layout.last_open;
  return identity;
}

class RunMerge {
 public:
  RunMerge(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options)
      : inputs_(inputs),
        options_(options),
        layout_(lay_out_source(inputs)),
        identity_(merged_identity(inputs, layout_, options.run_number)),
        writer_(out, identity_, options.block_bytes),
        ranges_(choose_term_splitters(inputs, range_count_of(inputs, options))),
        totals_(inputs.size()),
        blocks_([this](TermBlock&& block) { write(block); }, ranges_.count(), waiting_bytes(options)) {}

  RunSummary run() {
    if (!options_.documents_beside) write_documents();
    blocks_.run_threads(std::clamp<std::size_t>(options_.threads, 1, ranges_.count()), [this] { work(); });
    blocks_.check_complete();
    for (std::size_t i = 0; i < inputs_.size(); ++i) check_totals(*inputs_[i], totals_[i]);
    write_texts();
    summary_.document_count = layout_.document_count;
    summary_.sum = layout_.sum;
    summary_.has_stored_ids = std::any_of(inputs_.begin(), inputs_.end(),
                                          [](const MergeInput* input) { return input->summary().has_stored_ids; });
    writer_.finish(summary_);
    return summary_;
  }

 private:
  ThreadSlot take_slot() { return options_.slots == nullptr ? ThreadSlot() : options_.slots->take(); }

  void check() {
    blocks_.check_stopped();
    if (options_.check) options_.check();
  }

  // Called by one thread at a time.
  void write(const TermBlock& block) {
    const std::scoped_lock lock(writer_mutex_);
    writer_.append_terms(block);
    summary_.entry_count += block.entry_count;
    summary_.posting_count += block.posting_count;
    summary_.occurrence_count += block.occurrence_count;
  }

  void work() {
    if (options_.documents_beside && !documents_begun_.exchange(true)) write_documents();
    // A thread takes its slot before its range, so that the first unfinished range, for which others wait, goes on.
    while (!blocks_.all_begun()) {
      const ThreadSlot slot = take_slot();
      const auto range = blocks_.begin_range();
      if (!range) return;
      merge_range(*range);
      blocks_.finish(*range);
    }
  }

  void write_documents() {
    constexpr std::size_t kStepBytes = std::size_t{16} << 10;
    const ThreadSlot slot = take_slot();
    std::vector<std::uint8_t> stream;
    const auto flush = [&] {
      check();
      const std::scoped_lock lock(writer_mutex_);
      writer_.append_documents(stream);
      stream.clear();
    };
    for_each_document(inputs_, {}, [&](std::uint32_t, const RunDocument& document) {
      append_run_document(document, stream);
      if (stream.size() >= kStepBytes) flush();
      return ReadStep::kGoOn;
    });
    flush();
  }

  void write_texts() {
    if (!identity_.has_texts) return;
    const ThreadSlot slot = take_slot();
    std::vector<std::uint8_t> stream;
    for (const MergeInput* const input : inputs_) {
      const std::unique_ptr<TextCursor> cursor = input->texts();
      while (cursor->next()) {
        stream.clear();
        append_text_fragment(cursor->fragment(), stream);
        writer_.append_texts(stream);
      }
    }
  }

  void merge_range(std::size_t range) {
    PostingsConcatenator lists(options_.block_bytes, identity_.has_positions, [&](TermBlock&& block) {
      check();
      const std::size_t bytes = block.payload.capacity();
      blocks_.put(range, std::move(block), bytes);
    });
    TermMerger merger(lists, options_.block_bytes, identity_.has_positions, range_inputs());
    TermMergeCursor sources(inputs_, ranges_.first(range), ranges_.last(range));
    while (!sources.done()) merger.merge_term(sources);
    lists.finish();
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
  const RunMergeOptions& options_;
  const SourceLayout layout_;
  const RunIdentity identity_;
  std::mutex writer_mutex_;  // documents are written while term blocks are
  RunWriter writer_;
  RunSummary summary_;
  const TermRanges ranges_;
  std::mutex totals_mutex_;
  std::vector<InputTotals> totals_;  // of each input, over the finished ranges
  std::atomic<bool> documents_begun_ = false;
  OrderedRanges<TermBlock> blocks_;
};

}  // namespace

// libstdc++ gives the deque of waiting blocks of each range a first node.
std::size_t merged_ranges_bytes(std::size_t input_count, unsigned threads) {
  if (threads <= 1) return 0;
  constexpr std::size_t kRangeBytes = 768;
  return splitter_memory_bytes(input_count, kMostRanges * threads) + kMostRanges * threads * kRangeBytes;
}

// First gaps and last documents become larger numbers, by up to 4 bytes each; with positions also first distances and
// byte counts.
std::uint64_t merged_run_bound(std::uint64_t input_bytes, std::uint64_t entry_count, bool has_positions) {
  constexpr std::uint64_t kEndsBytes = std::uint64_t{256} << 10;  // footer, and blocks that end with their range
  return input_bytes + entry_count * (has_positions ? 16 : 8) + kEndsBytes;
}

RunSummary merge_runs(std::span<const MergeInput* const> inputs, WritableFile& out, const RunMergeOptions& options) {
  return RunMerge(inputs, out, options).run();
}

}  // namespace spillway
