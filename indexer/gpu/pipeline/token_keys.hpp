// Turns blocks of ChunkForm::kTokens into sorted keys: a stable sort orders every occurrence as a string of its own,
// which gives the ranks and the order of the keys at once.
#pragma once

#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/pass_stage.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "indexer/gpu/steps/tokens.hpp"
#include "indexer/gpu/steps/uploaded_sums.hpp"

namespace spillway {

template <typename Executor>
class KeysOfTokens : public PassStage<Executor, TokenLayout> {
  using Stage = PassStage<Executor, TokenLayout>;

 public:
  KeysOfTokens(Executor& executor, const BlockPacker& packer)
      : Stage(executor, packer, lay_out_tokens),
        tokens_(static_cast<std::uint32_t>(packer.size().occurrences)),
        groups_(raw_groups(packer.bytes(PassArray::kTokens))),
        raw_{at<std::uint8_t>(layout_.raw)} {}

  SortedKeys make() {
    executor_.upload_in_turn([&] { upload_all(); });
    executor_.mark(PassMark::kUploaded);
    check_uploads();
    this->sum_lengths();
    executor_.for_each(this->slices_,
                       FindDocumentEnds{this->chunks(nullptr), at<std::uint32_t>(layout_.document_ends)});
    const RawCounts found = count_tokens();
    find_positions();
    executor_.mark(PassMark::kFound);
    sum_tokens();
    executor_.mark(PassMark::kSummed);
    compact_tokens(found);
    executor_.mark(PassMark::kCompacted);
    this->sort_strings(tokens_, found.bytes);
    executor_.mark(PassMark::kSorted);
    const std::uint32_t ranks = this->count_terms(tokens_);
    find_documents();
    const unsigned document_bits = bits_below(packer_.document_count());
    const std::uint32_t* const order = at<std::uint32_t>(layout_.order);
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    executor_.for_each(
        tokens_, MakeTokenKeys{order, at<std::uint32_t>(layout_.ranks_in_order), at<std::uint32_t>(layout_.documents),
                               document_bits, keys, at<std::uint32_t>(layout_.first_strings)});
    if (packer_.size().positions) {
      executor_.for_each(tokens_, GatherPositions{order, at<std::uint32_t>(layout_.positions),
                                                  at<std::uint32_t>(layout_.ordered_positions)});
    }
    this->gather_rank_text(ranks);
    return {keys, document_bits, ranks, at<TokenSums>(layout_.token_sums)};
  }

 private:
  using Stage::layout_, Stage::executor_, Stage::packer_;
  template <typename T>
  T* at(std::size_t place) const {
    return Stage::template at<T>(place);
  }

  void upload_all() {
    const std::size_t bytes = packer_.bytes(PassArray::kTokens);
    this->upload_places();
    this->upload(PassArray::kLengths, layout_.slice_ends);
    this->upload(PassArray::kTokens, layout_.raw);
    executor_.clear(at<std::uint8_t>(layout_.raw) + bytes, kRawPadding);
    this->upload(PassArray::kPositionRuns, layout_.position_runs);
  }

  // Proves that everything arrived as it was sent. GpuError where it did not.
  void check_uploads() {
    UploadedSums* const sums = at<UploadedSums>(layout_.uploaded_sums);
    const ChunkPlace* const places = at<ChunkPlace>(layout_.chunk_places);
    const auto chunks = static_cast<std::uint32_t>(packer_.size().chunks);
    const std::span<const std::uint32_t> sent_places(reinterpret_cast<const std::uint32_t*>(packer_.places().data()),
                                                     packer_.places().size_bytes() / sizeof(std::uint32_t));
    sum_up(sent_places.size(), layout_.chunk_places, OneShare{sent_places.size()}, &sums->places);
    sum_up(values_of(PassArray::kTokens), layout_.raw, TokenShares{places, chunks}, &sums->arrays.tokens);
    sum_up(values_of(PassArray::kLengths), layout_.slice_ends, LengthShares{places, chunks}, &sums->arrays.lengths);
    sum_up(values_of(PassArray::kPositionRuns), layout_.position_runs, PositionRunShares{places, chunks},
           &sums->arrays.position_runs);
    const UploadedSums found = executor_.fetch(sums);
    const ChunkTransferChecksums& sent = packer_.transfer_checksums();
    require(found.places == sum_words(bytes_of(sent_places)), "places of the chunks");
    require(found.arrays.tokens == sent.tokens, "tokens");
    require(found.arrays.lengths == sent.lengths, "lengths of the documents");
    require(found.arrays.position_runs == sent.position_runs, "positions");
  }
  std::size_t values_of(PassArray array) const { return packer_.bytes(array) / sizeof(std::uint32_t); }
  template <typename Shares>
  void sum_up(std::size_t values, std::size_t place, const Shares& shares, TransferChecksum* to) {
    const SumValues<Shares> step{at<std::uint32_t>(place), shares};
    executor_.reduce(values / Shares::kStride, step, AddChecksums{}, to, this->scan_scratch());
  }
  static void require(bool same, const char* what) {
    if (same) return;
    throw GpuError(std::string("the ") + what +
                   " of a block are not the same on the GPU: its memory or the way to it is at fault");
  }

