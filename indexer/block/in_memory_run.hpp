// A sorted block that stays in memory as a source of the merge: the lists of its chunks are merged in place, and never
// become a run in a file.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "indexer/block/chunk_lists.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/block/terms.hpp"
#include "indexer/run/merge_source.hpp"
#include "merge/input/run.hpp"

namespace spillway {

// Holds chunks of ChunkForm::kPostings.
class InMemoryRun final : public MergeSource {
 public:
  // The most bytes that it holds. Empty where the block must become a run in a file: where texts are stored, which
  // would be held twice, or where a list is too large to be decoded at once.
  static std::optional<std::size_t> memory_bytes(const Block& block, const BlockSortOptions& options);

  // Sorts in parallel in the calling thread's TBB arena. Requires: memory_bytes() is not empty.
  InMemoryRun(Block&& block, const StringSorter& strings, const BlockSortOptions& options, MemoryBudget& budget);
  ~InMemoryRun() override;

  const MergeInput& open(unsigned cursors) override;
  void close() override {}
  std::size_t cursor_bytes() const override;
  std::size_t open_bytes() const override { return open_bytes_; }
  std::size_t documents_bytes(unsigned) const override { return 0; }

 private:
  class Terms;
  class Input;
  void choose_samples();

  const Block block_;
  const BlockTerms terms_;
  const ChunkLists lists_;
  const std::size_t entry_bytes_;  // the most bytes of the fragments of one RunEntry
  const RunIdentity identity_;
  std::vector<TermSample> samples_;
  std::size_t open_bytes_ = 0;
  std::unique_ptr<Input> input_;
};

}  // namespace spillway
