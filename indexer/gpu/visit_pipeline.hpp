// A visit as a sequence of steps, for any machine that can run them: the GPU, or the host that stands in for it in
// tests. The same code for both.
#pragma once

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "indexer/gpu/fold_steps.hpp"
#include "indexer/gpu/visit_layout.hpp"
#include "indexer/gpu/visit_slot.hpp"
#include "indexer/run_output.hpp"
#include "sort/gpu/gpu_error.hpp"
#include "sort/gpu/gpu_memory.hpp"
#include "sort/record_sorter.hpp"

namespace spillway {

// Bits of the numbers below `count`.
inline unsigned visit_bits(std::uint64_t count) {
  return static_cast<unsigned>(std::bit_width(count == 0 ? 0 : count - 1));
}

// Machine: HostMachine (host_machine.hpp) says what one has to have.
template <typename Machine>
class VisitPipeline final : public VisitSlot {
 public:
  template <typename... Arguments>
  explicit VisitPipeline(Arguments&&... arguments) : machine_(std::forward<Arguments>(arguments)...) {}

  void begin(const BlockPacker& packer) override {
    machine_.start();
    machine_.mark(VisitMark::kBegin);
    place(packer);
    upload(packer);
    machine_.mark(VisitMark::kUploaded);
    rank_strings();
    gather_rank_text();
    const std::uint64_t* const keys = positions_ ? sort_positioned_keys() : sort_keys();
    machine_.mark(VisitMark::kSorted);
    if (positions_) {
      fold(FoldedPositions{keys, occurrences_, low_bits_, kStretchOccurrences, at<std::uint32_t>(layout_.documents),
                           at<std::uint32_t>(layout_.document_ends), at<std::uint32_t>(layout_.positions)});
    } else {
      fold(FoldedKeys{keys, occurrences_, low_bits_});
    }
    machine_.mark(VisitMark::kEncoded);
    plan_download();
    machine_.begin_download(pieces_, download_bytes_);
    machine_.mark(VisitMark::kDownloaded);
  }

  VisitLists wait(BlockSortFigures& figures) override {
    const std::uint8_t* const host = machine_.finish_download(figures);
    figures.upload_bytes += uploaded_bytes_;
    figures.download_bytes += download_bytes_;
    VisitLists lists;
    lists.parts = view<VisitPart>(host, 0);
    lists.rank_text_offsets = view<std::uint64_t>(host, 1);
    lists.rank_text = view<std::uint8_t>(host, 2);
    lists.postings = view<std::uint8_t>(host, 3);
    lists.distances = view<std::uint8_t>(host, 4);
    return lists;
  }

  void end() override { machine_.end(); }
  void abandon() noexcept override { machine_.abandon(); }
  const Machine& machine() const { return machine_; }

 private:
  template <typename T>
  T* at(std::size_t place) const {
    return reinterpret_cast<T*>(machine_.arena() + place);
  }
  template <typename T>
  std::span<const T> view(const std::uint8_t* host, std::size_t piece) const {
    return {reinterpret_cast<const T*>(host + pieces_[piece].host_offset), pieces_[piece].bytes / sizeof(T)};
  }

  void place(const BlockPacker& packer) {
    const VisitSize& size = packer.size();
    positions_ = size.positions;
    strings_ = static_cast<std::uint32_t>(size.strings);
    occurrences_ = static_cast<std::uint32_t>(size.occurrences);
    pieces_of_documents_ = static_cast<std::uint32_t>(size.documents);
    documents_ = packer.document_count();
    text_bytes_ = size.string_bytes;
    const VisitScratch scratch = machine_.scratch(size);
    layout_ = lay_out_visit(size, scratch);
    if (layout_.total_bytes > machine_.arena_bytes()) {
      throw GpuMemoryError("a block needs " + std::to_string(layout_.total_bytes) +
                           " bytes of GPU memory, and its share of --gpu-memory is " +
                           std::to_string(machine_.arena_bytes()) + ": raise --gpu-memory or lower --block-bytes");
    }
    scratch_ = scratch;
    chunks_ = {at<ChunkPlace>(layout_.chunk_places), static_cast<std::uint32_t>(size.chunks),
               at<std::uint32_t>(layout_.piece_ends), pieces_of_documents_, at<std::uint8_t>(layout_.occurrences)};
  }

