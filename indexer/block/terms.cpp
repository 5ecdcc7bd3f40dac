#include "indexer/block/terms.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMaxStrings = 0x7FFFFFFF;

std::vector<std::uint32_t> first_strings(const Block& block) {
  std::vector<std::uint32_t> first{0};
  for (const ParsedChunk& chunk : block.chunks) {
    const std::uint64_t count = std::uint64_t{first.back()} + chunk.terms().terms.size();
    if (count > kMaxStrings) throw BudgetError("a block has more than 2^31-1 terms; lower --memory or --block-bytes");
    first.push_back(static_cast<std::uint32_t>(count));
  }
  return first;
}

// One task counts and places the strings of chunks [borders[r], borders[r + 1]). Each task has a counter for each
// group: there are only as many tasks as pay for that.
std::vector<std::size_t> chunk_ranges(std::size_t chunks, std::size_t strings, std::size_t groups) {
  const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const std::size_t ranges = std::clamp<std::size_t>(std::min(threads, strings / (4 * groups + 1)), 1, chunks);
  std::vector<std::size_t> borders{0};
  for (std::size_t r = 1; r <= ranges; ++r) borders.push_back(chunks * r / ranges);
  return borders;
}

}  // namespace

std::size_t BlockTerms::memory_bytes(std::size_t count, const StringSorter& sorter) {
  // Sorting takes most where all strings are distinct; placing them takes less than grouping or sorting.
  const std::size_t sorting = count * (sizeof(StringRef) + sizeof(std::uint32_t)) + sorter.scratch_bytes(count);
  return std::max(TermGroups::memory_bytes(count), sorting);
}

BlockTerms::BlockTerms(const Block& block, const StringSorter& sorter, MemoryBudget& budget)
    : chunks_(block.chunks), first_string_(first_strings(block)) {
  if (first_string_.back() == 0) return;
  const TermGroups groups(block, first_string_, budget);
  const std::size_t count = groups.texts().size();
  Buffer order_memory(budget, count * sizeof(std::uint32_t), "the terms of a block");
  const auto order = order_memory.as<std::uint32_t>();
  {
    Buffer scratch(budget, sorter.scratch_bytes(count), "the sort of a block's terms");
    sorter.sort(groups.texts(), order, {}, scratch.span());
  }
  set_places(groups, order, budget);
}

// A stable counting sort of all strings by the rank of their group: those of a term keep the order of their chunks.
void BlockTerms::set_places(const TermGroups& groups, std::span<const std::uint32_t> order, MemoryBudget& budget) {
  const std::size_t strings = groups.string_count();
  places_memory_ = Buffer(budget, strings * sizeof(std::uint64_t), "the terms of a block");
  places_ = places_memory_.as<std::uint64_t>();
  const std::vector<std::size_t> borders = chunk_ranges(chunks_.size(), strings, order.size());
  const std::size_t ranges = borders.size() - 1;
  Buffer counter_memory(budget, ranges * order.size() * sizeof(std::uint32_t), "the terms of a block");
  const auto counters = [&](std::size_t range) {
    return counter_memory.as<std::uint32_t>().subspan(range * order.size(), order.size());
  };
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t r) {
    const std::span<std::uint32_t> counts = counters(r);
    for (std::size_t i = first_string_[borders[r]]; i != first_string_[borders[r + 1]]; ++i)
      ++counts[groups.of_string(i)];
  });
  std::uint32_t place = 0;
  for (const std::uint32_t group : order) {
    for (std::size_t r = 0; r < ranges; ++r) place += std::exchange(counters(r)[group], place);
  }
  tbb::parallel_for(std::size_t{0}, ranges, [&](std::size_t r) {
    const std::span<std::uint32_t> next = counters(r);
    for (std::size_t c = borders[r]; c != borders[r + 1]; ++c) {
      std::size_t string = first_string_[c];
      for (std::uint64_t t = 0; t < chunks_[c].terms().terms.size(); ++t)
        places_[next[groups.of_string(string++)]++] = std::uint64_t{c} << 32 | t;
    }
  });
  place = 0;
  for (const std::uint32_t group : order) {
    places_[place] |= kStarts;
    place = counters(ranges - 1)[group];  // where the term ends
  }
}

std::vector<std::size_t> BlockTerms::ranges(std::size_t strings) const {
  std::vector<std::size_t> borders{0};
  while (borders.back() < size()) {
    std::size_t next = std::min(size(), borders.back() + strings);
    while (next < size() && !starts_term(next)) ++next;
    borders.push_back(next);
  }
  return borders;
}

}  // namespace spillway
