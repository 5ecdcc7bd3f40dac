#include "indexer/block/key_sorter.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "indexer/block/occurrence_places.hpp"
#include "indexer/block/run_output.hpp"
#include "indexer/block/terms.hpp"
#include "io/base/error.hpp"
#include "io/base/stopwatch.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// Dense rank by (chunk, term), and where each rank's first string stands in the order.
struct Ranks {
  Buffer memory;
  std::span<std::uint32_t> of_string;       // by BlockTerms::first_string(chunk) + term
  std::vector<std::size_t> first_in_order;  // by rank

  Ranks(const BlockTerms& terms, MemoryBudget& budget)
      : memory(budget, terms.size() * sizeof(std::uint32_t), "the ranks of a block's terms"),
        of_string(memory.as<std::uint32_t>()) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms.starts_term(i)) first_in_order.push_back(i);
      of_string[terms.first_string(terms.chunk(i)) + terms.term(i)] =
          static_cast<std::uint32_t>(first_in_order.size() - 1);
    }
  }
};

unsigned bits_for(std::uint64_t count) { return static_cast<unsigned>(std::bit_width(count == 0 ? 0 : count - 1)); }

// The list of one term, from the numbers of its occurrences, which ascend: written in stretches, of which one may end
// inside a posting.
class PositionedList {
 public:
  PositionedList(std::string_view term, const OccurrencePlaces& places, PostingsConcatenator& joiner)
      : term_(term), places_(places), joiner_(joiner) {}

  void add(std::uint64_t occurrence) {
    if (frequency_ != 0 && occurrence >= places_.document_end()) end_posting();
    if (frequency_ == 0) {
      document_ = places_.document(occurrence);
      last_position_ = 0;
    }
    const std::uint32_t position = places_.position(occurrence);
    append(positions_, position - last_position_);
    last_position_ = position;
    ++frequency_;
    if (part_.occurrence_count + frequency_ == kStretchOccurrences) finish();
  }

  void finish() {
    if (frequency_ != 0) end_posting();
    if (part_.document_count == 0) return;
    part_.postings = postings_;
    part_.positions = positions_;
    std::vector<ListFragment> parts{part_};
    joiner_.write(term_, parts);
    part_ = {};
    postings_.clear();
    positions_.clear();
  }

 private:
  static void append(std::vector<std::uint8_t>& to, std::uint64_t value) {
    std::uint8_t bytes[kMaxVarintBytes];
    to.insert(to.end(), bytes, write_varint(bytes, value));
  }

  void end_posting() {
    append(postings_, std::uint64_t{document_ - part_.last_document} << 1 | (frequency_ == 1 ? 1 : 0));
    if (frequency_ != 1) append(postings_, frequency_);
    ++part_.document_count;
    part_.occurrence_count += frequency_;
    part_.last_document = document_;
    frequency_ = 0;
  }

