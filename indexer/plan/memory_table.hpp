// The budget as a table of consumers, solved once: each consumer has a least, a weight and a most.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

namespace spillway {

struct MemoryConsumer {
  std::string_view name;  // for people; a string literal
  std::size_t least = 0;  // bytes, whatever the budget
  double weight = 0;      // its part of the budget is in proportion to its weight, between least and most
  std::size_t most = 0;   // below `least`: the same as `least`
  std::size_t bytes = 0;  // the solution
};

inline constexpr std::size_t kNoMost = std::numeric_limits<std::size_t>::max();

// The sum of `least`.
std::size_t least_bytes(std::span<const MemoryConsumer> consumers);

// Fills in `bytes`: all consumers with neither bound reached have the same bytes per weight, and together the consumers
// take `budget_bytes` or less: less where all have reached their most, and by rounding. Returns what is left.
// Requires: budget_bytes >= least_bytes(consumers). O(n) time for each of 64 steps.
std::size_t divide_memory(std::size_t budget_bytes, std::span<MemoryConsumer> consumers);

}  // namespace spillway
