// The base of both ways from a block to sorted keys (occurrence_keys.hpp, token_keys.hpp): the executor, the arrays in
// its arena, the uploads, and the sort of strings into ranks.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "indexer/gpu/pipeline/block_packer.hpp"
#include "indexer/gpu/pipeline/layout.hpp"
#include "indexer/gpu/steps/keys.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "sort/gpu/device/error.hpp"
#include "sort/gpu/interface/string_sorter.hpp"

namespace spillway {

// The bits that hold any number below `count`.
inline unsigned bits_below(std::uint64_t count) {
  return static_cast<unsigned>(std::bit_width(count == 0 ? 0 : count - 1));
}

// The result of the first half of a pass; with positions, PassLayout::ordered_positions is filled, too. Distinct terms
// are numbered in their order: ranks. Keys of one rank and document are in the order of their occurrences.
struct SortedKeys {
  const std::uint64_t* keys = nullptr;  // [rank | document]
  unsigned document_bits = 0;
  std::uint32_t ranks = 0;
  const TokenSums* token_sums = nullptr;  // kTokens
  bool table_was_full = false;            // kTokens: the table did not take all terms of the block
};

template <typename Executor, typename Layout>
class PassStage {
 public:
  const Layout& layout() const { return layout_; }
  std::size_t uploaded_bytes() const { return uploaded_bytes_; }

 protected:
  // GpuMemoryError where the block does not fit the arena.
  PassStage(Executor& executor, const BlockPacker& packer, Layout (*lay_out)(const BlockPassSize&, const PassScratch&))
      : executor_(executor),
        packer_(packer),
        scratch_(executor.scratch(packer.size())),
        layout_(lay_out(packer.size(), scratch_)),
        slices_(static_cast<std::uint32_t>(packer.size().documents)) {
    const std::size_t arena_bytes = executor_.arena().size();
    if (layout_.total_bytes <= arena_bytes) return;
    throw GpuMemoryError("a block needs " + std::to_string(layout_.total_bytes) +
                         " bytes of GPU memory, and its share of --gpu-memory is " + std::to_string(arena_bytes) +
                         ": raise --gpu-memory or lower --block-bytes");
  }

  template <typename T>
  T* at(std::size_t place) const {
    return reinterpret_cast<T*>(executor_.arena().data() + place);
  }
  std::span<std::uint8_t> scan_scratch() const { return {at<std::uint8_t>(layout_.scan_scratch), scratch_.scan_bytes}; }
  std::span<std::uint8_t> string_scratch() const {
    return {at<std::uint8_t>(layout_.string_scratch), scratch_.string_sort_bytes};
  }

  // Copies what stands in pinned slots from there, and packs the rest.
  void upload(PassArray array, std::size_t place) {
    const std::size_t bytes = packer_.bytes(array);
    std::size_t done = 0;
    for (std::size_t c = 0; bytes != 0 && c < packer_.chunks().size(); ++c) {
      const std::span<const std::uint8_t> in_place = packer_.in_place(array, c);
      const std::size_t begin = packer_.chunk_begin(array, c);
      if (in_place.empty() ||
          !executor_.send(at<std::uint8_t>(place) + begin, in_place, packer_.chunks()[c].memory.region())) {
        continue;
      }
      upload_packed(array, place, done, begin);
      done = begin + in_place.size();
    }
    upload_packed(array, place, done, bytes);
    uploaded_bytes_ += bytes;
  }
  void upload_places() {
    const std::span<const ChunkPlace> places = packer_.places();
    executor_.upload(at<std::uint8_t>(layout_.chunk_places), places.size_bytes(),
                     [&](std::size_t begin, std::span<std::uint8_t> to) {
                       std::memcpy(to.data(), reinterpret_cast<const std::uint8_t*>(places.data()) + begin, to.size());
                     });
    uploaded_bytes_ += places.size_bytes();
  }

  // Packs and uploads bytes [begin, end) of the array.
  void upload_packed(PassArray array, std::size_t place, std::size_t begin, std::size_t end) {
    executor_.upload(at<std::uint8_t>(place) + begin, end - begin,
                     [&](std::size_t from, std::span<std::uint8_t> to) { packer_.pack(array, begin + from, to); });
  }

  PassChunks chunks(const std::uint8_t* occurrences) const {
    return {at<ChunkPlace>(layout_.chunk_places), static_cast<std::uint32_t>(packer_.size().chunks),
            at<std::uint32_t>(layout_.slice_ends), slices_, occurrences};
  }
  void sum_lengths() {
    std::uint32_t* const ends = at<std::uint32_t>(layout_.slice_ends);
    executor_.inclusive_scan(ends, ends, slices_, Add<std::uint32_t>{}, scan_scratch());
  }

  void sort_strings(std::uint32_t strings, std::size_t text_bytes, std::span<std::uint8_t> scratch) {
    if (strings == 0) return;
    executor_.sort_strings(
        {at<std::uint8_t>(layout_.text), at<std::uint64_t>(layout_.string_offsets), strings, text_bytes},
        {at<std::uint32_t>(layout_.order), at<std::uint8_t>(layout_.firsts)}, scratch);
  }
  // Fills ranks_in_order, and returns the number of distinct terms. Requires: sort_strings() was called.
  std::uint32_t count_terms(std::uint32_t strings) {
    if (strings == 0) return 0;
    std::uint32_t* const ranks = at<std::uint32_t>(layout_.ranks_in_order);
    executor_.inclusive_scan(at<std::uint8_t>(layout_.firsts), ranks, strings, Add<std::uint32_t>{}, scan_scratch());
    return executor_.fetch(ranks + strings - 1);
  }
  // `firsts`: a string of each rank.
  void gather_rank_text(std::uint32_t ranks, const std::uint32_t* firsts) {
    const std::uint64_t* const offsets = at<std::uint64_t>(layout_.string_offsets);
    std::uint64_t* const text_offsets = at<std::uint64_t>(layout_.rank_text_offsets);
    executor_.for_each(std::size_t{ranks} + 1, MeasureRankText{offsets, firsts, ranks, text_offsets});
    executor_.exclusive_scan(text_offsets, text_offsets, std::size_t{ranks} + 1, Add<std::uint64_t>{}, scan_scratch());
    executor_.for_each(ranks, GatherRankText{at<std::uint8_t>(layout_.text), offsets, firsts, text_offsets,
                                             at<std::uint8_t>(layout_.rank_text)});
  }

  Executor& executor_;
  const BlockPacker& packer_;
  const PassScratch scratch_;
  const Layout layout_;
  const std::uint32_t slices_;
  std::size_t uploaded_bytes_ = 0;
};

}  // namespace spillway
