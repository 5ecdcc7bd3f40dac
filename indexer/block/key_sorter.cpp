#include "indexer/block/key_sorter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "indexer/block/occurrence_places.hpp"
#include "indexer/block/run_output.hpp"
#include "indexer/block/terms.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// The dense rank of each (chunk, term), and each rank's first string in the order of the terms.
class Ranks {
 public:
  Ranks(const BlockTerms& terms, MemoryBudget& budget)
      : terms_(terms),
        memory_(budget, terms.size() * sizeof(std::uint32_t), "the ranks of a block's terms"),
        of_string_(memory_.as<std::uint32_t>()) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms.starts_term(i)) first_in_order_.push_back(i);
      of_string_[terms.first_string(terms.chunk(i)) + terms.term(i)] =
          static_cast<std::uint32_t>(first_in_order_.size() - 1);
    }
  }

  std::size_t count() const { return first_in_order_.size(); }
  const std::uint32_t* of_chunk(std::size_t chunk) const { return of_string_.data() + terms_.first_string(chunk); }
  std::string_view term(std::uint64_t rank) const { return terms_.text(first_in_order_[rank]); }

 private:
  const BlockTerms& terms_;
  Buffer memory_;
  std::span<std::uint32_t> of_string_;  // by BlockTerms::first_string(chunk) + term
  std::vector<std::size_t> first_in_order_;
};

unsigned bits_for(std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count == 0 ? 0 : count - 1)); }

void append_varint(std::uint64_t value, std::vector<std::uint8_t>& to) {
  std::uint8_t bytes[kMaxVarintBytes];
  to.insert(to.end(), bytes, write_varint(bytes, value));
}

void append_posting(std::uint32_t gap, std::uint64_t frequency, std::vector<std::uint8_t>& to) {
  std::uint8_t bytes[2 * kMaxVarintBytes];
  std::uint8_t* end = write_varint(bytes, std::uint64_t{gap} << 1 | (frequency == 1 ? 1 : 0));
  if (frequency != 1) end = write_varint(end, frequency);
  to.insert(to.end(), bytes, end);
}

// Makes the list of one term from the ascending numbers of its occurrences. Writes it in fragments, which may end
// within a posting.
class PositionedList {
 public:
  PositionedList(std::string_view term, const OccurrencePlaces& places, PostingsConcatenator& lists)
      : term_(term), places_(places), lists_(lists) {}

  void add(std::uint64_t occurrence) {
    if (frequency_ != 0 && occurrence >= places_.document_end()) end_posting();
    if (frequency_ == 0) {
      document_ = places_.document(occurrence);
      last_position_ = 0;
    }
    const std::uint32_t position = places_.position(occurrence);
    append_varint(position - last_position_, positions_);
    last_position_ = position;
    ++frequency_;
    if (fragment_.occurrence_count + frequency_ == kFragmentOccurrences) finish();
  }

  void finish() {
    if (frequency_ != 0) end_posting();
    if (fragment_.document_count == 0) return;
    fragment_.postings = postings_;
    fragment_.positions = positions_;
    std::vector<ListFragment> fragments{fragment_};
    lists_.write(term_, fragments);
    fragment_ = {};
    postings_.clear();
    positions_.clear();
  }

 private:
  void end_posting() {
    append_posting(document_ - fragment_.last_document, frequency_, postings_);
    ++fragment_.document_count;
    fragment_.occurrence_count += frequency_;
    fragment_.last_document = document_;
    frequency_ = 0;
  }

  std::string_view term_;
  OccurrencePlaces::Ascending places_;
  PostingsConcatenator& lists_;
  ListFragment fragment_;
  std::vector<std::uint8_t> postings_, positions_;
  std::uint32_t document_ = 0, last_position_ = 0;
  std::uint64_t frequency_ = 0;  // of the posting that is open, if any
};

class KeyBlockSorter final : public BlockSorter {
 public:
  KeyBlockSorter(const RecordSorter& records, const StringSorter& strings) : records_(records), strings_(strings) {}

  ChunkForm form() const override { return ChunkForm::kTables; }