  void upload(const BlockPacker& packer) {
    const std::span<const ChunkPlace> places = packer.places();
    machine_.upload(at<std::uint8_t>(layout_.chunk_places), places.size_bytes(),
                    [&](std::size_t begin, std::span<std::uint8_t> to) {
                      std::memcpy(to.data(), reinterpret_cast<const std::uint8_t*>(places.data()) + begin, to.size());
                    });
    uploaded_bytes_ = places.size_bytes();
    upload_array(packer, VisitArray::kText, layout_.text);
    machine_.clear(at<std::uint8_t>(layout_.text) + text_bytes_, kTextPadding);
    upload_array(packer, VisitArray::kStringBytes, layout_.string_bytes);
    machine_.clear(at<std::uint8_t>(layout_.string_bytes) + strings_ * sizeof(std::uint16_t), sizeof(std::uint16_t));
    upload_array(packer, VisitArray::kLengths, layout_.piece_ends);
    upload_array(packer, VisitArray::kOccurrences, layout_.occurrences);
    upload_array(packer, VisitArray::kPositions, layout_.positions);
  }

  void upload_array(const BlockPacker& packer, VisitArray array, std::size_t place) {
    const std::size_t bytes = packer.bytes(array);
    machine_.upload(at<std::uint8_t>(place), bytes,
                    [&](std::size_t begin, std::span<std::uint8_t> to) { packer.pack(array, begin, to); });
    uploaded_bytes_ += bytes;
  }

  // String sort and dense ranks.
  void rank_strings() {
    const std::uint64_t* const offsets = at<std::uint64_t>(layout_.string_offsets);
    std::uint32_t* const order = at<std::uint32_t>(layout_.order);
    std::uint32_t* const marks = at<std::uint32_t>(layout_.ranks_in_order);
    machine_.exclusive_scan(at<std::uint16_t>(layout_.string_bytes), at<std::uint64_t>(layout_.string_offsets),
                            std::size_t{strings_} + 1, Add<std::uint64_t>{}, scan_scratch());
    machine_.inclusive_scan(at<std::uint32_t>(layout_.piece_ends), at<std::uint32_t>(layout_.piece_ends),
                            pieces_of_documents_, Add<std::uint32_t>{}, scan_scratch());
    ranks_ = 0;
    if (strings_ == 0) return;
    machine_.sort_strings(at<std::uint8_t>(layout_.text), offsets, strings_, text_bytes_, order, string_scratch());
    machine_.for_each(strings_, MarkTerms{at<std::uint8_t>(layout_.text), offsets, order, marks});
    machine_.inclusive_scan(marks, marks, strings_, Add<std::uint32_t>{}, scan_scratch());
    machine_.for_each(strings_, AssignRanks{order, marks, at<std::uint32_t>(layout_.ranks),
                                            at<std::uint32_t>(layout_.first_strings)});
    ranks_ = machine_.fetch(marks + strings_ - 1);
  }

  void gather_rank_text() {
    const std::uint64_t* const offsets = at<std::uint64_t>(layout_.string_offsets);
    const std::uint32_t* const firsts = at<std::uint32_t>(layout_.first_strings);
    std::uint64_t* const text_offsets = at<std::uint64_t>(layout_.rank_text_offsets);
    machine_.for_each(std::size_t{ranks_} + 1, MeasureRankText{offsets, firsts, ranks_, text_offsets});
    machine_.exclusive_scan(text_offsets, text_offsets, std::size_t{ranks_} + 1, Add<std::uint64_t>{}, scan_scratch());
    machine_.for_each(ranks_, GatherRankText{at<std::uint8_t>(layout_.text), offsets, firsts, text_offsets,
                                             at<std::uint8_t>(layout_.rank_text)});
  }

