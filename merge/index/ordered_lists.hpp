// The OrderedRanges of a merge into an index: hands batches of encoded lists to the index writer, and gives the memory
// of written batches back to the threads that encode.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "io/index/writer.hpp"
#include "io/memory/budget.hpp"
#include "merge/cursor/ordered_ranges.hpp"

namespace spillway {

// A batch, and memory that is taken for it until it is written, besides that of the thread.
struct CountedBatch {
  ListBatch lists;
  Reservation memory;
};

// Thread-safe. The writer lives longer.
class OrderedLists : public OrderedRanges<CountedBatch> {
 public:
  // Keeps written batches of up to `most_used_bytes` for take_used(); they do not count towards the limit.
  OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used_bytes = 0);

  // As OrderedRanges::put, with the bytes that the batch holds.
  void put(std::size_t range, ListBatch batch, Reservation memory = {});
  // Returns the largest written batch that holds at most `most_bytes`, whose vectors keep their capacity; an empty
  // batch if there is none.
  ListBatch take_used(std::size_t most_bytes);
  // Frees them, and keeps no others.
  void drop_used();

 private:
  struct Used {
    std::mutex mutex;
    std::vector<ListBatch> batches;
    std::size_t bytes = 0, most_bytes = 0;
  };
  void write(CountedBatch&& batch);
  IndexWriter& writer_;
  std::shared_ptr<Used> used_;  // shared with the batches that are being written, which may outlive this object
};

}  // namespace spillway
