// `cpu-chunk` (design, decision 3): chunks were inverted while in cache, so sorting a block is unifying terms and
// joining the chunks' lists.
#include <vector>

#include "indexer/block_sorter.hpp"
#include "indexer/block_terms.hpp"
#include "indexer/run_output.hpp"
#include "indexer/stopwatch.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStringsInRange = 16384;

class ChunkBlockSorter final : public BlockSorter {
 public:
  explicit ChunkBlockSorter(const StringSorter& strings) : strings_(strings) {}

  ChunkForm form() const override { return ChunkForm::kPostings; }

  std::size_t extra_bytes(const ParsedChunk& chunk) const override {
    return BlockTerms::memory_bytes(chunk.terms.size(), strings_);
  }

  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options, MemoryBudget& budget,
                       BlockSortFigures& figures) const override {
    const Stopwatch watch;
    const BlockTerms terms(block, strings_, budget);
    figures.sort_seconds += watch.seconds();
    const std::vector<std::uint32_t> bases = chunk_bases(block);
    const std::vector<std::size_t> ranges = terms.ranges(kStringsInRange);
    const auto encode = [&](std::size_t range, ListJoiner& joiner) {
      std::vector<ListPart> parts;
      const std::size_t end = ranges[range + 1];
      for (std::size_t i = ranges[range]; i < end;) {
        const std::size_t first = i;
        parts.clear();
        do {
          prefetch(block, terms, i, end);
          parts.push_back(part_of(block, bases, terms.chunk(i), terms.term(i)));
        } while (++i < end && !terms.starts_term(i));
        joiner.write(terms.text(first), parts);
      }
    };
    return write_run_output({block, options, ranges.size() - 1, encode}, file, figures);
  }

 private:
  // Strings in order stand in any chunk: what they need is asked for in two steps, each of which needs the one before.
  static void prefetch(const Block& block, const BlockTerms& terms, std::size_t i, std::size_t end) {
    constexpr std::size_t kStep = 8;
    if (i + 2 * kStep < end) {
      const std::size_t next = i + 2 * kStep;
      __builtin_prefetch(&block.chunks[terms.chunk(next)].terms[terms.term(next)]);
    }
    if (i + kStep < end) {
      const std::size_t next = i + kStep;
      const ParsedChunk& chunk = block.chunks[terms.chunk(next)];
      __builtin_prefetch(chunk.postings.data() + chunk.terms[terms.term(next)].posting_offset);
      if (!chunk.distance_parts.empty()) {
        __builtin_prefetch(chunk.distances.data() + chunk.distance_parts[terms.term(next)].offset);
      }
    }
  }

  static ListPart part_of(const Block& block, const std::vector<std::uint32_t>& bases, std::uint32_t chunk_number,
                          std::uint32_t term_number) {
    const ParsedChunk& chunk = block.chunks[chunk_number];
    const ChunkTerm& term = chunk.terms[term_number];
    ListPart part;
    part.postings = chunk.postings.subspan(term.posting_offset, term.posting_bytes);
    if (!chunk.distance_parts.empty()) {
      const PositionPart& positions = chunk.distance_parts[term_number];
      part.positions = chunk.distances.subspan(positions.offset, positions.bytes);
    }
    part.document_count = term.document_count;
    part.occurrence_count = term.occurrence_count;
    part.base = bases[chunk_number];
    part.last_document = part.base + term.last_document;
    return part;
  }

  const StringSorter& strings_;
};

}  // namespace

std::unique_ptr<BlockSorter> make_chunk_block_sorter(const StringSorter& strings) {
  return std::make_unique<ChunkBlockSorter>(strings);
}

std::size_t run_bytes_bound(const Block& block, std::size_t run_block_bytes) {
  constexpr std::size_t kEntryHead = 32;
  std::size_t bytes = 4096;
  for (const ParsedChunk& chunk : block.chunks) {
    bytes += chunk.text.size() + chunk.postings.size() + chunk.documents.size() + chunk.open_strings.size() +
             chunk.texts.size() + kEntryHead * chunk.terms.size() + 3 * chunk.occurrences.size() +
             chunk.distances.size() + 5 * chunk.positions.size();
  }
  // Blocks may end early, by a fraction, and the footer holds samples.
  return bytes + bytes / 8 + 2 * run_block_bytes + kMaxTermSamples * (kSampleTermBytes + 24);
}

}  // namespace spillway
