// Turns blocks of ChunkForm::kTokens into sorted keys. A table finds the distinct terms; these are sorted as strings,
// which gives ranks, and then the keys of all tokens are sorted. Where the table does not take all terms of a block, a
// stable sort orders every token as a string of its own, which gives the ranks and the order of the keys at once.
#pragma once

#include "indexer/gpu/pipeline/executor.hpp"
#include "indexer/gpu/pipeline/pass_stage.hpp"
#include "indexer/gpu/steps/distinct_tokens.hpp"
#include "indexer/gpu/steps/token_sums.hpp"
#include "indexer/gpu/steps/tokens.hpp"
#include "indexer/gpu/steps/uploaded_sums.hpp"

namespace spillway {

// Decides for which blocks of a lane the table is tried. After a block that fills it, its neighbours most likely do,
// too.
class TableTrials {
 public:
  static constexpr unsigned kBlocksWithout = 7;

  bool next() {
    if (left_out_ == 0) return true;
    --left_out_;
    return false;
  }
  void tell(bool table_was_full) {
    if (table_was_full) left_out_ = kBlocksWithout;
  }

 private:
  unsigned left_out_ = 0;
};

template <typename Executor>
class KeysOfTokens : public PassStage<Executor, TokenLayout> {
  using Stage = PassStage<Executor, TokenLayout>;

 public:
  KeysOfTokens(Executor& executor, const BlockPacker& packer)
      : Stage(executor, packer, lay_out_tokens),
        tokens_(static_cast<std::uint32_t>(packer.size().occurrences)),
        groups_(raw_groups(packer.bytes(PassArray::kTokens))),
        raw_{at<std::uint8_t>(layout_.raw)},
        slots_(token_table_slots(tokens_)) {}

