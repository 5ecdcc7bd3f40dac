// A visit as a sequence of steps, for any machine that can run them: the GPU, or the host that stands in for it in
// tests. The same code for both.
#pragma once

#include <algorithm>
#include <numeric>
#include <utility>

#include "indexer/block/run_output.hpp"
#include "indexer/gpu/pipeline/gpu_lane.hpp"
#include "indexer/gpu/pipeline/occurrence_keys.hpp"
#include "indexer/gpu/pipeline/token_keys.hpp"
#include "indexer/gpu/steps/fold.hpp"
#include "indexer/gpu/steps/totals.hpp"
#include "sort/gpu/device/arena.hpp"

namespace spillway {

// Machine: HostExecutor (indexer/gpu/pipeline/host_executor.hpp) says what one has to have.
template <typename Machine>
class BlockPass final : public GpuLane {
 public:
  template <typename... Arguments>
  explicit BlockPass(Arguments&&... arguments) : machine_(std::forward<Arguments>(arguments)...) {}

  void begin(const BlockPacker& packer) override {
    machine_.share().take();
    has_share_ = true;
    machine_.start();
    machine_.mark(PassMark::kBegin);
    if (packer.form() == ChunkForm::kTokens) {
      KeysOfTokens keys(machine_, packer);
      encode(packer, keys.make(), keys.layout(), at<TokenSums>(keys.layout().token_sums));
    } else {
      KeysOfOccurrences keys(machine_, packer);
      encode(packer, keys.make(), keys.layout(), nullptr);
    }
    machine_.begin_download(pieces_, download_bytes_);
    machine_.mark(PassMark::kDownloaded);
  }

  EncodedLists wait(BlockSortStats& stats) override {
    const std::uint8_t* const host = machine_.finish_download();
    give_share_back();
    const PassSeconds seconds = machine_.seconds();
    stats.upload_seconds += seconds.front();
    stats.sort_seconds += std::accumulate(seconds.begin() + 1, seconds.end() - 2, 0.0);
    stats.encode_seconds += *(seconds.end() - 2);
    stats.download_seconds += seconds.back();
    stats.upload_bytes += uploaded_bytes_;
    stats.download_bytes += download_bytes_;
    EncodedLists lists;
    lists.seconds = seconds;
    lists.parts = view<EncodedList>(host, 0);
    lists.rank_text_offsets = view<std::uint64_t>(host, 1);
    lists.rank_text = view<std::uint8_t>(host, 2);
    lists.postings = view<std::uint8_t>(host, 3);
    lists.distances = view<std::uint8_t>(host, 4);
    lists.sum.lanes = {totals_.tokens.low, totals_.tokens.high};
    lists.sum.positions = totals_.tokens.positions;
    return lists;
  }

  void end() override { machine_.end(); }
  void abandon() noexcept override {
    machine_.abandon();
    give_share_back();
  }
  const Machine& machine() const { return machine_; }

 private:
  void give_share_back() {
    if (std::exchange(has_share_, false)) machine_.share().give_back();
  }
  std::uint8_t* arena() const { return machine_.share().memory().data(); }
  template <typename T>
  T* at(std::size_t place) const {
    return reinterpret_cast<T*>(arena() + place);
  }
  template <typename T>
  std::span<const T> view(const std::uint8_t* host, std::size_t piece) const {
    return {reinterpret_cast<const T*>(host + pieces_[piece].host_offset), pieces_[piece].bytes / sizeof(T)};
  }

  void encode(const BlockPacker& packer, const SortedKeys& sorted, const PassLayout& layout, const TokenSums* tokens) {
    machine_.mark(PassMark::kKeyed);
    const auto count = static_cast<std::uint32_t>(packer.size().occurrences);
    if (packer.size().positions) {
      fold(
          FoldedPositions{sorted.keys, count, sorted.low_bits, kStretchOccurrences, at<std::uint32_t>(layout.documents),
                          at<std::uint32_t>(layout.document_ends), at<std::uint32_t>(layout.positions)},
          layout);
    } else {
      fold(FoldedKeys{sorted.keys, count, sorted.low_bits}, layout);
    }
    PassTotals* const totals = at<PassTotals>(layout.totals);
    machine_.for_each(1, CollectTotals{at<GroupSums>(layout.group_sums) + groups_of(count),
                                       at<std::uint64_t>(layout.rank_text_offsets) + sorted.ranks, tokens, totals});
    machine_.mark(PassMark::kEncoded);
    totals_ = machine_.fetch(totals);
    uploaded_bytes_ = sorted.uploaded_bytes;
    plan_download(layout, sorted.ranks);
  }

  template <typename Keys>
  void fold(const Keys& keys, const PassLayout& layout) {
    const std::size_t groups = groups_of(keys.count);
    GroupSums* const sums = at<GroupSums>(layout.group_sums);
    machine_.for_each(groups + 1, MeasureGroup<Keys>{keys, sums});
    machine_.exclusive_scan(sums, sums, groups + 1, AddGroupSums{},
                            {at<std::uint8_t>(layout.scan_scratch), layout.totals - layout.scan_scratch});
    machine_.for_each(std::max(groups, std::size_t{1}),
                      WriteGroup<Keys>{keys, sums, at<EncodedList>(layout.parts), at<std::uint8_t>(layout.postings),
                                       at<std::uint8_t>(layout.distances)});
  }
  static std::size_t groups_of(std::uint32_t keys) { return (std::size_t{keys} + kGroupKeys - 1) / kGroupKeys; }

  void plan_download(const PassLayout& layout, std::uint32_t ranks) {
    download_bytes_ = 0;
    add_download(0, layout.parts, (std::size_t{totals_.lists.parts} + 1) * sizeof(EncodedList));
    add_download(1, layout.rank_text_offsets, (std::size_t{ranks} + 1) * sizeof(std::uint64_t));
    add_download(2, layout.rank_text, totals_.rank_text_bytes);
    add_download(3, layout.postings, totals_.lists.posting_bytes);
    add_download(4, layout.distances, totals_.lists.distance_bytes);
  }

  void add_download(std::size_t piece, std::size_t place, std::size_t bytes) {
    pieces_[piece] = {arena() + place, download_bytes_, bytes};
    download_bytes_ += device_aligned(bytes);
  }

  Machine machine_;
  bool has_share_ = false;
  std::size_t uploaded_bytes_ = 0, download_bytes_ = 0;
  PassTotals totals_;
  DownloadPieces pieces_{};
};

}  // namespace spillway
