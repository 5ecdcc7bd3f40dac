#include "indexer/block_terms.hpp"

#include <tbb/parallel_for.h>

#include <cstring>

#include "io/error.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMaxStrings = 0xFFFFFFFF;

std::size_t string_count(const Block& block) {
  std::size_t count = 0;
  for (const ParsedChunk& chunk : block.chunks) count += chunk.terms.size();
  if (count > kMaxStrings) throw BudgetError("a block has more than 2^32-1 terms; lower --memory or --block-bytes");
  return count;
}

}  // namespace

std::size_t BlockTerms::memory_bytes(std::size_t count, const StringSorter& sorter) {
  return count * (sizeof(StringRef) + sizeof(std::uint32_t)) + sorter.scratch_bytes(count);
}

BlockTerms::BlockTerms(const Block& block, const StringSorter& sorter, MemoryBudget& budget) {
  const std::size_t count = string_count(block);
  refs_memory_ = Buffer(budget, count * sizeof(StringRef), "the terms of a block");
  order_memory_ = Buffer(budget, count * sizeof(std::uint32_t), "the terms of a block");
  refs_ = refs_memory_.as<StringRef>();
  order_ = order_memory_.as<std::uint32_t>();
  std::uint32_t first = 0;
  for (const ParsedChunk& chunk : block.chunks) {
    first_ref_.push_back(first);
    first += static_cast<std::uint32_t>(chunk.terms.size());
  }
  tbb::parallel_for(std::size_t{0}, block.chunks.size(), [&](std::size_t c) {
    const ParsedChunk& chunk = block.chunks[c];
    StringRef* ref = refs_.data() + first_ref_[c];
    for (const ChunkTerm& term : chunk.terms) {
      *ref++ = {chunk.text.data() + term.text_offset, term.text_bytes, static_cast<std::uint32_t>(c)};
    }
  });
  Buffer scratch(budget, sorter.scratch_bytes(count), "the sort of a block's terms");
  sorter.sort(refs_, order_, {}, scratch.span());
}

bool BlockTerms::starts_term(std::size_t i) const {
  if (i == 0) return true;
  const StringRef& a = text(i - 1);
  const StringRef& b = text(i);
  return a.bytes != b.bytes || std::memcmp(a.data, b.data, a.bytes) != 0;
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
