// The interface of record sorters, on the CPU and on GPUs: they order uint64 keys by a range of their bits. A sorter
// states its memory need first and then sorts within it, so that a plan can choose by budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

struct BitRange {
  unsigned begin = 0;  // the lowest bit of the range
  unsigned end = 64;   // one past the highest bit
};

// Stateless and thread-safe; parallel inside the calling thread's TBB arena.
class RecordSorter {
 public:
  virtual ~RecordSorter() = default;
  virtual std::string_view name() const = 0;
  virtual bool stable() const = 0;
  virtual bool needs_gpu() const { return false; }
  // Bytes of scratch that sort() needs for `count` keys, at most.
  virtual std::size_t scratch_bytes(std::size_t count, BitRange bits) const = 0;
  // Orders keys by their bits [begin, end), ascending, unsigned. Keys that are equal there keep their order if
  // stable(); otherwise a sorter may order them by all 64 bits. Requires scratch.size() >= scratch_bytes(keys.size(),
  // bits).
  virtual void sort(std::span<std::uint64_t> keys, BitRange bits, std::span<std::uint8_t> scratch) const = 0;
};

}  // namespace spillway
