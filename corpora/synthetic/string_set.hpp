// One string set of the sorting papers, or a set with the count, size and tie lengths that the papers state
// (docs/benchmarks.md says how closely). Each string depends on its index alone, so any thread can make any part of a
// set, a smaller set is the start of a larger one, and only the requested count limits a set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace spillway {

// Strings hold no line feed and no NUL. Immutable, and therefore thread-safe.
class StringSet {
 public:
  virtual ~StringSet() = default;
  // Length of the longest string, at least: write() needs that much room.
  virtual std::size_t max_bytes() const = 0;
  // Writes the string with this index and returns its end.
  virtual char* write(std::uint64_t index, char* out) const = 0;
};

using MadeStringSet = std::unique_ptr<const StringSet>;

}  // namespace spillway
