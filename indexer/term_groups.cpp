#include "indexer/term_groups.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <thread>

#include "indexer/token_hash.hpp"
#include "io/byte_order.hpp"

namespace spillway {

namespace {

// A slot: 0 = empty; else the lower half of the hash, and below that the number of the group + 1, or kBeingAdded.
constexpr std::uint32_t kBeingAdded = 0xFFFFFFFF;
constexpr std::uint32_t kNoRoom = 0xFFFFFFFE;

// Blocks of one topic have few more terms than their largest chunk; the first table is made for such.
constexpr std::size_t kLikelyGrowth = 4;

std::uint64_t hash_of(const StringRef& text) {
  const std::uint8_t* at = text.data;
  std::uint32_t left = text.bytes;
  std::uint64_t hash = text.bytes;
  for (; left > 16; at += 16, left -= 16) {
    hash = hash_token_words(load_le<std::uint64_t>(at), load_le<std::uint64_t>(at + 8), hash);
  }
  std::uint64_t low = 0, high = 0;
  if (left >= 8) {
    low = load_le<std::uint64_t>(at);
    high = load_le<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    low = load_le<std::uint32_t>(at);
    high = load_le<std::uint32_t>(at + left - 4);
  } else if (left != 0) {
    low = std::uint64_t{at[0]} << 16 | std::uint64_t{at[left / 2]} << 8 | at[left - 1];
  }
  return hash_token_words(low, high, hash);
}

bool same_text(const StringRef& a, const StringRef& b) {
  return a.bytes == b.bytes && std::memcmp(a.data, b.data, a.bytes) == 0;
}

}  // namespace

// Open addressing; threads insert at the same time.
struct TermGroups::Table {
  Table(std::size_t most, MemoryBudget& budget)
      : most_groups(most),
        memory(budget, std::bit_ceil(2 * most) * sizeof(std::uint64_t), "the terms of a block"),
        slots(memory.as<std::uint64_t>()),
        shift(64 - static_cast<unsigned>(std::countr_zero(slots.size()))) {}

  bool overflows() const { return group_count.load(std::memory_order_relaxed) > most_groups; }

  std::size_t most_groups;
  Buffer memory;
  std::span<std::uint64_t> slots;
  unsigned shift;
  std::atomic<std::uint32_t> group_count{0};
};

TermGroups::TermGroups(const Block& block, std::span<const std::uint32_t> first_string, MemoryBudget& budget) {
  const std::size_t strings = first_string.back();
  if (strings == 0) return;
  of_string_memory_ = Buffer(budget, strings * sizeof(std::uint32_t), "the terms of a block");
  texts_memory_ = Buffer(budget, strings * sizeof(StringRef), "the terms of a block");
  of_string_ = of_string_memory_.as<std::uint32_t>();
  texts_ = texts_memory_.as<StringRef>();
  std::size_t largest = 0;
  for (const ParsedChunk& chunk : block.chunks) largest = std::max(largest, chunk.terms.size());
  if (!group(block, first_string, std::min(strings, kLikelyGrowth * largest), budget)) {
    group(block, first_string, strings, budget);
  }
}

// False where there are more than `most` groups.
bool TermGroups::group(const Block& block, std::span<const std::uint32_t> first_string, std::size_t most,
                       MemoryBudget& budget) {
  Table table(most, budget);
  tbb::parallel_for(std::size_t{0}, block.chunks.size(), [&](std::size_t c) {
    const ParsedChunk& chunk = block.chunks[c];
    std::uint32_t* group = of_string_.data() + first_string[c];
    for (const ChunkTerm& term : chunk.terms) {
      *group = find_or_add(table, {chunk.text.data() + term.text_offset, term.text_bytes, 0});
      if (*group++ == kNoRoom) return;
    }
  });
  count_ = table.group_count;
  return count_ <= most;
}

// The number of the text's group; kNoRoom where there are too many.
std::uint32_t TermGroups::find_or_add(Table& table, const StringRef& text) {
  const std::uint64_t hash = hash_of(text);
  const std::uint64_t tag = hash << 32;
  const std::size_t mask = table.slots.size() - 1;
  for (std::size_t i = hash >> table.shift;; i = (i + 1) & mask) {
    const std::atomic_ref<std::uint64_t> slot(table.slots[i]);
    std::uint64_t held = slot.load(std::memory_order_acquire);
    if (held == 0 && slot.compare_exchange_strong(held, tag | kBeingAdded, std::memory_order_acquire)) {
      const std::uint32_t group = table.group_count.fetch_add(1, std::memory_order_relaxed);
      const bool fits = group < table.most_groups;
      if (fits) texts_[group] = text;
      slot.store(fits ? tag | (group + 1) : tag | kBeingAdded, std::memory_order_release);
      return fits ? group : kNoRoom;
    }
    const bool same_tag = held >> 32 == tag >> 32;
    while (!same_tag || static_cast<std::uint32_t>(held) == kBeingAdded) {
      if (table.overflows()) return kNoRoom;
      if (!same_tag) break;
      std::this_thread::yield();
      held = slot.load(std::memory_order_acquire);
    }
    if (!same_tag) continue;
    const auto group = static_cast<std::uint32_t>(held) - 1;
    if (same_text(texts_[group], text)) return group;
  }
}

}  // namespace spillway
