#include "indexer/chunk/term_table.hpp"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kShortKeyBytes = 16;

std::size_t slot_count(std::uint32_t capacity) { return std::bit_ceil(std::size_t{capacity} * 2); }

std::size_t table_bytes(std::uint32_t capacity) {
  return (std::size_t{capacity} + 1) * (sizeof(TableEntry) + sizeof(TermState)) +
         slot_count(capacity) * sizeof(std::uint32_t);
}

// A table of several large pages begins at the border of one: accesses spread over all of it, and with small pages they
// miss the TLB (3 % of the time of indexing short documents).
constexpr std::size_t kLargePageBytes = std::size_t{2} << 20;
bool has_large_pages(std::uint32_t capacity) { return table_bytes(capacity) >= 2 * kLargePageBytes; }

std::size_t memory_bytes_of(std::uint32_t capacity) {
  return table_bytes(capacity) + (has_large_pages(capacity) ? kLargePageBytes : 0);
}

std::uint8_t* begin_of(Buffer& memory, std::uint32_t capacity) {
  if (!has_large_pages(capacity)) return memory.data();
  memory.use_large_pages();
  return memory.data() + -reinterpret_cast<std::uintptr_t>(memory.data()) % kLargePageBytes;
}

}  // namespace

TermTable::TermTable(MemoryBudget& budget, std::uint32_t capacity, std::size_t arena_bytes)
    : memory_(budget, memory_bytes_of(capacity), "a chunk's term table"),
      arena_(budget, arena_bytes, "a chunk's long terms"),
      entries_(reinterpret_cast<TableEntry*>(begin_of(memory_, capacity))),
      states_(reinterpret_cast<TermState*>(entries_ + capacity + 1)),
      slots_(reinterpret_cast<std::uint32_t*>(states_ + capacity + 1)),
      slot_mask_(slot_count(capacity) - 1),
      shift_(64 - static_cast<unsigned>(std::countr_zero(slot_count(capacity)))),
      capacity_(capacity) {
  // The entry of guess 0 matches no key: neither a short one nor the zeros that stand for a long one.
  entries_[0] = TableEntry{};
  entries_[0].key_bytes = ~0U;
}

std::size_t TermTable::memory_bytes(std::uint32_t capacity, std::size_t arena_bytes) {
  return memory_bytes_of(capacity) + arena_bytes;
}

std::string_view TermTable::key_of(const TableEntry& entry) const {
  const std::size_t bytes = entry.key_bytes & ~(kSpaceBit | kUnprovedBit);
  if (bytes <= kShortKeyBytes) return {reinterpret_cast<const char*>(entry.key), bytes};
  return {reinterpret_cast<const char*>(arena_.data()) + entry.key[0], bytes};
}

TableEntry* TermTable::find(std::string_view key, KeySpace space) {
  if (key.size() > kShortKeyBytes) return find_long(key, hash_long(key), space);
  std::uint64_t words[2];
  load_short(key, words);
  return find(ShortKey{words[0], words[1], tagged_bytes(key, space)});
}

std::uint64_t TermTable::hash_long(std::string_view key) { return XXH3_64bits(key.data(), key.size()); }

TableEntry* TermTable::find_long(std::string_view key, std::uint64_t key_hash, KeySpace space) {
  const std::uint32_t tagged = tagged_bytes(key, space);
  const std::uint64_t hash = long_slot_hash(key_hash, tagged, space);
  for (std::size_t at = hash >> shift_;; at = (at + 1) & slot_mask_) {
    const std::uint32_t slot = slots_[at];
    if (slot == 0) return nullptr;
    if ((slot ^ tag_of(hash)) >> kIndexBits != 0) continue;
    TableEntry& entry = entries_[slot & kIndexMask];
    if (entry.key[1] == key_hash && (entry.key_bytes & ~kUnprovedBit) == tagged && key_of(entry) == key) return &entry;
  }
}

TableEntry& TermTable::insert(std::string_view key, KeySpace space) {
  const std::uint32_t number = ++size_;
  TableEntry& entry = entries_[number];
  entry = TableEntry{};
  entry.key_bytes = tagged_bytes(key, space);
  entry.action = number;
  std::uint64_t hash = 0;
  if (key.size() <= kShortKeyBytes) {
    load_short(key, entry.key);
    hash = hash_token_words(entry.key[0], entry.key[1], seed_of(space));
  } else {
    std::memcpy(arena_.data() + arena_used_, key.data(), key.size());
    entry.key[0] = arena_used_;
    entry.key[1] = hash_long(key);
    arena_used_ += key.size();
    hash = long_slot_hash(entry.key[1], entry.key_bytes, space);
  }
  if (space == KeySpace::kTerm) {
    states_[number] = TermState{};
    states_[number].hash = hash_term(key);
  }
  std::size_t at = hash >> shift_;
  while (slots_[at] != 0) at = (at + 1) & slot_mask_;
  slots_[at] = tag_of(hash) | number;
  return entry;
}

void TermTable::clear() {
  std::memset(slots_, 0, (slot_mask_ + 1) * sizeof(std::uint32_t));
  size_ = 0;
  arena_used_ = 0;
  ++clear_count_;
}

}  // namespace spillway
