#include "merge/run_merge.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "io/error.hpp"
#include "io/varint.hpp"
#include "merge/document_join.hpp"
#include "merge/input_totals.hpp"
#include "merge/list_join.hpp"
#include "merge/ordered_ranges.hpp"
#include "merge/source_layout.hpp"
#include "merge/term_ranges.hpp"
#include "merge/term_sources.hpp"

namespace spillway {

namespace {

// Collects the pieces of a term, whose cursors move on, and hands them to the joiner: all at once, or in stretches of
// about `stretch_bytes` where the list is long.
class ListGatherer {
 public:
  ListGatherer(ListJoiner& joiner, std::size_t stretch_bytes, bool has_positions)
      : joiner_(joiner), stretch_bytes_(stretch_bytes), has_positions_(has_positions) {}

  void begin(std::string_view term) { term_ = term; }

  // Adds what the piece holds to `totals`.
  void add(const TermPiece& piece, std::uint32_t base, const MergeInput& input, InputTotals& totals) {
    for (const ListPart& part : piece.parts) add_part(part, base, input, totals);
    if (!piece.parts.empty()) return;
    add_part({piece.postings, piece.positions, piece.document_count, piece.occurrence_count, 0, piece.last_document},
             base, input, totals);
  }

  void end() {
    write();
    any_before_ = false;
  }

 private:
  void add_part(const ListPart& part, std::uint32_t base, const MergeInput& input, InputTotals& totals) {
    totals.add({part.document_count, part.occurrence_count});
    const std::uint32_t first = check_part(part, base, input);
    // A border document is joined inside one stretch, unless it stays cut.
    if (bytes_.size() + part.postings.size() + part.positions.size() > stretch_bytes_ && !parts_.empty() &&
        (has_positions_ || first != parts_.back().last_document)) {
      write();
    }
    starts_.push_back({bytes_.size(), bytes_.size() + part.postings.size()});
    bytes_.insert(bytes_.end(), part.postings.begin(), part.postings.end());
    bytes_.insert(bytes_.end(), part.positions.begin(), part.positions.end());
    parts_.push_back({{}, {}, part.document_count, part.occurrence_count, base + part.base, base + part.last_document});
    any_before_ = true;
  }

  // What is not decoded is only looked at where parts meet. Returns the part's first document.
  std::uint32_t check_part(const ListPart& part, std::uint32_t base, const MergeInput& input) const {
    const std::uint8_t* at = part.postings.data();
    std::uint64_t head = 0;
    const bool readable = read_varint(&at, at + part.postings.size(), &head);
    const std::uint64_t first = part.base + (head >> 1);
    const bool in_order = readable && part.last_document < input.summary().document_count &&
                          first <= part.last_document && (!any_before_ || base + first >= last_document_before());
    if (in_order) return base + static_cast<std::uint32_t>(first);
    throw FormatError(input.name() + ": term \"" + printable(term_, 80) + "\": expected documents below " +
                      std::to_string(input.summary().document_count) +
                      " behind those of the pieces before, found others: it is damaged, make it again from its input");
  }

  std::uint32_t last_document_before() const { return parts_.empty() ? last_written_ : parts_.back().last_document; }

  void write() {
    if (parts_.empty()) return;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const std::size_t end = i + 1 == parts_.size() ? bytes_.size() : starts_[i + 1].postings;
      parts_[i].postings = {bytes_.data() + starts_[i].postings, bytes_.data() + starts_[i].positions};
      parts_[i].positions = {bytes_.data() + starts_[i].positions, bytes_.data() + end};
    }
    last_written_ = parts_.back().last_document;
    try {
      joiner_.write(term_, parts_);
    } catch (const FormatError& error) {
      throw FormatError("merging the term \"" + printable(term_, 80) + "\": " + error.what());
    }
    parts_.clear();
    starts_.clear();
    bytes_.clear();
  }

