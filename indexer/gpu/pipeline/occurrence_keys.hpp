// Turns blocks of ChunkForm::kTables into sorted keys: sorting the strings of all chunk tables gives them ranks; then
// each occurrence gets a key, and the keys are sorted.
#pragma once

#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/pass_stage.hpp"
#include "sort/interface/record_sorter.hpp"

namespace spillway {

template <typename Executor>
class KeysOfOccurrences : public PassStage<Executor, OccurrenceLayout> {
  using Stage = PassStage<Executor, OccurrenceLayout>;

 public:
  KeysOfOccurrences(Executor& executor, const BlockPacker& packer)
      : Stage(executor, packer, lay_out_occurrences),
        strings_(static_cast<std::uint32_t>(packer.size().strings)),
        occurrences_(static_cast<std::uint32_t>(packer.size().occurrences)) {}

  SortedKeys make() {
    executor_.upload_in_turn([&] { upload_all(); });
    for (const PassMark mark : {PassMark::kUploaded, PassMark::kFound, PassMark::kSummed, PassMark::kCompacted}) {
      executor_.mark(mark);
    }
    const std::uint32_t ranks = rank_strings();
    this->gather_rank_text(ranks, at<std::uint32_t>(layout_.first_strings));
    const unsigned document_bits = bits_below(packer_.document_count());
    if (packer_.size().positions) return {sort_with_positions(ranks, document_bits), document_bits, ranks};
    executor_.for_each(occurrences_, MakeKeys{block_chunks(), at<std::uint32_t>(layout_.ranks), document_bits, keys()});
    return {sort(ranks, document_bits), document_bits, ranks};
  }

 private:
  using Stage::layout_, Stage::executor_, Stage::packer_;
  template <typename T>
  T* at(std::size_t place) const {
    return Stage::template at<T>(place);
  }

  void upload_all() {
    const std::size_t text_bytes = packer_.size().string_bytes;
    this->upload_places();
    this->upload(PassArray::kText, layout_.text);
    executor_.clear(at<std::uint8_t>(layout_.text) + text_bytes, kTextPadding);
    this->upload(PassArray::kStringBytes, layout_.string_bytes);
    executor_.clear(at<std::uint8_t>(layout_.string_bytes) + strings_ * sizeof(std::uint16_t), sizeof(std::uint16_t));
    this->upload(PassArray::kLengths, layout_.slice_ends);
    this->upload(PassArray::kOccurrences, layout_.occurrences);
    this->upload(PassArray::kPositions, layout_.positions);
  }

  // Sorts the strings and returns the number of distinct terms.
  std::uint32_t rank_strings() {
    executor_.exclusive_scan(at<std::uint16_t>(layout_.string_bytes), at<std::uint64_t>(layout_.string_offsets),
                             std::size_t{strings_} + 1, Add<std::uint64_t>{}, this->scan_scratch());
    this->sum_lengths();
    this->sort_strings(strings_, packer_.size().string_bytes, this->string_scratch());
    executor_.mark(PassMark::kSorted);
    const std::uint32_t ranks = this->count_terms(strings_);
    executor_.for_each(strings_,
                       AssignRanks{at<std::uint32_t>(layout_.order), at<std::uint32_t>(layout_.ranks_in_order),
                                   at<std::uint32_t>(layout_.ranks), at<std::uint32_t>(layout_.first_strings)});
    return ranks;
  }

  // Sorts keys with occurrences, which bring documents and positions into order.
  const std::uint64_t* sort_with_positions(std::uint32_t ranks, unsigned document_bits) {
    const unsigned occurrence_bits = bits_below(occurrences_);
    std::uint32_t* const documents = at<std::uint32_t>(layout_.documents);
    executor_.for_each(occurrences_, MakePositionedKeys{block_chunks(), at<std::uint32_t>(layout_.ranks),
                                                        occurrence_bits, keys(), documents});
    const std::uint64_t* const sorted = sort(ranks, occurrence_bits);
    executor_.for_each(occurrences_, ReplaceOccurrences{sorted, occurrence_bits, document_bits, documents,
                                                        at<std::uint32_t>(layout_.positions), keys(),
                                                        at<std::uint32_t>(layout_.ordered_positions)});
    return keys();
  }

  // The keys are in the order of their low bits already, so a stable sorter needs only the ranks.
  const std::uint64_t* sort(std::uint32_t ranks, unsigned low_bits) {
    const BitRange bits{executor_.sorts_stably() ? low_bits : 0, low_bits + bits_below(ranks)};
    if (bits.begin == bits.end || occurrences_ < 2) return keys();
    return executor_.sort_keys(keys(), occurrences_, bits,
                               {at<std::uint8_t>(layout_.key_scratch), this->scratch_.record_sort_bytes});
  }

  std::uint64_t* keys() const { return at<std::uint64_t>(layout_.keys); }
  PassChunks block_chunks() const { return this->chunks(at<std::uint8_t>(layout_.occurrences)); }

  const std::uint32_t strings_, occurrences_;
};

}  // namespace spillway
