#include "indexer/block/occurrence_places.hpp"

#include <limits>

#include "io/base/error.hpp"

namespace spillway {

OccurrencePlaces::OccurrencePlaces(const Block& block, const std::vector<std::uint32_t>& bases, MemoryBudget& budget)
    : block_(block),
      memory_(budget, bases.back() * sizeof(std::uint32_t), "the documents of a block"),
      ends_(memory_.as<std::uint32_t>()) {
  std::uint64_t count = 0;
  for (const ParsedChunk& chunk : block.chunks) {
    first_.push_back(count);
    count += chunk.table().occurrences.size();
  }
  first_.push_back(count);
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    throw BudgetError("a block has more than 2^32-1 occurrences; lower --block-bytes or --memory");
  }
  // A document that is cut between chunks ends in the last of them.
  for (std::size_t c = 0; c < block.chunks.size(); ++c) {
    std::uint64_t end = first_[c];
    const std::span<const std::uint32_t> lengths = block.chunks[c].table().lengths;
    for (std::size_t d = 0; d < lengths.size(); ++d) {
      end += lengths[d];
      ends_[bases[c] + d] = static_cast<std::uint32_t>(end);
    }
  }
}

}  // namespace spillway