  std::string_view term_;
  OccurrencePlaces::Ascending places_;
  PostingsConcatenator& joiner_;
  ListFragment part_;
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
    const BlockTerms terms(block, strings_, budget);
    if (options.positions == Positions::kStored) return write_positioned(block, terms, file, options, budget, stats);
    const Ranks ranks(terms, budget);
    const std::vector<std::uint32_t> bases = chunk_bases(block);
    const unsigned document_bits = bits_for(bases.back());
    const unsigned rank_bits = bits_for(ranks.first_in_order.size());
    if (document_bits + rank_bits > 64) {
      throw BudgetError("a block's keys need more than 64 bits; lower --block-bytes or --memory");
    }
    Buffer keys_memory = make_keys(block, terms, ranks, bases, document_bits, budget);
    const std::span<std::uint64_t> keys = keys_memory.as<std::uint64_t>();
    sort_keys(keys, document_bits, document_bits + rank_bits, budget);
    stats.sort_seconds += watch.seconds();
    const std::size_t occurrences = range_occurrences(keys.size());
    const auto encode = [&](std::size_t range, PostingsConcatenator& joiner) {
      const Keys end = first_list(keys, document_bits, (range + 1) * occurrences);
      for (Keys at = first_list(keys, document_bits, range * occurrences); at != end;) {
        const std::uint64_t rank = *at >> document_bits;
        at = encode_term(terms.text(ranks.first_in_order[rank]), rank, document_bits, at, keys.end(), joiner);
      }
    };
    return write_run_output({block, options, most_lists(block).bytes, range_count_of(keys.size(), occurrences), encode},
                            file, stats);
  }

 private:
  using Keys = std::span<std::uint64_t>::iterator;

  // Of sorted keys: where the first list begins that begins at `key` or behind it.
  static Keys first_list(std::span<std::uint64_t> keys, unsigned low_bits, std::size_t key) {
    if (key == 0 || key >= keys.size()) return key == 0 ? keys.begin() : keys.end();
    const std::uint64_t before = keys[key - 1] >> low_bits;
    return std::partition_point(keys.begin() + static_cast<std::ptrdiff_t>(key), keys.end(),
                                [&](std::uint64_t at) { return at >> low_bits == before; });
  }

  RunSummary write_positioned(const Block& block, const BlockTerms& terms, WritableFile& file,
                              const BlockSortOptions& options, MemoryBudget& budget, BlockSortStats& stats) const {
    const Stopwatch watch;
    const Ranks ranks(terms, budget);
    const OccurrencePlaces places(block, chunk_bases(block), budget);
    const unsigned occurrence_bits = bits_for(places.count());
    Buffer keys_memory(budget, places.count() * sizeof(std::uint64_t), "the occurrences of a block");
    const std::span<std::uint64_t> keys = keys_memory.as<std::uint64_t>();
    tbb::parallel_for(std::size_t{0}, block.chunks.size(), [&](std::size_t c) {
      const std::uint32_t* rank = ranks.of_string.data() + terms.first_string(c);
      std::uint64_t occurrence = places.first_of_chunk(c);
      for (const std::uint32_t term : block.chunks[c].table().occurrences) {
        keys[occurrence] = std::uint64_t{rank[term]} << occurrence_bits | occurrence;
        ++occurrence;
      }
    });
    sort_keys(keys, occurrence_bits, occurrence_bits + bits_for(ranks.first_in_order.size()), budget);
    stats.sort_seconds += watch.seconds();
    const std::uint64_t mask = (std::uint64_t{1} << occurrence_bits) - 1;
    const std::size_t occurrences = range_occurrences(keys.size());
    const auto encode = [&](std::size_t range, PostingsConcatenator& joiner) {
      const Keys end = first_list(keys, occurrence_bits, (range + 1) * occurrences);
      for (Keys at = first_list(keys, occurrence_bits, range * occurrences); at != end;) {
        const std::uint64_t rank = *at >> occurrence_bits;
        PositionedList list(terms.text(ranks.first_in_order[rank]), places, joiner);
        for (; at != end && *at >> occurrence_bits == rank; ++at) list.add(*at & mask);
        list.finish();
      }
    };
    return write_run_output({block, options, most_lists(block).bytes, range_count_of(keys.size(), occurrences), encode},
                            file, stats);
  }

  static Buffer make_keys(const Block& block, const BlockTerms& terms, const Ranks& ranks,
                          const std::vector<std::uint32_t>& bases, unsigned document_bits, MemoryBudget& budget) {
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
      const std::uint32_t* rank = ranks.of_string.data() + terms.first_string(c);
      const std::uint32_t* occurrence = chunk.occurrences.data();
      std::uint64_t* key = keys.data() + first_key[c];
      for (std::uint32_t d = 0; d < chunk.lengths.size(); ++d) {
        for (std::uint32_t i = 0; i < chunk.lengths[d]; ++i) {
          *key++ = std::uint64_t{rank[*occurrence++]} << document_bits | (bases[c] + d);
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

  // Folds the keys of one term into postings, in stretches that fit a run's blocks.
  static Keys encode_term(std::string_view term, std::uint64_t rank, unsigned document_bits, Keys at, Keys end,
                          PostingsConcatenator& joiner) {
    std::vector<std::uint8_t> bytes;
    ListFragment part;
    std::uint32_t previous = 0;
    const std::uint64_t mask = (std::uint64_t{1} << document_bits) - 1;
    while (at != end && *at >> document_bits == rank) {
      const auto document = static_cast<std::uint32_t>(*at & mask);
      const Keys first = at;
      while (at != end && *at == *first) ++at;
      const auto frequency = static_cast<std::uint64_t>(at - first);
      std::uint8_t posting[2 * kMaxVarintBytes];
      std::uint8_t* to = write_varint(posting, std::uint64_t{document - previous} << 1 | (frequency == 1 ? 1 : 0));
      if (frequency != 1) to = write_varint(to, frequency);
      bytes.insert(bytes.end(), posting, to);
      ++part.document_count;
      part.occurrence_count += frequency;
      previous = document;
    }
    part.postings = bytes;
    part.last_document = previous;
    std::vector<ListFragment> parts{part};
    if (part.document_count != 0) joiner.write(term, parts);
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
