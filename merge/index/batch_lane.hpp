// What a merge into an index hands to a GPU: batches of whole lists, copied as their fragments stand in the inputs, and
// what comes back: the same lists in the index's format. The threads of the merge find and copy the lists, or say which
// of those are meant that the lanes hold already; a lane does the rest (indexer/gpu/merge).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/checksum/content_checksum.hpp"
#include "io/memory/budget.hpp"
#include "io/postings/list_encoder.hpp"
#include "merge/index/batch_arrays.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/held_lists.hpp"

namespace spillway {

// A list that came back, without its bytes. All 0 where its documents were dropped.
struct MergedList {
  std::uint64_t occurrence_count = 0, position_bytes = 0;
  std::uint32_t document_count = 0, posting_bytes = 0, bound_bytes = 0, unused = 0;
};

// Sums over the postings of a batch, by documents of the source.
struct BatchTotals {
  std::uint64_t low = 0, high = 0, positions = 0;  // of a ContentChecksum
  std::uint64_t dropped_low = 0, dropped_high = 0, dropped_positions = 0, dropped_occurrences = 0;
};

struct MergedBatch {
  std::vector<MergedList> lists;
  ListBatch bytes;  // postings, bounds and positions; without entries and terms
  BatchTotals totals;
};

// An input of a merge, as far as its lists matter.
struct BatchInput {
  std::uint64_t posting_count = 0;
  std::uint32_t base = 0;                     // number, in the source, of its first document
  std::optional<std::uint32_t> cut_document;  // its last document, in the source, where the next input goes on with it
};

// What all batches of a merge share.
struct BatchMergeSource {
  const DroppedDocuments& dropped;
  std::span<const std::uint8_t> length_codes;  // by document of the index
  std::uint64_t document_count = 0;            // of the source
  bool has_positions = false;
  std::vector<BatchInput> inputs = {};
};

// Used by one thread.
class BatchLane {
 public:
  virtual ~BatchLane() = default;
  virtual BatchArrays arrays() = 0;
  // Merges what stands at the begin of the arrays, and leaves it as it is. Returns false, with `merged` undefined,
  // where the fragments contradict what is said of them. GpuError.
  virtual bool merge(const BatchSize& size, MergedBatch& merged) = 0;
  // Merges lists [begin, end) of BatchLanes::held(), which must fit its arrays; their content is lost. Returns as
  // merge().
  virtual bool merge_held(const HeldLists&, std::size_t /*begin*/, std::size_t /*end*/, MergedBatch&) { return false; }
};

// A lane that threads take by turns, for lists that exceed the batches of theirs.
struct LargeLane {
  std::mutex mutex;  // of the turn; no thread waits for another while it has it
  std::unique_ptr<BatchLane> lane;
  MemoryBudget* budget = nullptr;  // of what comes back, which waits for its range after the turn
  // Changes during a turn. A thread that has set it to false keeps the memory of the lane, until it sets it to true.
  std::atomic<bool> is_free = true;
};

class BatchLanes {
 public:
  virtual ~BatchLanes() = default;
  // Memory that is counted for written batches, which lanes use again.
  virtual std::size_t used_bytes() const noexcept { return 0; }
  // Called once, before take(). What `source` refers to lives longer than the lanes. GpuError.
  virtual void begin(const BatchMergeSource& source) = 0;
  // Returns a lane, or nullptr where none is left. May wait for lanes that are being made. Thread-safe.
  virtual std::unique_ptr<BatchLane> take() noexcept = 0;
  // The lists of all inputs, if the lanes hold them; else nullptr. Called after take() has given a lane. Thread-safe.
  virtual const HeldLists* held() noexcept { return nullptr; }
  // Whether held() are lists that nothing else has: then a thread without a lane should not merge, because all of them
  // would be brought to the host for it. Called after take(). Thread-safe.
  virtual bool hold_alone() noexcept { return false; }
  // The host memory that held() takes; 0: nothing is held.
  virtual std::size_t order_bytes() const noexcept { return 0; }
  // Makes the large lane, if there is to be one, while others are used already. Throws nothing.
  virtual void make_large() noexcept {}
  // Returns it, or nullptr where there is none. May wait until it is made. It lives until end(). Called after take()
  // has given a lane. Thread-safe.
  virtual LargeLane* large() noexcept { return nullptr; }
  // Tells why a lane cannot go on; the processor then merges what is left for it. Thread-safe.
  virtual void fail(const std::string& why) noexcept = 0;
  // The last range has begun, so few batches follow. May be called more than once, and by any thread.
  virtual void expect_end() noexcept {}
  // Called after the last lane is gone.
  virtual void end() noexcept {}
};

}  // namespace spillway
