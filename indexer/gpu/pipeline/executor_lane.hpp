// A lane on any executor: the steps of a block pass in their order, the same code for a GPU and for the host in tests.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "indexer/block/run_output.hpp"
#include "indexer/gpu/pipeline/encoded_run.hpp"
#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/pipeline/kept_lists.hpp"
#include "indexer/gpu/pipeline/occurrence_keys.hpp"
#include "indexer/gpu/pipeline/token_keys.hpp"
#include "indexer/gpu/steps/fold.hpp"
#include "indexer/gpu/steps/list_digest.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "io/base/stopwatch.hpp"
#include "sort/gpu/device/arena.hpp"

namespace spillway {

template <typename Executor>
class ExecutorLane final : public GpuLane {
 public:
  // `form`: of all chunks; not kPostings. The arguments make the executor.
  template <typename... Arguments>
  explicit ExecutorLane(ChunkForm form, Arguments&&... arguments)
      : form_(form), executor_(std::forward<Arguments>(arguments)...) {}

  std::size_t sort(const Block& block, const BlockSortOptions& options, BlockSortStats& stats) override {
    drop_lists();
    const BlockPacker packer(block, options.positions, form_);
    executor_.prepare(packer);
    executor_.take_arena();
    try {
      run(packer, options.timeline, stats);
    } catch (...) {
      executor_.abandon();
      executor_.give_arena_back();
      drop_lists();
      throw;
    }
    executor_.give_arena_back();
    const ListStats lists = staying_
                                ? ListStats{staying_->lists.fragment_count + std::size_t{1}, staying_->list_bytes()}
                                : ListStats{lists_.fragments.size(), lists_.bytes()};
    return run_bytes_bound(block, lists, options.run_block_bytes);
  }

  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                       BlockSortStats& stats) override {
    executor_.hold_no_more();  // the merge uses what the GPU holds of all blocks, or nothing
    const std::optional<StayingLists> staying = std::exchange(staying_, std::nullopt);
    EncodedLists lists = std::exchange(lists_, {});
    drop_lists();
    if (staying) {
      lists = bring_lists(staying->lists, executor_.reserve_lists(staying->lists.bytes), staying->sum);
      stats.download_bytes += staying->lists.bytes;
    }
    return write_encoded_run(block, options, lists, file, stats);
  }

  std::optional<std::size_t> kept_bytes(const Block& block, const BlockSortOptions& options) const override {
    return staying_ ? KeptLists::memory_bytes(block, *staying_, options)
                    : KeptLists::memory_bytes(block, lists_, options);
  }

  std::unique_ptr<MergeSource> keep(const Block& block, const BlockSortOptions& options, MemoryBudget& budget,
                                    BlockSortStats& stats) override {
    const Stopwatch watch;
    const StageSpan span(options.timeline, JobStage::kSpill);
    std::optional<StayingLists> staying = std::exchange(staying_, std::nullopt);
    std::optional<DeviceLists> on_gpu = std::exchange(on_gpu_, std::nullopt);
    const EncodedLists lists = std::exchange(lists_, {});
    auto kept = staying ? std::make_unique<KeptLists>(block, std::move(*staying), options, budget)
                        : std::make_unique<KeptLists>(block, lists, options, budget, std::move(on_gpu));
    stats.write_seconds += watch.seconds();
    return kept;
  }

  PassSeconds seconds() const override { return seconds_; }

 private:
  template <typename T>
  T* at(std::size_t place) {
    return reinterpret_cast<T*>(executor_.arena().data() + place);
  }

  void run(const BlockPacker& packer, Timeline* timeline, BlockSortStats& stats) {
    executor_.start();
    if (form_ == ChunkForm::kTokens) {
      KeysOfTokens keys(executor_, packer);
      const SortedKeys sorted = keys.make(table_trials_.next());
      table_trials_.tell(sorted.table_was_full);
      encode(packer, sorted, keys.layout());
      stats.upload_bytes += keys.uploaded_bytes();
    } else {
      KeysOfOccurrences keys(executor_, packer);
      encode(packer, keys.make(), keys.layout());
      stats.upload_bytes += keys.uploaded_bytes();
    }
    seconds_ = executor_.seconds();
    stats.upload_seconds += seconds_.front();
    stats.sort_seconds += std::accumulate(seconds_.begin() + 1, seconds_.end() - 2, 0.0);
    stats.encode_seconds += *(seconds_.end() - 2);
    stats.download_seconds += seconds_.back();
    stats.download_bytes += downloaded_bytes_;
    if (timeline != nullptr) add_spans(*timeline);
  }