  const std::uint64_t* sort_keys() {
    low_bits_ = visit_bits(documents_);
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    machine_.for_each(occurrences_, MakeKeys{chunks_, at<std::uint32_t>(layout_.ranks), low_bits_, keys});
    return sort(keys);
  }

  const std::uint64_t* sort_positioned_keys() {
    low_bits_ = visit_bits(occurrences_);
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    machine_.for_each(pieces_of_documents_, FindDocumentEnds{chunks_, at<std::uint32_t>(layout_.document_ends)});
    machine_.for_each(occurrences_, MakePositionedKeys{chunks_, at<std::uint32_t>(layout_.ranks), low_bits_, keys,
                                                       at<std::uint32_t>(layout_.documents)});
    return sort(keys);
  }

  // The occurrences are in order of the low bits: a stable sorter needs the ranks only.
  const std::uint64_t* sort(std::uint64_t* keys) {
    const BitRange bits{machine_.sorts_stably() ? low_bits_ : 0, low_bits_ + visit_bits(ranks_)};
    if (bits.begin == bits.end || occurrences_ < 2) return keys;
    return machine_.sort_keys(keys, occurrences_, bits,
                              {at<std::uint8_t>(layout_.key_scratch), scratch_.record_sort_bytes});
  }

  template <typename Keys>
  void fold(const Keys& keys) {
    const std::size_t groups = (std::size_t{occurrences_} + kGroupKeys - 1) / kGroupKeys;
    GroupSums* const sums = at<GroupSums>(layout_.group_sums);
    machine_.for_each(groups + 1, MeasureGroup<Keys>{keys, sums});
    machine_.exclusive_scan(sums, sums, groups + 1, AddGroupSums{}, scan_scratch());
    machine_.for_each(std::max(groups, std::size_t{1}),
                      WriteGroup<Keys>{keys, sums, at<VisitPart>(layout_.parts), at<std::uint8_t>(layout_.postings),
                                       at<std::uint8_t>(layout_.distances)});
    totals_ = machine_.fetch(sums + groups);
    rank_text_bytes_ = machine_.fetch(at<std::uint64_t>(layout_.rank_text_offsets) + ranks_);
  }

  void plan_download() {
    download_bytes_ = 0;
    add_download(0, layout_.parts, (std::size_t{totals_.parts} + 1) * sizeof(VisitPart));
    add_download(1, layout_.rank_text_offsets, (std::size_t{ranks_} + 1) * sizeof(std::uint64_t));
    add_download(2, layout_.rank_text, rank_text_bytes_);
    add_download(3, layout_.postings, totals_.posting_bytes);
    add_download(4, layout_.distances, totals_.distance_bytes);
  }

  void add_download(std::size_t piece, std::size_t place, std::size_t bytes) {
    pieces_[piece] = {machine_.arena() + place, download_bytes_, bytes};
    download_bytes_ += device_aligned(bytes);
  }

  std::span<std::uint8_t> scan_scratch() const { return {at<std::uint8_t>(layout_.scan_scratch), scratch_.scan_bytes}; }
  std::span<std::uint8_t> string_scratch() const {
    return {at<std::uint8_t>(layout_.string_scratch), scratch_.string_sort_bytes};
  }

  Machine machine_;
  VisitLayout layout_{};
  VisitScratch scratch_;
  VisitChunks chunks_{};
  bool positions_ = false;
  std::uint32_t strings_ = 0, ranks_ = 0, occurrences_ = 0, pieces_of_documents_ = 0, documents_ = 0;
  std::size_t text_bytes_ = 0, rank_text_bytes_ = 0, uploaded_bytes_ = 0, download_bytes_ = 0;
  unsigned low_bits_ = 0;  // of a key, below the rank
  GroupSums totals_;
  DownloadPieces pieces_{};
};

}  // namespace spillway
