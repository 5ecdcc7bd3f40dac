#include "indexer/block/term_groups.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <thread>
#include <vector>

#include "io/base/byte_order.hpp"
#include "text/scan/token_hash.hpp"

namespace spillway {

namespace {

// A slot: 0: empty; else the lower half of the hash above the group's number + 1 or kBeingAdded.
constexpr std::uint32_t kBeingAdded = 0xFFFFFFFF;
constexpr std::uint32_t kNoRoom = 0xFFFFFFFE;

// The first table has room for 4 times the terms of the largest chunk, and each next one for 4 times more: most blocks
// have few more terms than their largest chunk, and a small table is fast.
constexpr std::size_t kGrowth = 4;

constexpr std::size_t kBatch = 32;  // strings looked up together

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

// Open addressing; threads insert at the same time. The slots are written before any is read: a new page that is read
// first maps to a shared page of zeros, and the first write then interrupts all CPUs of this process (7 us a page).
struct TermGroups::Table {
  Table(std::size_t most, MemoryBudget& budget)
      : most_groups(most),
        memory(Buffer::reused(budget, std::bit_ceil(2 * most) * sizeof(std::uint64_t), "the terms of a block")),
        slots(memory.as<std::uint64_t>()),
        shift(64 - static_cast<unsigned>(std::countr_zero(slots.size()))) {
    std::fill(slots.begin(), slots.end(), 0);
    memory.shrink(memory.size());  // all of it was touched
  }

  bool overflows() const { return group_count.load(std::memory_order_relaxed) > most_groups; }

  std::size_t most_groups;
  Buffer memory;
  std::span<std::uint64_t> slots;
  unsigned shift;
  std::atomic<std::uint32_t> group_count{0};
};

TermGroups::TermGroups(const Block& block, std::span<const std::uint32_t> first_string, MemoryBudget& budget)
    : chunks_(block.chunks), first_string_(first_string) {
  const std::size_t strings = first_string.back();
  if (strings == 0) return;
  of_string_memory_ = Buffer(budget, strings * sizeof(std::uint32_t), "the terms of a block");
  texts_memory_ = Buffer(budget, strings * sizeof(StringRef), "the terms of a block");
  of_string_ = of_string_memory_.as<std::uint32_t>();
  texts_ = texts_memory_.as<StringRef>();
  std::size_t most = 0;
  for (const ParsedChunk& chunk : chunks_) most = std::max(most, chunk.terms().terms.size());
  std::vector<std::uint8_t> is_done(chunks_.size());
  do {
    most = std::min(strings, kGrowth * most);
    Table table(most, budget);
    fill(table, is_done);
  } while (std::find(is_done.begin(), is_done.end(), 0) != is_done.end());
  if (are_many(strings, count_)) move_to_payloads();
}

void TermGroups::move_to_payloads() {
  for (std::size_t i = 0; i < texts_.size(); ++i) texts_[i].payload = of_string_[i];
  of_string_ = {};
  of_string_memory_ = Buffer();
}

// Groups the strings of the chunks that are not done until the table is full.
void TermGroups::fill(Table& table, std::span<std::uint8_t> is_done) {
  table.group_count = static_cast<std::uint32_t>(count_);
  tbb::parallel_for(std::size_t{0}, count_, [&](std::size_t group) {
    const std::uint64_t hash = hash_of(texts_[group]);
    const std::size_t mask = table.slots.size() - 1;
    std::size_t i = hash >> table.shift;
    std::uint64_t empty = 0;
    while (!std::atomic_ref(table.slots[i]).compare_exchange_strong(empty, hash << 32 | (group + 1))) {
      i = (i + 1) & mask;
      empty = 0;
    }
  });
  tbb::parallel_for(std::size_t{0}, chunks_.size(), [&](std::size_t c) {
    if (is_done[c] == 0) is_done[c] = group_chunk(table, c) ? 1 : 0;
  });
  count_ = std::min<std::size_t>(table.group_count, table.most_groups);
}

// The strings of a chunk hit the table in random order. Each batch is therefore prefetched in three steps; each step
// reads the cache lines that the step before has requested.
bool TermGroups::group_chunk(Table& table, std::size_t c) {
  const std::span<const ChunkTerm> terms = chunks_[c].terms().terms;
  const std::uint8_t* const text = chunks_[c].terms().text.data();
  std::uint32_t* const groups = of_string_.data() + first_string_[c];
  std::array<StringRef, kBatch> texts;
  std::array<std::uint64_t, kBatch> hashes;
  for (std::size_t begin = 0; begin < terms.size(); begin += kBatch) {
    const std::size_t count = std::min(kBatch, terms.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const ChunkTerm& term = terms[begin + i];
      texts[i] = {text + term.text_offset, term.text_bytes, 0};
      hashes[i] = hash_of(texts[i]);
      __builtin_prefetch(&table.slots[hashes[i] >> table.shift]);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (const StringRef* likely = likely_group(table, hashes[i])) __builtin_prefetch(likely);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (const StringRef* likely = likely_group(table, hashes[i])) __builtin_prefetch(likely->data);
    }
    for (std::size_t i = 0; i < count; ++i) {
      groups[begin + i] = find_or_add(table, texts[i], hashes[i]);
      if (groups[begin + i] == kNoRoom) return false;
    }
  }
  return true;
}

// Returns the group in the first slot of this hash; nullptr where there is none.
const StringRef* TermGroups::likely_group(Table& table, std::uint64_t hash) const {
  const std::uint64_t held = std::atomic_ref(table.slots[hash >> table.shift]).load(std::memory_order_acquire);
  const auto group = static_cast<std::uint32_t>(held);
  return group == 0 || group == kBeingAdded ? nullptr : &texts_[group - 1];
}

// Returns the number of the text's group; kNoRoom where the table is full.
std::uint32_t TermGroups::find_or_add(Table& table, const StringRef& text, std::uint64_t hash) {
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
