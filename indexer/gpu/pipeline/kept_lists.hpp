// The lists of a block as a GPU encoded them, kept in memory as a source of the merge: the merge reads them in place,
// so that no processor writes them as a run first. They take more memory than the run would: for each term 40 bytes
// besides its text, which a run stores without the part that it shares with the term before. Lists that stay on the GPU
// come to the host only if the merge reads them there; their memory is paid for, but not touched until then.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "indexer/block/block.hpp"
#include "indexer/block/sorter.hpp"
#include "indexer/gpu/pipeline/device_lists.hpp"
#include "indexer/gpu/pipeline/encoded_run.hpp"
#include "indexer/gpu/pipeline/staying_lists.hpp"
#include "indexer/run/merge_source.hpp"
#include "sort/gpu/device/error.hpp"

namespace spillway {

// Lists that only a GPU had cannot be brought down. What was parsed is lost with them.
struct ListsLostError : GpuError {
  explicit ListsLostError(const std::string& message) : GpuError(message, true) {}
};

class KeptLists final : public MergeSource {
 public:
  // Returns the bytes that it takes from the budget. Empty where the block must become a run: where texts are stored,
  // which would be held twice, or where a fragment with positions is too large to be decoded at once. Checks that lists
  // and terms lie within their arrays, and throws GpuError where they do not. O(terms), parallel inside the calling
  // thread's TBB arena.
  static std::optional<std::size_t> memory_bytes(const Block& block, const EncodedLists& lists,
                                                 const BlockSortOptions& options);
  // The same; the lists are checked when they are brought down.
  static std::optional<std::size_t> memory_bytes(const Block& block, const StayingLists& lists,
                                                 const BlockSortOptions& options);

  // Copies the lists and the documents of the block, which may go afterwards; `on_gpu`: the same lists there, if they
  // stay. Parallel inside the calling thread's TBB arena. BudgetError where the budget lacks memory_bytes(), which must
  // not be empty.
  KeptLists(const Block& block, const EncodedLists& lists, const BlockSortOptions& options, MemoryBudget& budget,
            std::optional<DeviceLists> on_gpu = {});
  // The same for lists that the host has no copy of.
  KeptLists(const Block& block, StayingLists&& lists, const BlockSortOptions& options, MemoryBudget& budget);
  ~KeptLists() override;

  const MergeInput& open(unsigned cursors) override;
  void close() override {}
  std::size_t cursor_bytes() const override;
  std::size_t open_bytes() const override;
  std::size_t documents_bytes(unsigned) const override { return 0; }
  bool is_elsewhere() const override { return !is_on_host_; }
  // Gives the lists on the GPU away, once; a copy, where the host has none.
  std::optional<DeviceLists> take_device_lists();
  bool is_on_host() const { return is_on_host_; }
  // Copies lists that stay on the GPU to the host, where cursors need them; `staging` as of DeviceLists::bring_down.
  // Thread-safe. ListsLostError.
  void bring_down(std::span<std::uint8_t> staging = {});
  // Cursors call `bring_all` first, which calls bring_down() of this and of others: a thread that reads one block will
  // read all of them.
  void bring_with(std::function<void()> bring_all) { bring_all_ = std::move(bring_all); }
  // Requires: the lists are on the host, or no cursor will need them.
  void drop_device_lists() { on_gpu_.reset(); }

 private:
  class Terms;
  class Input;
  struct Size {
    std::size_t bytes, fragments, most_fragment_bytes;
  };
  static std::optional<std::size_t> memory_bytes(const Block& block, const Size& size, const BlockSortOptions& options);
  std::uint8_t* take_memory(const Block& block, std::size_t list_bytes, MemoryBudget& budget);
  void bring_for_cursor();
  void take_documents(const Block& block, ArrayWriter& to, const ContentChecksum& list_sum);

  Buffer memory_;  // of lists and documents
  EncodedLists lists_;
  const std::size_t entry_bytes_;
  Block documents_;  // chunks without terms
  const RunIdentity identity_;
  std::vector<TermSample> samples_;
  std::unique_ptr<Input> input_;
  std::optional<DeviceLists> on_gpu_;
  std::atomic<bool> is_on_host_ = true;
  std::mutex bringing_;
  std::function<void()> bring_all_;
};

}  // namespace spillway
