#include "indexer/gpu/pipeline/kept_lists.hpp"

#include <tbb/task_arena.h>

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

constexpr std::size_t kArrayAlignment = 16;
constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;

constexpr std::size_t aligned(std::size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
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

// O(samples * log fragments).
std::vector<TermSample> choose_samples(const EncodedLists& lists) {
  const auto digest = std::make_unique<ListDigest>();
  const SampleLists sample{lists.fragments.data(),
                           static_cast<std::uint32_t>(lists.fragment_count()),
                           static_cast<std::uint32_t>(lists.rank_text_offsets.size() - 1),
                           lists.rank_text_offsets.data(),
                           lists.rank_text.data(),
                           lists.rank_text.size(),
                           digest->samples};
  if (lists.fragment_count() == 0) return {};
  for (std::size_t i = 0; i < kListSamples; ++i) sample(i);
  return samples_of(*digest);
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
  explicit Input(KeptLists& source)
      : BlockInput(source.documents_, source.identity_, source.summary, source.samples_), source_(source) {}
  std::unique_ptr<TermCursor> terms(std::string first, std::string last) const override {
    source_.bring_for_cursor();
    return std::make_unique<Terms>(source_, source_.entry_bytes_, first, last);
  }
  std::unique_ptr<TermCursor> whole_terms(std::string first, std::string last) const override {
    source_.bring_for_cursor();
    return std::make_unique<Terms>(source_, std::numeric_limits<std::size_t>::max(), first, last);
  }

 private:
  KeptLists& source_;
};

std::optional<std::size_t> KeptLists::memory_bytes(const Block& block, const EncodedLists& lists,
                                                   const BlockSortOptions& options) {
  const std::size_t most_bytes = largest_fragment_bytes(lists);
  return memory_bytes(block, {list_bytes(lists), lists.fragment_count(), most_bytes}, options);
}

std::optional<std::size_t> KeptLists::memory_bytes(const Block& block, const StayingLists& lists,
                                                   const BlockSortOptions& options) {
  const DeviceLists& on_gpu = lists.lists;
  return memory_bytes(block, {on_gpu.bytes, on_gpu.fragment_count, lists.most_fragment_bytes}, options);
}

std::optional<std::size_t> KeptLists::memory_bytes(const Block& block, const Size& size,
                                                   const BlockSortOptions& options) {
  if (options.has_texts) return std::nullopt;
  if (options.positions == Positions::kStored && size.most_fragment_bytes > options.run_block_bytes) {
    return std::nullopt;
  }
  return size.bytes + document_bytes(block) + block.chunks.size() * sizeof(ParsedChunk) +
         std::min(kListSamples, size.fragments) * (sizeof(TermSample) + kSampleTermBytes);
}

KeptLists::KeptLists(const Block& block, const EncodedLists& lists, const BlockSortOptions& options,
                     MemoryBudget& budget, std::optional<DeviceLists> on_gpu)
    : entry_bytes_(options.run_block_bytes), identity_(run_identity(block, options)), on_gpu_(std::move(on_gpu)) {
  ArrayWriter to(take_memory(block, list_bytes(lists), budget));
  lists_ = copy_lists(lists, to);
  take_documents(block, to, lists.sum);
  samples_ = choose_samples(lists_);
  summary.entry_count = lists_.fragment_count();
  summary.posting_count = lists_.fragments.back().first_posting;
}

KeptLists::KeptLists(const Block& block, StayingLists&& lists, const BlockSortOptions& options, MemoryBudget& budget)
    : entry_bytes_(options.run_block_bytes),
      identity_(run_identity(block, options)),
      samples_(std::move(lists.samples)),
      on_gpu_(std::move(lists.lists)),
      is_on_host_(false) {
  ArrayWriter to(take_memory(block, on_gpu_->bytes, budget) + on_gpu_->bytes);
  take_documents(block, to, lists.sum);
  summary.entry_count = on_gpu_->fragment_count;
  summary.posting_count = on_gpu_->posting_count;
}

KeptLists::~KeptLists() = default;

// Returns memory for the lists, and the documents after them.
std::uint8_t* KeptLists::take_memory(const Block& block, std::size_t list_bytes, MemoryBudget& budget) {
  memory_ = Buffer(budget, list_bytes + document_bytes(block), "lists kept in memory");
  if (memory_.size() >= kLargePageBytes) memory_.use_large_pages();
  bytes = memory_.size();
  return memory_.data();
}

void KeptLists::take_documents(const Block& block, ArrayWriter& to, const ContentChecksum& list_sum) {
  documents_ = copy_documents(block, to);
  summary = block_summary(documents_);
  summary.sum.join(list_sum, 0);
}

std::optional<DeviceLists> KeptLists::take_device_lists() {
  if (!is_on_host_) return on_gpu_;
  return std::exchange(on_gpu_, std::nullopt);
}

void KeptLists::bring_for_cursor() {
  if (!is_on_host_ && bring_all_) bring_all_();
  bring_down();
}

// While it waits for the check of the lists, the thread takes no task that could need them.
void KeptLists::bring_down(std::span<std::uint8_t> staging) {
  if (is_on_host_) return;
  const std::lock_guard lock(bringing_);
  if (is_on_host_) return;
  if (!on_gpu_) throw ListsLostError("the lists of a block are no longer on the GPU");
  for (bool may_try_again = true; !is_on_host_; may_try_again = false) {
    try {
      tbb::this_task_arena::isolate([&] { lists_ = bring_lists_to(*on_gpu_, memory_.data(), {}, staging); });
      is_on_host_ = true;
    } catch (const GpuError& error) {
      if (error.is_lost || !may_try_again) throw ListsLostError(error.what());
    }
  }
}

std::size_t KeptLists::open_bytes() const {
  std::size_t sum = 0;
  for (const TermSample& sample : samples_) sum += sizeof sample + sample.first_term.capacity();
  return sum;
}

const MergeInput& KeptLists::open(unsigned) {
  if (input_ == nullptr) input_ = std::make_unique<Input>(*this);
  return *input_;
}

std::size_t KeptLists::cursor_bytes() const { return 4096; }

}  // namespace spillway
