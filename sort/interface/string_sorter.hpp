// The interface of string sorters, on the CPU and on GPUs. Strings compare as unsigned bytes, a prefix before what it
// begins ("a" < "a\0"); any byte may occur. The result is a permutation and, if wanted, the longest common prefixes
// (LCPs); strings do not move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sort/interface/sort_steps.hpp"

namespace spillway {

// A string somewhere in memory that outlives the sort.
struct StringRef {
  const std::uint8_t* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t payload = 0;  // for the owner; sorters do not read it
  std::string_view view() const { return {reinterpret_cast<const char*>(data), bytes}; }
};

// Stateless and thread-safe; parallel inside the calling thread's TBB arena. A call takes at most 2^32 - 1 strings
// (UsageError).
class StringSorter {
 public:
  virtual ~StringSorter() = default;
  virtual std::string_view name() const = 0;
  virtual bool needs_gpu() const { return false; }
  // Bytes of scratch that sort() needs for `count` strings, at most.
  virtual std::size_t scratch_bytes(std::size_t count) const = 0;
  // Sets order[i] to the index of the i-th smallest string, equal strings in index order. Unless lcps is empty, sets
  // lcps[0] to 0 and lcps[i] to the bytes that the strings order[i-1] and order[i] share. Requires order.size() ==
  // strings.size(), lcps.size() the same or 0, scratch.size() >= scratch_bytes(strings.size()).
  virtual void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
                    std::span<std::uint8_t> scratch) const = 0;
  // As sort() without LCPs, and returns the times of its steps. Sorters without a clock sort, and return none.
  virtual SortSteps sort_in_steps(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                                  std::span<std::uint8_t> scratch) const {
    sort(strings, order, {}, scratch);
    return {};
  }
};

}  // namespace spillway
