// Input sizes for the sorters' contract tests. Under compute-sanitizer, which checks every access of a kernel and makes
// it about a thousand times slower, SPILLWAY_SANITIZER in the environment (set by tools/sanitize_gpu) selects the small
// ones. They still cross the border of every tile, block and level of each sorter.
#pragma once

#include <cstdlib>
#include <vector>

namespace spillway::testing {

// Returns `full`, or `small` under a sanitizer.
template <typename Size>
Size sanitizer_size(Size full, Size small) {
  return std::getenv("SPILLWAY_SANITIZER") == nullptr ? full : small;
}
inline std::vector<std::size_t> sanitizer_sizes(std::vector<std::size_t> full, std::vector<std::size_t> small) {
  return sanitizer_size(std::move(full), std::move(small));
}

}  // namespace spillway::testing
