// The interface of everything that sorts strings: unsigned bytes, length decides ("a" < "a\0"), any byte allowed. The
// result is a permutation and, if wanted, the LCPs; strings do not move. GPU sorters stand behind the same interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace spillway {

// A string somewhere in memory that outlives the sort.
struct StringRef {
  const std::uint8_t* data = nullptr;
  std::uint32_t bytes = 0;
  std::uint32_t payload = 0;  // the owner's; sorters do not read it
  std::string_view view() const { return {reinterpret_cast<const char*>(data), bytes}; }
};

// Stateless and thread-safe; parallel inside the calling thread's TBB arena. At most 2^32 - 1 strings a call
// (UsageError).
class StringSorter {
 public:
  virtual ~StringSorter() = default;
  virtual std::string_view name() const = 0;
  virtual bool needs_gpu() const { return false; }
  // Bytes of scratch that sort() needs for `count` strings, at most.
  virtual std::size_t scratch_bytes(std::size_t count) const = 0;
  // order[i] = index of the i-th smallest string; equal strings in index order. lcps, unless empty: lcps[i] = common
  // prefix of order[i-1] and order[i] in bytes, lcps[0] = 0. Requires: order.size() == strings.size(), lcps.size() is
  // that or 0, scratch.size() >= scratch_bytes(strings.size()).
  virtual void sort(std::span<const StringRef> strings, std::span<std::uint32_t> order, std::span<std::uint32_t> lcps,
                    std::span<std::uint8_t> scratch) const = 0;
};

}  // namespace spillway
