// From blocks of ChunkForm::kTokens to sorted keys: every occurrence is sorted as a string of its own, by a stable
// sort, which gives the ranks and the order of the keys at once.
#pragma once

#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/staging.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "indexer/gpu/steps/tokens.hpp"
#include "indexer/gpu/steps/uploaded_sums.hpp"

namespace spillway {

template <typename Machine>
class KeysOfTokens : public PassStage<Machine, TokenLayout> {
  using Stage = PassStage<Machine, TokenLayout>;

 public:
  KeysOfTokens(Machine& machine, const BlockPacker& packer)
      : Stage(machine, packer, lay_out_tokens),
        tokens_(static_cast<std::uint32_t>(packer.size().occurrences)),
        groups_(raw_groups(packer.bytes(PassArray::kTokens))),
        raw_{at<std::uint8_t>(layout_.raw)} {}

  SortedKeys make() {
    upload_all();
    machine_.mark(PassMark::kUploaded);
    check_uploads();
    this->sum_lengths();
    this->find_document_ends();
    const RawCounts found = count_tokens();
    machine_.mark(PassMark::kFound);
    sum_tokens();
    machine_.mark(PassMark::kSummed);
    compact_tokens(found);
    machine_.mark(PassMark::kCompacted);
    this->sort_strings(tokens_, found.bytes);
    machine_.mark(PassMark::kSorted);
    const std::uint32_t ranks = this->count_terms(tokens_);
    find_documents();
    const bool positions = packer_.size().positions;
    const unsigned low_bits = visit_bits(positions ? tokens_ : packer_.document_count());
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    machine_.for_each(tokens_,
                      MakeTokenKeys{at<std::uint32_t>(layout_.order), at<std::uint32_t>(layout_.ranks_in_order),
                                    positions ? nullptr : at<std::uint32_t>(layout_.documents), low_bits, keys,
                                    at<std::uint32_t>(layout_.first_strings)});
    this->gather_rank_text(ranks);
    return {keys, low_bits, ranks, this->uploaded_bytes_};
  }

 private:
  using Stage::layout_, Stage::machine_, Stage::packer_;
  template <typename T>
  T* at(std::size_t place) const {
    return Stage::template at<T>(place);
  }

  void upload_all() {
    const std::size_t bytes = packer_.bytes(PassArray::kTokens);
    this->upload_places();
    this->upload(PassArray::kLengths, layout_.piece_ends);
    this->upload(PassArray::kTokens, layout_.raw);
    machine_.clear(at<std::uint8_t>(layout_.raw) + bytes, kRawPadding);
    this->upload(PassArray::kPositions, layout_.positions);
  }

  // All that follows relies on it.
  void check_uploads() {
    UploadedSums* const sums = at<UploadedSums>(layout_.uploaded_sums);
    const ChunkPlace* const places = at<ChunkPlace>(layout_.chunk_places);
    const auto chunks = static_cast<std::uint32_t>(packer_.size().chunks);
    const std::span<const std::uint32_t> sent_places(reinterpret_cast<const std::uint32_t*>(packer_.places().data()),
                                                     packer_.places().size_bytes() / sizeof(std::uint32_t));
    sum_up(sent_places.size(), layout_.chunk_places, OneShare{sent_places.size()}, &sums->places);
    sum_up(values_of(PassArray::kTokens), layout_.raw, TokenShares{places, chunks}, &sums->arrays.tokens);
    sum_up(values_of(PassArray::kLengths), layout_.piece_ends, LengthShares{places, chunks}, &sums->arrays.lengths);
    sum_up(values_of(PassArray::kPositions), layout_.positions, PositionShares{places, chunks},
           &sums->arrays.positions);
    const UploadedSums found = machine_.fetch(sums);
    const ChunkTransferChecksums& sent = packer_.word_sums();
    require(found.places == sum_words(bytes_of(sent_places)), "places of the chunks");
    require(found.arrays.tokens == sent.tokens, "tokens");
    require(found.arrays.lengths == sent.lengths, "lengths of the documents");
    require(found.arrays.positions == sent.positions, "positions");
  }
  std::size_t values_of(PassArray array) const { return packer_.bytes(array) / sizeof(std::uint32_t); }
  template <typename Shares>
  void sum_up(std::size_t values, std::size_t place, const Shares& shares, TransferChecksum* to) {
    const SumValues<Shares> step{at<std::uint32_t>(place), shares};
    machine_.reduce(values / Shares::kStride, step, AddWordSums{}, to, this->scan_scratch());
  }
  static void require(bool same, const char* what) {
    if (same) return;
    throw GpuError(std::string("the ") + what +
                   " of a block are not the same on the GPU: its memory or the way to it is at fault");
  }

  // What is found must be what the parsers counted.
  RawCounts count_tokens() {
    RawCounts* const counts = at<RawCounts>(layout_.raw_counts);
    machine_.for_each(groups_ + 1, CountRawTokens{raw_, groups_, counts});
    machine_.exclusive_scan(counts, counts, groups_ + 1, AddRawCounts{}, this->scan_scratch());
    const RawCounts found = machine_.fetch(counts + groups_);
    if (found.tokens != tokens_ || found.bytes > packer_.size().string_bytes) {
      throw GpuError("the GPU found " + std::to_string(found.tokens) + " tokens in a block that has " +
                     std::to_string(tokens_) + ": its memory or this program is at fault");
    }
    return found;
  }

  void sum_tokens() {
    std::uint64_t* const powers = at<std::uint64_t>(layout_.document_powers);
    machine_.for_each(packer_.document_count(), MakeDocumentPowers(powers));
    const SumTokens step{raw_,
                         at<RawCounts>(layout_.raw_counts),
                         at<std::uint32_t>(layout_.document_ends),
                         powers,
                         packer_.document_count(),
                         packer_.size().positions ? at<std::uint32_t>(layout_.positions) : nullptr};
    machine_.reduce(groups_, step, AddTokenSums{}, at<TokenSums>(layout_.token_sums), this->scan_scratch());
  }

  void compact_tokens(const RawCounts& found) {
    std::uint8_t* const text = at<std::uint8_t>(layout_.text);
    machine_.clear(text + found.bytes, kTextPadding);
    machine_.for_each(groups_, CompactTokens{raw_, groups_, at<RawCounts>(layout_.raw_counts), text,
                                             at<std::uint64_t>(layout_.string_offsets)});
  }

  void find_documents() {
    const std::uint32_t* const ends = at<std::uint32_t>(layout_.document_ends);
    std::uint32_t* const of_groups = at<std::uint32_t>(layout_.group_documents);
    const std::uint32_t documents = packer_.document_count();
    machine_.for_each(token_groups(tokens_) + 1, FindGroupDocuments{ends, documents, tokens_, of_groups});
    machine_.for_each(tokens_, FindDocuments{ends, of_groups, documents, at<std::uint32_t>(layout_.documents)});
  }

  const std::uint32_t tokens_;
  const std::size_t groups_;  // of bytes
  const RawTokens raw_;
};

}  // namespace spillway
