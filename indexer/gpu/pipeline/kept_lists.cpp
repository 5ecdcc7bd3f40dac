#include "indexer/gpu/pipeline/kept_lists.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "indexer/block/block_input.hpp"
#include "indexer/block/documents.hpp"
#include "indexer/block/run_output.hpp"
#include "indexer/gpu/pipeline/parallel_copy.hpp"
#include "io/base/bytes.hpp"
#include "io/base/error.hpp"
#include "merge/run/list_fragments.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kSamples = 1024;
// The cost of an entry besides the bytes of its list, in bytes.
constexpr std::size_t kEntryWeight = 16;
constexpr std::size_t kArrayAlignment = 16;
constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

[[noreturn]] void refuse_lists() {
  throw GpuError("the lists of a block contradict each other: the memory of the GPU or the way from it is at fault");
}

// Bytes of fragment i. Throws unless it lies within the lists, and its term within their text.
std::size_t checked_bytes(const EncodedLists& lists, std::size_t i) {
  const EncodedFragment &begin = lists.fragments[i], &end = lists.fragments[i + 1];
  const bool is_last = i + 1 == lists.fragment_count();
  const std::size_t ranks = lists.rank_text_offsets.size() - 1;
  if (begin.first_posting_byte >= end.first_posting_byte || end.first_posting_byte > lists.postings.size() ||
      begin.first_distance_byte > end.first_distance_byte || end.first_distance_byte > lists.distances.size() ||
      begin.first_posting >= end.first_posting || begin.first_occurrence >= end.first_occurrence ||
      begin.rank >= ranks || (!is_last && end.rank < begin.rank)) {
    refuse_lists();
  }
  const std::uint64_t text = lists.rank_text_offsets[begin.rank], text_end = lists.rank_text_offsets[begin.rank + 1];
  if (text >= text_end || text_end - text > kMaxRunTermBytes || text_end > lists.rank_text.size()) refuse_lists();
  return end.first_posting_byte - begin.first_posting_byte + end.first_distance_byte - begin.first_distance_byte;
}

// The bytes of the largest fragment. Throws where lists are not within their arrays.
std::size_t largest_fragment_bytes(const EncodedLists& lists) {
  constexpr std::size_t kStep = 4096;
  if (lists.fragments.empty() || lists.rank_text_offsets.empty()) refuse_lists();
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, lists.fragment_count(), kStep), std::size_t{0},
      [&](const tbb::blocked_range<std::size_t>& range, std::size_t largest) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) largest = std::max(largest, checked_bytes(lists, i));
        return largest;
      },
      [](std::size_t a, std::size_t b) { return std::max(a, b); });
}

std::size_t list_bytes(const EncodedLists& lists) {
  return aligned(lists.fragments.size_bytes()) + aligned(lists.rank_text_offsets.size_bytes()) +
         aligned(lists.rank_text.size()) + aligned(lists.postings.size()) + aligned(lists.distances.size());
}

template <typename T>
void copy_array(std::span<const T>& array, ArrayWriter& to) {
  const std::span<T> copy = to.take<T>(array.size());
  copy_in_parallel(reinterpret_cast<const std::uint8_t*>(array.data()), reinterpret_cast<std::uint8_t*>(copy.data()),
                   array.size_bytes());
  to.take<std::uint8_t>(aligned(array.size_bytes()) - array.size_bytes());
  array = copy;
}

EncodedLists copy_lists(const EncodedLists& lists, ArrayWriter& to) {
  EncodedLists copy;
  copy.rank_text_offsets = lists.rank_text_offsets;
  copy.rank_text = lists.rank_text;
  copy.fragments = lists.fragments;
  copy.postings = lists.postings;
  copy.distances = lists.distances;
  copy.sum = lists.sum;
  copy_array(copy.fragments, to);
  copy_array(copy.rank_text_offsets, to);
  copy_array(copy.rank_text, to);
  copy_array(copy.postings, to);
  copy_array(copy.distances, to);
  return copy;
}

}  // namespace

// Each fragment is one entry; one of more than `entry_bytes` without positions is cut into entries of at most that.
class KeptLists::Terms final : public TermCursor {
 public:
  Terms(const KeptLists& source, std::size_t entry_bytes, std::string_view first, std::string_view last)
      : lists_(source.lists_),
        entry_bytes_(entry_bytes),
        at_(first.empty() ? 0 : find(first)),
        end_(last.empty() ? lists_.fragment_count() : find(last)) {}

  bool next() override {
    if (!rest_.postings.empty()) return take_piece();
    if (at_ >= end_) return false;
    prefetch();
    rest_ = lists_.fragment(at_);
    entry_.term = lists_.text(lists_.fragments[at_++].rank);
    if (rest_.positions.empty() && rest_.postings.size() > entry_bytes_) return take_piece();
    take(std::exchange(rest_, {}));
    entry_.fragments = {};
    return true;
  }
  const RunEntry& entry() const override { return entry_; }
  bool ends_term() const override {
    return rest_.postings.empty() && (at_ >= end_ || lists_.fragments[at_].rank != lists_.fragments[at_ - 1].rank);
  }

