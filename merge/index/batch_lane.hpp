// What a merge into an index hands to a GPU: batches of whole lists, copied as their fragments stand in the inputs, and
// what comes back: the same lists in the index's format. The threads of the merge find and copy the lists; a lane does
// the rest (indexer/gpu/merge).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/checksum/content_checksum.hpp"
#include "io/memory/budget.hpp"
#include "io/postings/list_encoder.hpp"
#include "merge/index/dropped_documents.hpp"

namespace spillway {

// A fragment of a list. Lists and their fragments stand in order. One more fragment, after the last, has the totals.
struct BatchFragment {
  static constexpr std::uint32_t kStartsList = 1;
  static constexpr std::uint32_t kMayGoOn = 2;  // the first document may be the last one of the fragment before

  std::uint32_t first_byte = 0, first_distance_byte = 0;  // of its postings, and of its distances
  std::uint32_t first_posting = 0, first_occurrence = 0;
  std::uint32_t base = 0;           // in the source: the first gap counts from it
  std::uint32_t last_document = 0;  // in the source
  std::uint32_t list = 0;
  std::uint32_t flags = 0;
};

// One more list, after the last, has the number of fragments.
struct BatchList {
  std::uint64_t hash[2] = {0, 0};  // hash_term()
  std::uint32_t first_fragment = 0, unused = 0;
};

// Memory of a lane that batches are collected in. `starts` has a bit for each byte of `postings`: a fragment begins
// there.
struct BatchArrays {
  std::span<std::uint8_t> postings, distances;
  std::span<std::uint64_t> starts;
  std::span<BatchFragment> fragments;
  std::span<BatchList> lists;
};

struct BatchSize {
  std::uint32_t posting_bytes = 0, distance_bytes = 0, lists = 0, fragments = 0, postings = 0, occurrences = 0;
};

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

// What all batches of a merge share.
struct BatchMergeSource {
  const DroppedDocuments& dropped;
  std::span<const std::uint8_t> length_codes;  // by document of the index
  std::uint64_t document_count = 0;            // of the source
  bool has_positions = false;
};

// Used by one thread.
class BatchLane {
 public:
  virtual ~BatchLane() = default;
  virtual BatchArrays arrays() = 0;
  // Merges what stands at the begin of the arrays, and leaves it as it is. Returns false, with `merged` undefined,
  // where the fragments contradict what is said of them. GpuError.
  virtual bool merge(const BatchSize& size, MergedBatch& merged) = 0;
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
  // Makes the large lane, if there is to be one, while others are used already. Throws nothing.
  virtual void make_large() noexcept {}
  // Returns it, or nullptr where it is not there. It lives until end(). Thread-safe.
  virtual LargeLane* large() noexcept { return nullptr; }
  // Tells why a lane cannot go on; the processor then merges what is left for it. Thread-safe.
  virtual void fail(const std::string& why) noexcept = 0;
  // The last range has begun, so few batches follow. May be called more than once, and by any thread.
  virtual void expect_end() noexcept {}
  // Called after the last lane is gone.
  virtual void end() noexcept {}
};

}  // namespace spillway
