#include "indexer/plan/memory_table.hpp"

#include <algorithm>
#include <cassert>

namespace spillway {

namespace {

// The consumer's bytes if a weight of 1 gets `level` bytes.
std::size_t bytes_at(const MemoryConsumer& consumer, double level) {
  const double wanted = consumer.weight * level;
  const std::size_t most = std::max(consumer.least, consumer.most);
  if (wanted >= static_cast<double>(most)) return most;
  return std::max(consumer.least, static_cast<std::size_t>(wanted));
}

}  // namespace

std::size_t least_bytes(std::span<const MemoryConsumer> consumers) {
  std::size_t sum = 0;
  for (const MemoryConsumer& consumer : consumers) sum += consumer.least;
  return sum;
}

std::size_t divide_memory(std::size_t budget_bytes, std::span<MemoryConsumer> consumers) {
  assert(budget_bytes >= least_bytes(consumers));
  const auto fill = [&](double level) {
    std::size_t left = budget_bytes;
    for (MemoryConsumer& consumer : consumers) {
      consumer.bytes = bytes_at(consumer, level);
      if (consumer.bytes > left) return kNoMost;
      left -= consumer.bytes;
    }
    return left;
  };
  // The level lies below the one at which the lightest consumer alone would take the budget.
  double low = 0, high = static_cast<double>(budget_bytes);
  for (const MemoryConsumer& consumer : consumers) {
    if (consumer.weight > 0) high = std::max(high, static_cast<double>(budget_bytes) / consumer.weight);
  }
  for (int step = 0; step < 64; ++step) {
    const double middle = (low + high) / 2;
    (fill(middle) == kNoMost ? high : low) = middle;
  }
  return fill(low);
}

}  // namespace spillway
