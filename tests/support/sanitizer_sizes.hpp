// Sizes of the sorters' contract where compute-sanitizer watches every access of a kernel, which then takes a thousand
// times as long: SPILLWAY_SANITIZER in the environment (tools/sanitize_gpu sets it) chooses the small ones. They still
// cross the border of every tile, block and level that a sorter has.
#pragma once

#include <cstdlib>
#include <vector>

namespace spillway::testing {

// `full`, or `small` under a sanitizer.
template <typename Size>
Size sanitizer_size(Size full, Size small) {
  return std::getenv("SPILLWAY_SANITIZER") == nullptr ? full : small;
}
inline std::vector<std::size_t> sanitizer_sizes(std::vector<std::size_t> full, std::vector<std::size_t> small) {
  return sanitizer_size(std::move(full), std::move(small));
}

}  // namespace spillway::testing
