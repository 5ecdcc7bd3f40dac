// The way of encoded lists from the threads of a merge to the one writer, in order of ranges
// (merge/cursor/ordered_ranges.hpp).
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "io/index/writer.hpp"
#include "merge/cursor/ordered_ranges.hpp"

namespace spillway {

// Thread-safe, as OrderedRanges is.
class OrderedLists {
 public:
  using Stopped = OrderStopped;

  OrderedLists(IndexWriter& writer, std::size_t range_count, std::size_t limit_bytes, std::size_t most_used = 0);

  // Writes or keeps the next batch of a range; waits while the range is ahead and the limit is reached.
  void put(std::size_t range, ListBatch batch);
  void finish(std::size_t range) { ranges_.finish(range); }
  // A batch that was written, for its memory; an empty one where there is none. A few are kept.
  ListBatch take_used();
  void check_stopped() const { ranges_.check_stopped(); }
  void fail(std::exception_ptr error) { ranges_.fail(std::move(error)); }
  void check_complete() const { ranges_.check_complete(); }
  std::size_t peak_bytes() const { return ranges_.peak_bytes(); }

 private:
  struct Used {
    std::mutex mutex;
    std::vector<ListBatch> batches;
  };
  void write(ListBatch&& batch);
  IndexWriter& writer_;
  std::size_t most_used_;
  std::shared_ptr<Used> used_;  // of the batches that are being written, too: they may outlive this
  OrderedRanges<ListBatch> ranges_;
};

}  // namespace spillway
