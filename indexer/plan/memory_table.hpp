// Divides the budget among a table of consumers, each with a least, a weight and a most (indexer/plan/memory.cpp).
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

// Fills in `bytes` and returns the bytes left over. Consumers between their bounds get the same bytes per weight. Bytes
// are left over by rounding, and if all consumers have reached their most. Requires: budget_bytes >=
// least_bytes(consumers). Bisection: 64 steps of O(n).
std::size_t divide_memory(std::size_t budget_bytes, std::span<MemoryConsumer> consumers);

}  // namespace spillway