 private:
  void take(const ListFragment& fragment) {
    entry_.document_count = fragment.document_count;
    entry_.occurrence_count = fragment.occurrence_count;
    entry_.last_document = fragment.last_document;
    entry_.postings = fragment.postings;
    entry_.positions = fragment.positions;
  }
  bool take_piece() {
    piece_ = split_head(rest_, entry_bytes_);
    take(piece_);
    entry_.fragments = {&piece_, 1};
    return true;
  }

  // Each step reads what a step of an earlier call has prefetched. A merge reads four arrays of each of its inputs,
  // which are more streams than the hardware's prefetchers follow.
  [[gnu::always_inline]] void prefetch() const {
    if (at_ + 4 >= end_) return;
    __builtin_prefetch(lists_.fragments.data() + at_ + 4);
    __builtin_prefetch(lists_.rank_text_offsets.data() + lists_.fragments[at_ + 3].rank);
    __builtin_prefetch(lists_.text(lists_.fragments[at_ + 2].rank).data());
    const ListFragment next = lists_.fragment(at_ + 1);
    prefetch_bytes(next.postings);
    prefetch_bytes(next.positions);
  }

  // The first fragment of a term that is not below `term`. O(log terms).
  std::size_t find(std::string_view term) const {
    const auto fragments = lists_.fragments.first(lists_.fragment_count());
    const auto is_below = [&](const EncodedFragment& fragment) { return lists_.text(fragment.rank) < term; };
    return static_cast<std::size_t>(std::partition_point(fragments.begin(), fragments.end(), is_below) -
                                    fragments.begin());
  }

  const EncodedLists& lists_;
  const std::size_t entry_bytes_;
  std::size_t at_, end_;  // fragments
  ListFragment rest_;     // of a fragment that is being cut
  ListFragment piece_;
  RunEntry entry_;
};

class KeptLists::Input final : public BlockInput {
 public:
  explicit Input(const KeptLists& source)
      : BlockInput(source.documents_, source.identity_, source.summary, source.samples_), source_(source) {}
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    return std::make_unique<Terms>(source_, source_.entry_bytes_, first, last);
  }
  std::unique_ptr<TermCursor> whole_terms(std::string first, std::string last) const override {
    return std::make_unique<Terms>(source_, std::numeric_limits<std::size_t>::max(), first, last);
  }

 private:
  const KeptLists& source_;
};

std::optional<std::size_t> KeptLists::memory_bytes(const Block& block, const EncodedLists& lists,
                                                   const BlockSortOptions& options) {
  if (options.has_texts) return std::nullopt;
  const std::size_t largest = largest_fragment_bytes(lists);
  if (options.positions == Positions::kStored && largest > options.run_block_bytes) return std::nullopt;
  return list_bytes(lists) + document_bytes(block) + block.chunks.size() * sizeof(ParsedChunk) +
         std::min(kSamples, lists.fragment_count()) * (sizeof(TermSample) + kSampleTermBytes);
}

KeptLists::KeptLists(const Block& block, const EncodedLists& lists, const BlockSortOptions& options,
                     MemoryBudget& budget, std::optional<DeviceLists> on_gpu)
    : entry_bytes_(options.run_block_bytes), identity_(run_identity(block, options)), on_gpu_(std::move(on_gpu)) {
  Buffer memory(budget, list_bytes(lists) + document_bytes(block), "lists kept in memory");
  if (memory.size() >= kLargePageBytes) memory.use_large_pages();
  ArrayWriter to(memory.data());
  lists_ = copy_lists(lists, to);
  documents_ = copy_documents(block, to);
  bytes = memory.size();
  lists_.memory = std::move(memory);
  choose_samples();
  summary = block_summary(documents_);
  summary.sum.join(lists_.sum, 0);
  summary.entry_count = lists_.fragment_count();
  summary.posting_count = lists_.fragments.back().first_posting;
}

KeptLists::~KeptLists() = default;

// Spreads the samples evenly over the bytes of the lists. O(samples * log terms).
void KeptLists::choose_samples() {
  const std::span<const EncodedFragment> fragments = lists_.fragments;
  const std::size_t count = lists_.fragment_count();
  const auto weight_before = [&](const EncodedFragment& fragment) {
    const auto entries = static_cast<std::size_t>(&fragment - fragments.data());
    return fragment.first_posting_byte + fragment.first_distance_byte + entries * kEntryWeight;
  };
  const std::size_t total = weight_before(fragments[count]);
  std::size_t taken = 0;  // fragments up to the last sample
  for (std::size_t s = 0; s < kSamples; ++s) {
    const auto at =
        std::partition_point(fragments.begin() + static_cast<std::ptrdiff_t>(taken), fragments.end(),
                             [&](const EncodedFragment& of) { return weight_before(of) * kSamples < s * total; });
    const auto i = static_cast<std::size_t>(at - fragments.begin());
    if (i >= count) break;
    samples_.push_back({std::string(lists_.text(fragments[i].rank).substr(0, kSampleTermBytes)), 0, 0});
    taken = i + 1;
  }
  for (const TermSample& sample : samples_) open_bytes_ += sizeof sample + sample.first_term.capacity();
}

const MergeInput& KeptLists::open(unsigned) {
  if (input_ == nullptr) input_ = std::make_unique<Input>(*this);
  return *input_;
}

std::size_t KeptLists::cursor_bytes() const { return 4096; }

}  // namespace spillway