  // `finds_terms`: whether to try the table.
  SortedKeys make(bool finds_terms) {
    executor_.upload_in_turn([&] { upload_all(); });
    executor_.mark(PassMark::kUploaded);
    const RawCounts found = check_uploads();
    this->sum_lengths();
    executor_.for_each(this->slices_,
                       FindDocumentEnds{this->chunks(nullptr), at<std::uint32_t>(layout_.document_ends)});
    find_positions();
    executor_.mark(PassMark::kFound);
    finds_terms = finds_terms && tokens_ != 0;
    sum_tokens(finds_terms);
    executor_.mark(PassMark::kSummed);
    const TermTotals terms = finds_terms ? count_terms_in_table() : TermTotals{};
    if (finds_terms && terms.is_full == 0) return sort_keys_of_terms(terms);
    SortedKeys keys = sort_tokens(found);
    keys.table_was_full = finds_terms;
    return keys;
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

  // Proves that everything arrived as it was sent, and that the GPU finds as many tokens as the parsers counted:
  // GpuError where not. Returns what it found. The host waits once for both.
  RawCounts check_uploads() {
    UploadedTokens* const uploaded = at<UploadedTokens>(layout_.uploaded);
    UploadedSums* const sums = &uploaded->sums;
    const ChunkPlace* const places = at<ChunkPlace>(layout_.chunk_places);
    const auto chunks = static_cast<std::uint32_t>(packer_.size().chunks);
    const std::span<const std::uint32_t> sent_places(reinterpret_cast<const std::uint32_t*>(packer_.places().data()),
                                                     packer_.places().size_bytes() / sizeof(std::uint32_t));
    sum_up(sent_places.size(), layout_.chunk_places, OneShare{sent_places.size()}, &sums->places);
    sum_up(values_of(PassArray::kTokens), layout_.raw, TokenShares{places, chunks}, &sums->arrays.tokens);
    sum_up(values_of(PassArray::kLengths), layout_.slice_ends, LengthShares{places, chunks}, &sums->arrays.lengths);
    sum_up(values_of(PassArray::kPositionRuns), layout_.position_runs, PositionRunShares{places, chunks},
           &sums->arrays.position_runs);
    RawCounts* const counts = at<RawCounts>(layout_.raw_counts);
    executor_.for_each(groups_ + 1, CountRawTokens{raw_, groups_, counts});
    executor_.exclusive_scan(counts, counts, groups_ + 1, AddRawCounts{}, this->scan_scratch());
    executor_.for_each(1, CollectCounts{counts + groups_, &uploaded->counts});
    const auto [found, tokens] = executor_.fetch(uploaded);
    const ChunkTransferChecksums& sent = packer_.transfer_checksums();
    require(found.places == sum_words(bytes_of(sent_places)), "places of the chunks");
    require(found.arrays.tokens == sent.tokens, "tokens");
    require(found.arrays.lengths == sent.lengths, "lengths of the documents");
    require(found.arrays.position_runs == sent.position_runs, "positions");
    if (tokens.tokens != tokens_ || tokens.bytes > packer_.size().string_bytes) {
      throw GpuError("the GPU found " + std::to_string(tokens.tokens) + " tokens in a block that has " +
                     std::to_string(tokens_) + ": its memory or this program is at fault");
    }
    return tokens;
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

  void sum_tokens(bool finds_terms) {
    std::uint64_t* const powers = at<std::uint64_t>(layout_.document_powers);
    executor_.for_each(packer_.document_count(), MakeDocumentPowers(powers));
    TermTotals* const totals = at<TermTotals>(layout_.term_totals);
    if (finds_terms) {
      executor_.clear(at<std::uint8_t>(layout_.term_slots), slots_ * sizeof(TermSlot));
      executor_.clear(reinterpret_cast<std::uint8_t*>(totals), sizeof(TermTotals));
    }
    const SumTokens step{raw_,
                         at<RawCounts>(layout_.raw_counts),
                         {at<std::uint32_t>(layout_.document_ends), powers,
                          packer_.size().positions ? at<std::uint32_t>(layout_.positions) : nullptr},
                         packer_.document_count(),
                         {raw_.bytes, at<TermSlot>(layout_.term_slots), slots_, &totals->is_full},
                         finds_terms ? at<std::uint32_t>(layout_.token_slots) : nullptr};
    executor_.sum_tokens(groups_, step, at<TokenSums>(layout_.token_sums), this->scan_scratch());
  }

  TermTotals count_terms_in_table() {
    RawCounts* const counts = at<RawCounts>(layout_.slot_counts);
    TermTotals* const totals = at<TermTotals>(layout_.term_totals);
    const std::size_t all = std::size_t{slots_} + 1;
    executor_.for_each(all, CountTerms{raw_.bytes, at<TermSlot>(layout_.term_slots), slots_, counts});
    executor_.exclusive_scan(counts, counts, all, AddRawCounts{}, this->scan_scratch());
    executor_.for_each(1, CollectTerms{counts + slots_, totals});
    return executor_.fetch(totals);
  }

  SortedKeys sort_keys_of_terms(const TermTotals& terms) {
    std::uint8_t* const text = at<std::uint8_t>(layout_.text);
    std::uint32_t* const slot_of_term = at<std::uint32_t>(layout_.slot_of_term);
    executor_.clear(text + terms.bytes, kTextPadding);
    executor_.for_each(std::size_t{slots_} + 1, WriteTerms{raw_.bytes, at<TermSlot>(layout_.term_slots), slots_,
                                                           at<RawCounts>(layout_.slot_counts), text,
                                                           at<std::uint64_t>(layout_.string_offsets), slot_of_term});
    executor_.mark(PassMark::kCompacted);
    this->sort_strings(terms.terms, terms.bytes,
                       {at<std::uint8_t>(layout_.term_scratch), this->scratch_.term_sort_bytes});
    const std::uint32_t* const order = at<std::uint32_t>(layout_.order);
    std::uint32_t* const ranks = at<std::uint32_t>(layout_.rank_of_slot);
    executor_.for_each(terms.terms, RankSlots{order, slot_of_term, ranks});
    this->gather_rank_text(terms.terms, order);
    executor_.mark(PassMark::kSorted);
    const unsigned document_bits = bits_below(packer_.document_count());
    const std::uint32_t* const slots = at<std::uint32_t>(layout_.token_slots);
    std::uint64_t* const unsorted = at<std::uint64_t>(layout_.unsorted_keys);
    const DocumentOfToken document_of = find_group_documents();
    const bool has_positions = packer_.size().positions;
    const unsigned low_bits = has_positions ? bits_below(tokens_) : document_bits;
    if (has_positions) {
      executor_.for_each(tokens_, MakePositionedTermKeys{slots, ranks, low_bits, unsorted});
    } else {
      executor_.for_each(tokens_, MakeTermKeys{slots, ranks, document_of, document_bits, unsorted});
    }
    std::uint64_t* keys = sort_keys(unsorted, {low_bits, low_bits + bits_below(terms.terms)});
    if (has_positions) {
      TokenPlace* const places = at<TokenPlace>(layout_.token_places);
      executor_.for_each(tokens_, FindPlaces{document_of, at<std::uint32_t>(layout_.positions), places});
      executor_.for_each(
          tokens_, ReplaceTokens{keys, low_bits, document_bits, places, at<std::uint32_t>(layout_.ordered_positions)});
    }
    return {keys, document_bits, terms.terms, at<TokenSums>(layout_.token_sums)};
  }

  // The keys are in the order of their low bits already, so a stable sorter needs only the ranks. Returns keys that do
  // not stand where lists will.
  std::uint64_t* sort_keys(std::uint64_t* unsorted, BitRange bits) {
    if (!executor_.sorts_stably()) bits.begin = 0;
    std::uint64_t* sorted = unsorted;
    if (bits.begin != bits.end && tokens_ > 1) {
      sorted = executor_.sort_keys(unsorted, tokens_, bits,
                                   {at<std::uint8_t>(layout_.key_scratch), this->scratch_.record_sort_bytes});
    }
    if (sorted != unsorted) return sorted;
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    executor_.for_each(tokens_, CopyKeys{unsorted, keys});
    return keys;
  }

  SortedKeys sort_tokens(const RawCounts& found) {
    compact_tokens(found);
    executor_.mark(PassMark::kCompacted);
    this->sort_strings(tokens_, found.bytes, this->string_scratch());
    executor_.mark(PassMark::kSorted);
    const std::uint32_t ranks = this->count_terms(tokens_);
    std::uint32_t* const documents = at<std::uint32_t>(layout_.documents);
    executor_.for_each(tokens_, FindDocuments{find_group_documents(), documents});
    const unsigned document_bits = bits_below(packer_.document_count());
    const std::uint32_t* const order = at<std::uint32_t>(layout_.order);
    std::uint64_t* const keys = at<std::uint64_t>(layout_.keys);
    std::uint32_t* const firsts = at<std::uint32_t>(layout_.first_strings);
    executor_.for_each(tokens_, MakeTokenKeys{order, at<std::uint32_t>(layout_.ranks_in_order), documents,
                                              document_bits, keys, firsts});
    if (packer_.size().positions) {
      executor_.for_each(tokens_, GatherPositions{order, at<std::uint32_t>(layout_.positions),
                                                  at<std::uint32_t>(layout_.ordered_positions)});
    }
    this->gather_rank_text(ranks, firsts);
    return {keys, document_bits, ranks, at<TokenSums>(layout_.token_sums)};
  }

  void compact_tokens(const RawCounts& found) {
    std::uint8_t* const text = at<std::uint8_t>(layout_.text);
    executor_.clear(text + found.bytes, kTextPadding);
    executor_.compact(
        {raw_, groups_, at<RawCounts>(layout_.raw_counts), text, at<std::uint64_t>(layout_.string_offsets)});
  }

  DocumentOfToken find_group_documents() {
    const std::uint32_t* const ends = at<std::uint32_t>(layout_.document_ends);
    std::uint32_t* const of_groups = at<std::uint32_t>(layout_.group_documents);
    const std::uint32_t documents = packer_.document_count();
    executor_.for_each(token_groups(tokens_) + 1, FindGroupDocuments{ends, documents, tokens_, of_groups});
    return {ends, of_groups, documents};
  }

  const std::uint32_t tokens_;
  const std::size_t groups_;  // of kRawGroupBytes
  const RawTokens raw_;
  const std::uint32_t slots_;  // of the table of terms
};

}  // namespace spillway
