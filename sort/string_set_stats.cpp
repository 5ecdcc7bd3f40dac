#include "sort/string_set_stats.hpp"

#include <algorithm>

namespace spillway {

StringSetStats string_set_stats(std::span<const StringRef> strings, std::span<const std::uint32_t> order,
                                std::span<const std::uint32_t> lcps) {
  StringSetStats stats;
  stats.count = strings.size();
  if (strings.empty()) return stats;
  stats.least_bytes = UINT64_MAX;
  std::uint64_t doubled_ties = 0, longest_doubled = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t bytes = strings[order[i]].bytes;
    stats.bytes += bytes;
    stats.least_bytes = std::min(stats.least_bytes, bytes);
    stats.most_bytes = std::max(stats.most_bytes, bytes);
    const bool has_before = i != 0, has_after = i + 1 != order.size();
    const std::uint64_t before = has_before ? lcps[i] : 0, after = has_after ? lcps[i + 1] : 0;
    const std::uint64_t doubled = has_before && has_after ? before + after : 2 * (before + after);
    doubled_ties += doubled;
    longest_doubled = std::max(longest_doubled, doubled);
    stats.distinguishing_bytes += std::min(bytes, std::max(before, after) + 1);
    stats.max_lcp_bytes = std::max(stats.max_lcp_bytes, static_cast<std::uint32_t>(before));
  }
  stats.mean_tie_bytes = static_cast<double>(doubled_ties) / 2 / static_cast<double>(stats.count);
  stats.max_tie_bytes = static_cast<double>(longest_doubled) / 2;
  return stats;
}

}  // namespace spillway