  // The steps ran one after the other and have just ended; their times are those of the executor's clock.
  void add_spans(Timeline& timeline) const {
    const double sorted = std::accumulate(seconds_.begin() + 1, seconds_.end() - 2, 0.0);
    const double encoded = *(seconds_.end() - 2), end = timeline.now();
    double at = end - seconds_.front() - sorted - encoded - seconds_.back();
    for (const auto& [stage, seconds] :
         {std::pair{JobStage::kUpload, seconds_.front()}, std::pair{JobStage::kSort, sorted},
          std::pair{JobStage::kEncode, encoded}, std::pair{JobStage::kDownload, seconds_.back()}}) {
      timeline.add(stage, at, at + seconds);
      at += seconds;
    }
  }

  void encode(const BlockPacker& packer, const SortedKeys& sorted, const PassLayout& layout) {
    executor_.mark(PassMark::kKeyed);
    const auto count = static_cast<std::uint32_t>(packer.size().occurrences);
    const FoldedKeys keys{sorted.keys, count, sorted.document_bits};
    if (packer.size().positions) {
      fold(FoldedPositions{keys, kFragmentOccurrences, at<std::uint32_t>(layout.ordered_positions)}, layout);
    } else {
      fold(keys, layout);
    }
    PassTotals* const totals = at<PassTotals>(layout.totals);
    executor_.for_each(
        1, CollectTotals{at<GroupSums>(layout.group_sums) + groups_of(count),
                         at<std::uint64_t>(layout.rank_text_offsets) + sorted.ranks, sorted.token_sums, totals});
    executor_.mark(PassMark::kEncoded);
    download(layout, sorted.ranks, count, executor_.fetch(totals));
  }

  template <typename Keys>
  void fold(const Keys& keys, const PassLayout& layout) {
    const std::size_t groups = groups_of(keys.count);
    GroupSums* const sums = at<GroupSums>(layout.group_sums);
    executor_.measure_groups(groups + 1, MeasureGroup<Keys>{keys, sums});
    executor_.exclusive_scan(sums, sums, groups + 1, AddGroupSums{},
                             {at<std::uint8_t>(layout.scan_scratch), layout.totals - layout.scan_scratch});
    executor_.write_groups(std::max(groups, std::size_t{1}),
                           WriteGroup<Keys>{keys, sums, at<EncodedFragment>(layout.fragments),
                                            at<std::uint8_t>(layout.postings), at<std::uint8_t>(layout.distances)});
  }
  static std::size_t groups_of(std::uint32_t keys) { return (std::size_t{keys} + kGroupKeys - 1) / kGroupKeys; }

