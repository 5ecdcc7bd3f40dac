// Buffers for unpacked pages, which are used again: large allocations that come and go would be given back to the
// system, and each of their pages would be zeroed anew. That took a third of the time of reading 500 MB of text in
// zstd. Buffers that are given back stay in the pool: with at most twice the largest page of free ones, a third of the
// pages of 2 GB of text were allocated anew, which took 0.6 of 6.5 CPU seconds (docs/results/parquet.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace spillway {

using PageBytes = std::shared_ptr<const std::uint8_t[]>;

// Thread-safe. Buffers may outlive the pool's owners. The pool has at most as many bytes as were in use at once, and
// one buffer more while it allocates that: it drops the oldest free buffers.
class PagePool : public std::enable_shared_from_this<PagePool> {
 public:
  static std::shared_ptr<PagePool> make() { return std::shared_ptr<PagePool>(new PagePool); }
  // At least `bytes` bytes, with any content.
  std::shared_ptr<std::uint8_t[]> take(std::size_t bytes);
  // Returns the bytes of buffers in use and of free ones; small pages do not count.
  std::size_t bytes() const;

 private:
  struct Free {
    void operator()(std::uint8_t* bytes) const;
  };
  struct Buffer {
    std::unique_ptr<std::uint8_t[], Free> bytes;
    std::size_t capacity = 0;
  };
  Buffer allocate(std::size_t bytes);
  PagePool() = default;
  Buffer take_free(std::size_t bytes);
  void drop_excess();
  void give_back(Buffer buffer) noexcept;

  mutable std::mutex mutex_;
  std::vector<Buffer> free_;  // the oldest first
  std::size_t used_ = 0, free_bytes_ = 0, most_used_ = 0;
};

// The pools of a job. Stored pages have one of their own: they are of many sizes, and pieces are of one. In a pool with
// both, pieces took the buffers of stored pages and the other way round, so that each large page dropped free buffers,
// and the next pieces were allocated anew (docs/results/parquet.md).
struct PagePools {
  std::shared_ptr<PagePool> stored = PagePool::make(), unpacked = PagePool::make();
};

}  // namespace spillway
