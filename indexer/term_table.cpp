#include "indexer/term_table.hpp"

#include <bit>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace spillway {

namespace {

constexpr std::size_t kShortKeyBytes = 16;

std::size_t slot_count(std::uint32_t capacity) { return std::bit_ceil(std::size_t{capacity} * 2); }

}  // namespace

TermTable::TermTable(MemoryBudget& budget, std::uint32_t capacity, std::size_t arena_bytes)
    : slots_memory_(budget, slot_count(capacity) * sizeof(std::uint32_t), "a chunk's term table"),
      entries_memory_(budget, (std::size_t{capacity} + 1) * sizeof(TableEntry), "a chunk's term table"),
      states_memory_(budget, (std::size_t{capacity} + 1) * sizeof(TermState), "a chunk's term table"),
      arena_(budget, arena_bytes, "a chunk's long terms"),
      slots_(slots_memory_.as<std::uint32_t>().data()),
      entries_(entries_memory_.as<TableEntry>().data()),
      states_(states_memory_.as<TermState>().data()),
      slot_mask_(slot_count(capacity) - 1),
      shift_(64 - static_cast<unsigned>(std::countr_zero(slot_count(capacity)))),
      capacity_(capacity) {
  // What a guess of 0 names is no key: neither a short one nor the zeros that stand for a long one.
  entries_[0] = TableEntry{};
  entries_[0].key_bytes = ~0U;
}

std::size_t TermTable::memory_bytes(std::uint32_t capacity, std::size_t arena_bytes) {
  return slot_count(capacity) * sizeof(std::uint32_t) +
         (std::size_t{capacity} + 1) * (sizeof(TableEntry) + sizeof(TermState)) + arena_bytes;
}

std::string_view TermTable::key_of(const TableEntry& entry) const {
  const std::size_t bytes = entry.key_bytes & ~(kSpaceBit | kUnprovedBit);
  if (bytes <= kShortKeyBytes) return {reinterpret_cast<const char*>(entry.key), bytes};
  return {reinterpret_cast<const char*>(arena_.data()) + entry.key[0], bytes};
}

TableEntry* TermTable::find(std::string_view key, KeySpace space) {
  const auto tagged = static_cast<std::uint32_t>(key.size()) | (space == KeySpace::kToken ? kSpaceBit : 0);
  if (key.size() <= kShortKeyBytes) {
    std::uint64_t words[2];
    load_short(key, words);
    return find(ShortKey{words[0], words[1], tagged});
  }
  const std::uint64_t key_hash = XXH3_64bits(key.data(), key.size());
  const std::uint64_t hash = hash_token_words(key_hash, tagged, seed_of(space));
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
  entry.key_bytes = static_cast<std::uint32_t>(key.size()) | (space == KeySpace::kToken ? kSpaceBit : 0);
  entry.action = number;
  std::uint64_t hash = 0;
  if (key.size() <= kShortKeyBytes) {
    load_short(key, entry.key);
    hash = hash_token_words(entry.key[0], entry.key[1], seed_of(space));
  } else {
    std::memcpy(arena_.data() + arena_used_, key.data(), key.size());
    entry.key[0] = arena_used_;
    entry.key[1] = XXH3_64bits(key.data(), key.size());
    arena_used_ += key.size();
    hash = hash_token_words(entry.key[1], entry.key_bytes, seed_of(space));
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
  std::memset(slots_, 0, slots_memory_.size());
  size_ = 0;
  arena_used_ = 0;
  ++clear_count_;
}

}  // namespace spillway
