#include "indexer/block/chunk_sorter.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "indexer/block/chunk_lists.hpp"
#include "indexer/block/in_memory_run.hpp"
#include "indexer/block/run_output.hpp"
#include "indexer/block/terms.hpp"
#include "io/base/stopwatch.hpp"

namespace spillway {

namespace {

constexpr std::size_t kStringsInRange = 16384;

class ChunkBlockSorter final : public BlockSorter {
 public:
  explicit ChunkBlockSorter(const StringSorter& strings) : strings_(strings) {}

  ChunkForm form() const override { return ChunkForm::kPostings; }

  using BlockSorter::extra_bytes;
  std::size_t extra_bytes(const ChunkCounts& counts) const override {
    return BlockTerms::memory_bytes(counts.terms, strings_);
  }

  RunSummary write_run(const Block& block, WritableFile& file, const BlockSortOptions& options, MemoryBudget& budget,
                       BlockSortStats& stats) const override {
    const Stopwatch watch;
    StageSpan span(options.timeline, JobStage::kSort);
    const BlockTerms terms(block, strings_, budget);
    span.end();
    stats.sort_seconds += watch.seconds();
    const ChunkLists chunk_lists(block, terms);
    const std::vector<std::size_t> ranges = terms.ranges(kStringsInRange);
    const auto encode = [&](std::size_t range, PostingsConcatenator& lists) {
      std::vector<ListFragment> fragments;
      const std::size_t end = ranges[range + 1];
      for (std::size_t i = ranges[range]; i < end;) {
        const std::size_t first = i;
        fragments.clear();
        do {
          chunk_lists.prefetch(i, end);
          fragments.push_back(chunk_lists[i]);
        } while (++i < end && !terms.starts_term(i));
        lists.write(terms.text(first), fragments);
      }
    };
    return write_run_output({block, options, most_lists(block).bytes, ranges.size() - 1, encode}, file, stats);
  }

  std::optional<std::size_t> kept_bytes(const Block& block, const BlockSortOptions& options) const override {
    return InMemoryRun::memory_bytes(block, options);
  }

  std::unique_ptr<MergeSource> keep(Block&& block, const BlockSortOptions& options, MemoryBudget& budget,
                                    BlockSortStats& stats) const override {
    const Stopwatch watch;
    const StageSpan span(options.timeline, JobStage::kSort);
    auto kept = std::make_unique<InMemoryRun>(std::move(block), strings_, options, budget);
    stats.sort_seconds += watch.seconds();
    return kept;
  }

 private:
  const StringSorter& strings_;
};

}  // namespace

std::unique_ptr<BlockSorter> make_chunk_block_sorter(const StringSorter& strings) {
  return std::make_unique<ChunkBlockSorter>(strings);
}

}  // namespace spillway