  ListJoiner& joiner_;
  std::size_t stretch_bytes_;
  bool has_positions_;
  std::string term_;
  std::vector<ListPart> parts_;
  struct Start {
    std::size_t postings, positions;
  };
  std::vector<Start> starts_;  // of the parts in bytes_
  std::vector<std::uint8_t> bytes_;
  std::uint32_t last_written_ = 0;
  bool any_before_ = false;
};

void merge_documents_to_run(std::span<const MergeInput* const> inputs, RunWriter& writer) {
  std::vector<std::uint8_t> stream;
  join_documents(inputs, [&](std::uint32_t, const RunDocument& document) {
    stream.clear();
    append_run_document(document, stream);
    writer.append_documents(stream);
    return JoinStep::kGoOn;
  });
}

void merge_texts_to_run(std::span<const MergeInput* const> inputs, RunWriter& writer) {
  std::vector<std::uint8_t> stream;
  for (const MergeInput* const input : inputs) {
    const std::unique_ptr<TextCursor> cursor = input->texts();
    while (cursor->next()) {
      stream.clear();
      append_text_piece(cursor->piece(), stream);
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

// What all threads make of their ranges is to fit what may wait, else they wait for the first.
std::size_t range_count_of(std::span<const MergeInput* const> inputs, const RunMergeOptions& options) {
  constexpr std::uint64_t kPostingBytes = 2, kEntryBytes = 12, kPositionBytes = 1;
  if (options.threads <= 1) return 1;
  std::uint64_t bytes = 0;
  for (const MergeInput* const input : inputs) {
    const RunSummary& summary = input->summary();
    bytes += summary.posting_count * kPostingBytes + summary.entry_count * kEntryBytes;
    if (input->identity().has_positions) bytes += summary.occurrence_count * kPositionBytes;
  }
  return std::clamp<std::size_t>(2 * bytes / (ahead_bytes(options) / options.threads), kLeastRanges * options.threads,
                                 kMostRanges * options.threads);
}

// The lists of all inputs, range by range, to the writer's term blocks. Ranges are taken in order by however many
// threads there are.
class RangeMerger {
 public:
  RangeMerger(std::span<const MergeInput* const> inputs, const SourceLayout& layout, const RunMergeOptions& options,
              RunWriter& writer)
      : inputs_(inputs),
        layout_(layout),
        options_(options),
        has_positions_(inputs.front()->identity().has_positions),
        splitters_(choose_term_splitters(inputs, range_count_of(inputs, options))),
        totals_(inputs.size()),
        blocks_([this, &writer](TermBlock&& block) { write(writer, block); }, splitters_.size() + 1,
                ahead_bytes(options)) {}

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
  void write(RunWriter& writer, const TermBlock& block) {
    writer.append_terms(block);
    entry_count += block.entry_count;
    posting_count += block.posting_count;
    occurrence_count += block.occurrence_count;
  }

  void work() noexcept {
    try {
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

  void merge_range(std::size_t range) {
    ListJoiner joiner(options_.block_bytes, has_positions_, [&](TermBlock&& block) {
      if (options_.check) options_.check();
      const std::size_t bytes = block.payload.capacity();
      blocks_.put(range, std::move(block), bytes);
    });
    ListGatherer gatherer(joiner, options_.block_bytes, has_positions_);
    std::vector<InputTotals> totals(inputs_.size());
    TermSources sources(inputs_, range == 0 ? std::string() : splitters_[range - 1],
                        range == splitters_.size() ? std::string() : splitters_[range]);
    while (!sources.done()) {
      gatherer.begin(sources.piece().term);
      do {
        const std::size_t input = sources.input();
        gatherer.add(sources.piece(), static_cast<std::uint32_t>(layout_.bases[input]), *inputs_[input], totals[input]);
      } while (sources.advance());
      gatherer.end();
    }
    joiner.finish();
    const std::scoped_lock lock(totals_mutex_);
    for (std::size_t i = 0; i < totals.size(); ++i) totals_[i].add(totals[i]);
  }

  const std::span<const MergeInput* const> inputs_;
  const SourceLayout& layout_;
  const RunMergeOptions& options_;
  const bool has_positions_;
  const std::vector<std::string> splitters_;
  std::mutex totals_mutex_;
  std::vector<InputTotals> totals_;  // of the ranges that are merged, for each input
  std::atomic<std::size_t> next_{0};
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
  RunWriter writer(out, identity, options.block_bytes, options.codec);
  {
    const ThreadSlot slot = take_slot(options);
    merge_documents_to_run(inputs, writer);
  }
  RangeMerger lists(inputs, layout, options, writer);
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
