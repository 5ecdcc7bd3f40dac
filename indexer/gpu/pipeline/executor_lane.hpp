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
    lists_ = {};
    on_gpu_.reset();
    const BlockPacker packer(block, options.positions, form_);
    executor_.prepare(packer);
    executor_.take_arena();
    try {
      run(packer, options.timeline, stats);
    } catch (...) {
      executor_.abandon();
      executor_.give_arena_back();
      lists_ = {};
      on_gpu_.reset();
      throw;
    }
    executor_.give_arena_back();
    return run_bytes_bound(block, {lists_.fragments.size(), lists_.bytes()}, options.run_block_bytes);
  }

  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options,
                       BlockSortStats& stats) override {
    const EncodedLists lists = std::exchange(lists_, {});
    on_gpu_.reset();
    executor_.hold_no_more();  // the merge uses what the GPU holds of all blocks, or nothing
    return write_encoded_run(block, options, lists, file, stats);
  }

  std::optional<std::size_t> kept_bytes(const Block& block, const BlockSortOptions& options) const override {
    return KeptLists::memory_bytes(block, lists_, options);
  }

  std::unique_ptr<MergeSource> keep(const Block& block, const BlockSortOptions& options, MemoryBudget& budget,
                                    BlockSortStats& stats) override {
    const Stopwatch watch;
    const StageSpan span(options.timeline, JobStage::kSpill);
    const EncodedLists lists = std::exchange(lists_, {});
    auto kept = std::make_unique<KeptLists>(block, lists, options, budget, std::exchange(on_gpu_, std::nullopt));
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
      encode(packer, keys.make(), keys.layout());
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
    download(layout, sorted.ranks, executor_.fetch(totals));
  }

  template <typename Keys>
  void fold(const Keys& keys, const PassLayout& layout) {
    const std::size_t groups = groups_of(keys.count);
    GroupSums* const sums = at<GroupSums>(layout.group_sums);
    executor_.for_each(groups + 1, MeasureGroup<Keys>{keys, sums});
    executor_.exclusive_scan(sums, sums, groups + 1, AddGroupSums{},
                             {at<std::uint8_t>(layout.scan_scratch), layout.totals - layout.scan_scratch});
    executor_.for_each(std::max(groups, std::size_t{1}),
                       WriteGroup<Keys>{keys, sums, at<EncodedFragment>(layout.fragments),
                                        at<std::uint8_t>(layout.postings), at<std::uint8_t>(layout.distances)});
  }
  static std::size_t groups_of(std::uint32_t keys) { return (std::size_t{keys} + kGroupKeys - 1) / kGroupKeys; }

  void download(const PassLayout& layout, std::uint32_t ranks, const PassTotals& totals) {
    DownloadedArrays arrays{
        {{at<std::uint8_t>(layout.fragments), 0, (totals.lists.fragments + 1ULL) * sizeof(EncodedFragment)},
         {at<std::uint8_t>(layout.rank_text_offsets), 0, (ranks + 1ULL) * sizeof(std::uint64_t)},
         {at<std::uint8_t>(layout.rank_text), 0, totals.rank_text_bytes},
         {at<std::uint8_t>(layout.postings), 0, totals.lists.posting_bytes},
         {at<std::uint8_t>(layout.distances), 0, totals.lists.distance_bytes}}};
    downloaded_bytes_ = 0;
    for (DownloadedArray& array : arrays) {
      array.host_offset = downloaded_bytes_;
      downloaded_bytes_ += device_aligned(array.bytes);
    }
    hold(arrays, ranks, totals);
    Download lists = executor_.download(arrays, downloaded_bytes_);
    view(lists.data, arrays[0], lists_.fragments);
    view(lists.data, arrays[1], lists_.rank_text_offsets);
    view(lists.data, arrays[2], lists_.rank_text);
    view(lists.data, arrays[3], lists_.postings);
    view(lists.data, arrays[4], lists_.distances);
    lists_.memory = std::move(lists.memory);
    lists_.sum.lanes = {totals.tokens.low, totals.tokens.high};
    lists_.sum.positions = totals.tokens.positions;
  }
  // Keeps a copy of the lists on the GPU, where there is room.
  void hold(const DownloadedArrays& arrays, std::uint32_t ranks, const PassTotals& totals) {
    std::shared_ptr<std::uint8_t> memory = executor_.hold(arrays, downloaded_bytes_);
    if (memory == nullptr) return;
    on_gpu_ = DeviceLists{.memory = std::move(memory),
                          .bytes = downloaded_bytes_,
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
                          .posting_count = totals.lists.postings};
  }
  template <typename T>
  static void view(const std::uint8_t* host, const DownloadedArray& array, std::span<const T>& to) {
    to = {reinterpret_cast<const T*>(host + array.host_offset), array.bytes / sizeof(T)};
  }

  const ChunkForm form_;
  Executor executor_;
  EncodedLists lists_;                 // from sort() to write_run() or keep()
  std::optional<DeviceLists> on_gpu_;  // the same
  std::size_t downloaded_bytes_ = 0;
  PassSeconds seconds_{};
};

}  // namespace spillway
