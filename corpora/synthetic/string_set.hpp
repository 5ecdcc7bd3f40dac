// The string sets of the sorting papers, or what has the count, size and tie lengths that the papers state for them
// (docs/benchmarks.md says how closely): each string is a function of its index alone, so that any part of a set can be
// made by any thread, a smaller set is the start of a larger one, and a set has no limit but its count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace spillway {

// Strings hold no line feed and no NUL. Immutable, and so thread-safe.
class StringSet {
 public:
  virtual ~StringSet() = default;
  // Room that write() needs: no string is longer.
  virtual std::size_t max_bytes() const = 0;
  // Writes the string of an index and returns its end.
  virtual char* write(std::uint64_t index, char* out) const = 0;
};

struct StringSetText {
  std::string_view name;     // "pc-filelist"
  std::uint64_t count;       // strings of the paper's set
  std::string_view meaning;  // for people
  std::unique_ptr<const StringSet> (*make)(std::uint64_t seed);
};

// All of them, in the order in which they are listed to users.
const std::vector<StringSetText>& string_sets();
// Throws UsageError listing the names where there is none of that name.
const StringSetText& find_string_set(std::string_view name);

}  // namespace spillway
