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

// An input of a range, and what was read of it.
struct RangeInput {
  const MergeInput* input = nullptr;
  std::uint64_t document_count = 0;
  std::uint32_t base = 0;
  InputTotals totals;
};

// Collects the pieces of a term and hands them to the joiner: all at once, or in stretches of about `stretch_bytes`
// where the list is long.
class ListGatherer {
 public:
  // Do the bytes of a piece stay where they are up to end()? They are copied where its cursor moves on before.
  enum class Bytes { kStay, kMove };

  ListGatherer(ListJoiner& joiner, std::size_t stretch_bytes, bool has_positions)
      : joiner_(joiner), stretch_bytes_(stretch_bytes), has_positions_(has_positions) {}

  // `term` stays up to end() where the bytes of its pieces do.
  void begin(std::string_view term, Bytes bytes) {
    bytes_stay_ = bytes == Bytes::kStay;
    term_ = bytes_stay_ ? term : kept_term_.assign(term);
  }

  void add(const TermPiece& piece, const RangeInput& input) {
    for (const ListPart& part : piece.parts) add_part(part, input);
    if (!piece.parts.empty()) return;
    add_part({piece.postings, piece.positions, piece.document_count, piece.occurrence_count, 0, piece.last_document},
             input);
  }

  void end() {
    write();
    any_before_ = false;
  }

 private:
  void add_part(const ListPart& part, const RangeInput& input) {
    const std::uint32_t first = check_part(part, input);
    const std::size_t bytes = part.postings.size() + part.positions.size();
    // A border document is joined inside one stretch, unless it stays cut.
    if (held_bytes_ + bytes > stretch_bytes_ && !parts_.empty() &&
        (has_positions_ || first != parts_.back().last_document)) {
      write();
    }
    parts_.push_back({part.postings, part.positions, part.document_count, part.occurrence_count, input.base + part.base,
                      input.base + part.last_document});
    held_bytes_ += bytes;
    any_before_ = true;
    if (!bytes_stay_) copy(part);
  }

  void copy(const ListPart& part) {
    bytes_.insert(bytes_.end(), part.postings.begin(), part.postings.end());
    bytes_.insert(bytes_.end(), part.positions.begin(), part.positions.end());
  }

  // What is not decoded is only looked at where parts meet. Returns the part's first document.
  std::uint32_t check_part(const ListPart& part, const RangeInput& input) const {
    const std::uint8_t* at = part.postings.data();
    std::uint64_t head = 0;
    const bool readable = read_varint(&at, at + part.postings.size(), &head);
    const std::uint64_t first = part.base + (head >> 1);
    const bool in_order = readable && part.last_document < input.document_count && first <= part.last_document &&
                          (!any_before_ || input.base + first >= last_document_before());
    if (in_order) return input.base + static_cast<std::uint32_t>(first);
    throw FormatError(input.input->name() + ": term \"" + printable(term_, 80) + "\": expected documents below " +
                      std::to_string(input.document_count) +
                      " behind those of the pieces before, found others: it is damaged, make it again from its input");
  }

  std::uint32_t last_document_before() const { return parts_.empty() ? last_written_ : parts_.back().last_document; }

  // Now that no more bytes come, which would move those before them.
  void view_copies() {
    const std::uint8_t* at = bytes_.data();
    for (ListPart& part : parts_) {
      part.postings = {at, part.postings.size()};
      at += part.postings.size();
      part.positions = {at, part.positions.size()};
      at += part.positions.size();
    }
  }

  void write() {
    if (parts_.empty()) return;
    if (!bytes_stay_) view_copies();
    last_written_ = parts_.back().last_document;
    try {
      joiner_.write(term_, parts_);
    } catch (const FormatError& error) {
      throw FormatError("merging the term \"" + printable(term_, 80) + "\": " + error.what());
    }
    parts_.clear();
    bytes_.clear();
    held_bytes_ = 0;
  }

  ListJoiner& joiner_;
  std::size_t stretch_bytes_;
  bool has_positions_;
  bool bytes_stay_ = false;
  std::string_view term_;
  std::string kept_term_;
  std::vector<ListPart> parts_;
  std::size_t held_bytes_ = 0;       // of them
  std::vector<std::uint8_t> bytes_;  // of them, where they are copied
  std::uint32_t last_written_ = 0;
  bool any_before_ = false;
};

// Merges the lists of a range, term by term.
class TermMerger {
 public:
  TermMerger(ListJoiner& joiner, std::size_t stretch_bytes, bool has_positions, std::vector<RangeInput> inputs)
      : joiner_(joiner), gatherer_(joiner, stretch_bytes, has_positions), inputs_(std::move(inputs)) {}

  // Most terms have one piece in each input: the cursors stand at all of them together.
  void merge_term(TermSources& sources) {
    if (!sources.are_whole()) {
      gatherer_.begin(sources.piece().term, ListGatherer::Bytes::kMove);
      do {
        count(sources.piece(), inputs_[sources.input()]);
        gatherer_.add(sources.piece(), inputs_[sources.input()]);
      } while (sources.advance());
      gatherer_.end();
      return;
    }
    for (const std::uint32_t input : sources.inputs()) count(sources.piece(input), inputs_[input]);
    if (!write_joined(sources)) gather(sources);
    sources.advance_term();
  }
  std::span<const RangeInput> inputs() const { return inputs_; }

 private:
  static void count(const TermPiece& piece, RangeInput& input) {
    input.totals.add({piece.document_count, piece.occurrence_count});
  }

  // False where the list is not as simple as most.
  bool write_joined(const TermSources& sources) {
    entry_.clear();
    for (const std::uint32_t i : sources.inputs()) {
      const TermPiece& piece = sources.piece(i);
      const RangeInput& input = inputs_[i];
      if (!piece.parts.empty() || piece.last_document >= input.document_count ||
          !entry_.add({piece.postings, piece.positions, piece.document_count, piece.occurrence_count, input.base,
                       input.base + piece.last_document})) {
        return false;
      }
    }
    return joiner_.write(sources.piece().term, entry_);
  }

  void gather(const TermSources& sources) {
    gatherer_.begin(sources.piece().term, ListGatherer::Bytes::kStay);
    for (const std::uint32_t input : sources.inputs()) gatherer_.add(sources.piece(input), inputs_[input]);
    gatherer_.end();
  }

  ListJoiner& joiner_;
  ListGatherer gatherer_;
  JoinedEntry entry_;
  std::vector<RangeInput> inputs_;
};

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
    ListJoiner joiner(options_.block_bytes, has_positions_, [&](TermBlock&& block) {
      if (options_.check) options_.check();
      const std::size_t bytes = block.payload.capacity();
      blocks_.put(range, std::move(block), bytes);
    });
    TermMerger merger(joiner, options_.block_bytes, has_positions_, range_inputs());
    TermSources sources(inputs_, range == 0 ? std::string() : splitters_[range - 1],
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
  RunWriter writer(out, identity, options.block_bytes, options.codec);
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
