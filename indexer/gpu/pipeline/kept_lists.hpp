// The lists of a block as a GPU encoded them, kept in memory as a source of the merge: the merge reads them in place,
// so that no processor writes them as a run first. They take more memory than the run would: for each term 40 bytes
// besides its text, which a run stores without the part that it shares with the term before.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "indexer/block/block.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/device_lists.hpp"
#include "indexer/gpu/pipeline/encoded_run.hpp"
#include "indexer/run/merge_source.hpp"

namespace spillway {

class KeptLists final : public MergeSource {
 public:
  // Returns the bytes that it takes from the budget. Empty where the block must become a run: where texts are stored,
  // which would be held twice, or where a fragment with positions is too large to be decoded at once. Checks that lists
  // and terms lie within their arrays, and throws GpuError where they do not. O(terms), parallel inside the calling
  // thread's TBB arena.
  static std::optional<std::size_t> memory_bytes(const Block& block, const EncodedLists& lists,
                                                 const BlockSortOptions& options);

  // Copies the lists and the documents of the block, which may go afterwards; `on_gpu`: the same lists there, if they
  // stay. Parallel inside the calling thread's TBB arena. BudgetError where the budget lacks memory_bytes(), which must
  // not be empty.
  KeptLists(const Block& block, const EncodedLists& lists, const BlockSortOptions& options, MemoryBudget& budget,
            std::optional<DeviceLists> on_gpu = {});
  ~KeptLists() override;

  const MergeInput& open(unsigned cursors) override;
  void close() override {}
  std::size_t cursor_bytes() const override;
  std::size_t open_bytes() const override { return open_bytes_; }
  std::size_t documents_bytes(unsigned) const override { return 0; }
  // Gives the lists on the GPU away, once.
  std::optional<DeviceLists> take_device_lists() { return std::exchange(on_gpu_, std::nullopt); }

 private:
  class Terms;
  class Input;
  void choose_samples();

  EncodedLists lists_;  // with their memory, which has the documents, too
  const std::size_t entry_bytes_;
  Block documents_;  // chunks without terms
  const RunIdentity identity_;
  std::vector<TermSample> samples_;
  std::size_t open_bytes_ = 0;
  std::unique_ptr<Input> input_;
  std::optional<DeviceLists> on_gpu_;
};

}  // namespace spillway