  void download(const PassLayout& layout, std::uint32_t ranks, std::uint32_t occurrences, const PassTotals& totals) {
    const DownloadedArrays arrays = place_arrays(layout, ranks, totals);
    lists_.sum.lanes = {totals.tokens.low, totals.tokens.high};
    lists_.sum.positions = totals.tokens.positions;
    hold(arrays, ranks, totals);
    if (on_gpu_ && occurrences != 0 && executor_.lists_stay(totals.lists.postings, occurrences)) {
      return let_stay(layout);
    }
    Download lists = executor_.download(arrays, list_bytes_);
    downloaded_bytes_ = list_bytes_;
    view(lists.data, arrays[0], lists_.fragments);
    view(lists.data, arrays[1], lists_.rank_text_offsets);
    view(lists.data, arrays[2], lists_.rank_text);
    view(lists.data, arrays[3], lists_.postings);
    view(lists.data, arrays[4], lists_.distances);
    lists_.memory = std::move(lists.memory);
  }
  // Places the arrays of the lists one after the other.
  DownloadedArrays place_arrays(const PassLayout& layout, std::uint32_t ranks, const PassTotals& totals) {
    DownloadedArrays arrays{
        {{at<std::uint8_t>(layout.fragments), 0, (totals.lists.fragments + 1ULL) * sizeof(EncodedFragment)},
         {at<std::uint8_t>(layout.rank_text_offsets), 0, (ranks + 1ULL) * sizeof(std::uint64_t)},
         {at<std::uint8_t>(layout.rank_text), 0, totals.rank_text_bytes},
         {at<std::uint8_t>(layout.postings), 0, totals.lists.posting_bytes},
         {at<std::uint8_t>(layout.distances), 0, totals.lists.distance_bytes}}};
    list_bytes_ = 0;
    for (DownloadedArray& array : arrays) {
      array.host_offset = list_bytes_;
      list_bytes_ += device_aligned(array.bytes);
    }
    return arrays;
  }
  // Keeps a copy of the lists on the GPU, where there is room, and room for their digest after it.
  void hold(const DownloadedArrays& arrays, std::uint32_t ranks, const PassTotals& totals) {
    std::shared_ptr<std::uint8_t> memory = executor_.hold(arrays, list_bytes_ + sizeof(ListDigest));
    if (memory == nullptr) return;
    on_gpu_ = DeviceLists{.memory = std::move(memory),
                          .bytes = list_bytes_,
                          .fragments_at = arrays[0].host_offset,
                          .text_offsets_at = arrays[1].host_offset,
                          .text_at = arrays[2].host_offset,
                          .postings_at = arrays[3].host_offset,
                          .distances_at = arrays[4].host_offset,
                          .fragment_count = totals.lists.fragments,
                          .rank_count = ranks,
                          .text_bytes = totals.rank_text_bytes,
                          .posting_bytes = totals.lists.posting_bytes,
                          .distance_bytes = totals.lists.distance_bytes,
                          .posting_count = totals.lists.postings,
                          .bring_down = executor_.bringer()};
  }
  // Brings a digest of the lists down instead of them.
  void let_stay(const PassLayout& layout) {
    const DeviceLists& lists = *on_gpu_;
    std::uint8_t* const base = lists.memory.get();
    auto* const digest = reinterpret_cast<ListDigest*>(base + lists.bytes);
    const EncodedFragment* const fragments = lists.fragments(base);
    executor_.for_each(kListSamples,
                       SampleLists{fragments, lists.fragment_count, lists.rank_count, lists.text_offsets(base),
                                   lists.text(base), lists.text_bytes, digest->samples});
    executor_.reduce(lists.fragment_count, FragmentBytes{fragments}, Larger{}, &digest->most_bytes,
                     {at<std::uint8_t>(layout.scan_scratch), layout.totals - layout.scan_scratch});
    DownloadedArrays arrays{};
    arrays[0] = {reinterpret_cast<const std::uint8_t*>(digest), 0, sizeof(ListDigest)};
    downloaded_bytes_ = sizeof(ListDigest);
    const Download brought = executor_.download(arrays, downloaded_bytes_);
    staying_.emplace(std::move(*on_gpu_), *reinterpret_cast<const ListDigest*>(brought.data), lists_.sum);
    on_gpu_.reset();
  }
  void drop_lists() {
    lists_ = {};
    on_gpu_.reset();
    staying_.reset();
  }
  template <typename T>
  static void view(const std::uint8_t* host, const DownloadedArray& array, std::span<const T>& to) {
    to = {reinterpret_cast<const T*>(host + array.host_offset), array.bytes / sizeof(T)};
  }

  const ChunkForm form_;
  Executor executor_;
  TableTrials table_trials_;
  // From sort() to write_run() or keep(): the lists of the block on the host and, where they also stay, on the GPU; or
  // there only.
  EncodedLists lists_;
  std::optional<DeviceLists> on_gpu_;
  std::optional<StayingLists> staying_;
  std::size_t list_bytes_ = 0, downloaded_bytes_ = 0;
  PassSeconds seconds_{};
};

}  // namespace spillway