  // GpuError unless the GPU finds as many tokens as the parsers counted.
  RawCounts count_tokens() {
    RawCounts* const counts = at<RawCounts>(layout_.raw_counts);
    executor_.for_each(groups_ + 1, CountRawTokens{raw_, groups_, counts});
    executor_.exclusive_scan(counts, counts, groups_ + 1, AddRawCounts{}, this->scan_scratch());
    const RawCounts found = executor_.fetch(counts + groups_);
    if (found.tokens != tokens_ || found.bytes > packer_.size().string_bytes) {
      throw GpuError("the GPU found " + std::to_string(found.tokens) + " tokens in a block that has " +
                     std::to_string(tokens_) + ": its memory or this program is at fault");
    }
    return found;
  }

  void find_positions() {
    const auto runs = static_cast<std::uint32_t>(packer_.size().position_runs);
    if (runs == 0) return;
    const auto* const sent = at<PositionRun>(layout_.position_runs);
    auto* const first_tokens = at<std::uint32_t>(layout_.run_tokens);
    auto* const of_groups = at<std::uint32_t>(layout_.group_runs);
    executor_.for_each(runs, PlaceRuns{at<ChunkPlace>(layout_.chunk_places),
                                       static_cast<std::uint32_t>(packer_.size().chunks), sent, first_tokens});
    executor_.for_each(token_groups(tokens_) + 1, FindGroupRuns{{first_tokens}, runs, tokens_, of_groups});
    executor_.for_each(tokens_, FindPositions{{first_tokens}, sent, of_groups, at<std::uint32_t>(layout_.positions)});
  }

  void sum_tokens() {
    std::uint64_t* const powers = at<std::uint64_t>(layout_.document_powers);
    executor_.for_each(packer_.document_count(), MakeDocumentPowers(powers));
    const SumTokens step{raw_,
                         at<RawCounts>(layout_.raw_counts),
                         at<std::uint32_t>(layout_.document_ends),
                         powers,
                         packer_.document_count(),
                         packer_.size().positions ? at<std::uint32_t>(layout_.positions) : nullptr};
    executor_.reduce(groups_, step, AddTokenSums{}, at<TokenSums>(layout_.token_sums), this->scan_scratch());
  }

  void compact_tokens(const RawCounts& found) {
    std::uint8_t* const text = at<std::uint8_t>(layout_.text);
    executor_.clear(text + found.bytes, kTextPadding);
    executor_.compact(
        {raw_, groups_, at<RawCounts>(layout_.raw_counts), text, at<std::uint64_t>(layout_.string_offsets)});
  }

  void find_documents() {
    const std::uint32_t* const ends = at<std::uint32_t>(layout_.document_ends);
    std::uint32_t* const of_groups = at<std::uint32_t>(layout_.group_documents);
    const std::uint32_t documents = packer_.document_count();
    executor_.for_each(token_groups(tokens_) + 1, FindGroupDocuments{ends, documents, tokens_, of_groups});
    executor_.for_each(tokens_, FindDocuments{ends, of_groups, documents, at<std::uint32_t>(layout_.documents)});
  }

  const std::uint32_t tokens_;
  const std::size_t groups_;  // of kRawGroupBytes
  const RawTokens raw_;
};

}  // namespace spillway