  using BlockSorter::extra_bytes;
  std::size_t extra_bytes(const ChunkCounts& counts) const override {
    constexpr std::size_t kRankBytes = sizeof(std::uint32_t) + sizeof(std::size_t);
    return BlockTerms::memory_bytes(counts.terms, strings_) + kRankBytes * counts.terms +
           OccurrencePlaces::memory_bytes(counts.documents) + sizeof(std::uint64_t) * counts.occurrences +
           records_.scratch_bytes(counts.occurrences, {0, 64});
  }

  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options, MemoryBudget& budget,
                       BlockSortStats& stats) const override {
    const Stopwatch watch;
    StageSpan span(options.timeline, JobStage::kSort);
    const BlockTerms terms(block, strings_, budget);
    const Ranks ranks(terms, budget);
    const std::vector<std::uint32_t> bases = chunk_bases(block);
    std::optional<OccurrencePlaces> places;
    if (options.positions == Positions::kStored) places.emplace(block, bases, budget);
    const unsigned low_bits = bits_for(places ? places->count() : bases.back());
    const unsigned all_bits = low_bits + bits_for(ranks.count());
    if (all_bits > 64) throw BudgetError("a block's keys need more than 64 bits; lower --block-bytes or --memory");
    Buffer keys_memory = make_keys(block, places ? nullptr : bases.data(), ranks, low_bits, budget);
    const std::span<std::uint64_t> keys = keys_memory.as<std::uint64_t>();
    sort_keys(keys, low_bits, all_bits, budget);
    span.end();
    stats.sort_seconds += watch.seconds();
    const std::size_t occurrences = range_occurrences(keys.size());
    const auto encode = [&](std::size_t range, PostingsConcatenator& lists) {
      const Keys end = first_list(keys, low_bits, (range + 1) * occurrences);
      for (Keys at = first_list(keys, low_bits, range * occurrences); at != end;) {
        const std::string_view term = ranks.term(*at >> low_bits);
        at = places ? encode_positioned(PositionedList(term, *places, lists), low_bits, at, end)
                    : encode_folded(term, low_bits, at, end, lists);
      }
    };
    return write_run_output({block, options, most_lists(block).bytes, range_count_of(keys.size(), occurrences), encode},
                            file, stats);
  }

 private:
  using Keys = std::span<std::uint64_t>::iterator;

  // Returns where the first list begins that begins at sorted key number `key` or after it.
  static Keys first_list(std::span<std::uint64_t> keys, unsigned low_bits, std::size_t key) {
    if (key == 0 || key >= keys.size()) return key == 0 ? keys.begin() : keys.end();
    const std::uint64_t before = keys[key - 1] >> low_bits;
    return std::partition_point(keys.begin() + static_cast<std::ptrdiff_t>(key), keys.end(),
                                [&](std::uint64_t at) { return at >> low_bits == before; });
  }

  // A key of each occurrence: its rank above its document, or, without `bases`, above its number in the block.
  static Buffer make_keys(const Block& block, const std::uint32_t* bases, const Ranks& ranks, unsigned low_bits,
                          MemoryBudget& budget) {
    std::vector<std::size_t> first_key;
    std::size_t count = 0;
    for (const ParsedChunk& chunk : block.chunks) {
      first_key.push_back(count);
      count += chunk.table().occurrences.size();
    }
    Buffer memory(budget, count * sizeof(std::uint64_t), "the occurrences of a block");
    const std::span<std::uint64_t> keys = memory.as<std::uint64_t>();
    tbb::parallel_for(std::size_t{0}, block.chunks.size(), [&](std::size_t c) {
      const ChunkTable& chunk = block.chunks[c].table();
      const std::uint32_t* const rank = ranks.of_chunk(c);
      std::size_t number = first_key[c];
      if (bases == nullptr) {
        for (const std::uint32_t term : chunk.occurrences) {
          keys[number] = std::uint64_t{rank[term]} << low_bits | number;
          ++number;
        }
        return;
      }
      const std::uint32_t* occurrence = chunk.occurrences.data();
      for (std::uint32_t d = 0; d < chunk.lengths.size(); ++d) {
        for (std::uint32_t i = 0; i < chunk.lengths[d]; ++i) {
          keys[number++] = std::uint64_t{rank[*occurrence++]} << low_bits | (bases[c] + d);
        }
      }
    });
    return memory;
  }

  // The stream is in document order, so a stable sorter needs the ranks only.
  void sort_keys(std::span<std::uint64_t> keys, unsigned document_bits, unsigned all_bits, MemoryBudget& budget) const {
    const BitRange bits{records_.stable() ? document_bits : 0, all_bits};
    if (bits.begin == bits.end) return;
    Buffer scratch(budget, records_.scratch_bytes(keys.size(), bits), "the sort of a block's occurrences");
    records_.sort(keys, bits, scratch.span());
  }

  // Both encode the list of the key at `at`, and return the first key of the next term.
  static Keys encode_positioned(PositionedList list, unsigned low_bits, Keys at, Keys end) {
    const std::uint64_t rank = *at >> low_bits, mask = (std::uint64_t{1} << low_bits) - 1;
    for (; at != end && *at >> low_bits == rank; ++at) list.add(*at & mask);
    list.finish();
    return at;
  }
  static Keys encode_folded(std::string_view term, unsigned low_bits, Keys at, Keys end, PostingsConcatenator& lists) {
    std::vector<std::uint8_t> bytes;
    ListFragment fragment;
    const std::uint64_t rank = *at >> low_bits, mask = (std::uint64_t{1} << low_bits) - 1;
    while (at != end && *at >> low_bits == rank) {
      const auto document = static_cast<std::uint32_t>(*at & mask);
      const Keys first = at;
      while (at != end && *at == *first) ++at;
      const auto frequency = static_cast<std::uint64_t>(at - first);
      append_posting(document - fragment.last_document, frequency, bytes);
      ++fragment.document_count;
      fragment.occurrence_count += frequency;
      fragment.last_document = document;
    }
    fragment.postings = bytes;
    std::vector<ListFragment> fragments{fragment};
    lists.write(term, fragments);
    return at;
  }

  const RecordSorter& records_;
  const StringSorter& strings_;
};

}  // namespace

std::unique_ptr<BlockSorter> make_key_block_sorter(const RecordSorter& records, const StringSorter& strings) {
  return std::make_unique<KeyBlockSorter>(records, strings);
}

}  // namespace spillway
