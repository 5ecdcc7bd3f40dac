// A block whose terms are sorted, as a source of the merge: while the lists of its chunks stay in memory, they are
// merged from where they stand and never become a run.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "indexer/block/sorter.hpp"
#include "indexer/block/terms.hpp"
#include "indexer/run/merge_source.hpp"
#include "merge/input/run.hpp"

namespace spillway {

// Of inverted chunks (ChunkForm::kPostings).
class InMemoryRun final : public MergeSource {
 public:
  // Memory that it holds at most; nothing where it has to become a run: with texts (which would be held twice), or with
  // a list too large to be decoded at once.
  static std::optional<std::size_t> memory_bytes(const Block& block, const BlockSortOptions& options);

  // Sorts in parallel inside the calling thread's TBB arena. Requires: memory_bytes().
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
  const std::vector<std::uint32_t> bases_;
  const BlockTerms terms_;
  const std::size_t piece_bytes_;  // of the parts of a piece together, at most
  const RunIdentity identity_;
  std::vector<TermSample> samples_;
  std::size_t open_bytes_ = 0;
  std::unique_ptr<Input> input_;
};

}  // namespace spillway
