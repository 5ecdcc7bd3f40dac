// The chunk's term table: an open-addressing hash table from tokens to entries, sized to the L2 cache. An occurrence
// touches one slot and half a cache line: the entry holds keys of up to 16 bytes, an arena longer ones. The state for
// folding and checksums is touched once per document, and stands apart. A look-up takes O(1) expected time.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "io/checksum/content_checksum.hpp"
#include "io/memory/budget.hpp"
#include "text/scan/token_hash.hpp"
#include "text/scan/word_kernels.hpp"

namespace spillway {

// Terms and the tokens they come from are different keys: the token "runs" may have the term "run", while the token
// "run" has the term "run" too, or none.
enum class KeySpace : std::uint32_t { kTerm = 0, kToken = 1 };

struct alignas(32) TableEntry {
  std::uint64_t key[2];     // up to 16 bytes, zero-padded; longer: arena offset, hash
  std::uint32_t key_bytes;  // with the key space in the top bit
  // kToken: the meaning of an occurrence, a term's entry number or a code of TermResolver. kTerm: the entry's own
  // number.
  std::uint32_t action;
  std::uint32_t frequency;       // kTerm, folding: occurrences so far in the document
  std::uint32_t distance_bytes;  // kTerm, folding with positions: of the distances so far in the chunk
};
static_assert(sizeof(TableEntry) == 32);

// State of the kTerm entry with the same number.
struct alignas(32) TermState {
  TermHash hash;  // for the checksum
  // The counts of the postings emitted so far:
  std::uint32_t last_document;  // + 1; 0: none
  std::uint32_t posting_bytes;
  std::uint32_t document_count;
  std::uint32_t occurrence_count;
};
static_assert(sizeof(TermState) == 32);

// Entries are numbered from 1.
class TermTable {
 public:
  static constexpr std::uint32_t kSpaceBit = 0x80000000U;
  // Set in the length of a kTerm unless a word of exactly its bytes is known to resolve to it. is_entry() does not
  // match a length with this bit; find() ignores the bit.
  static constexpr std::uint32_t kUnprovedBit = 0x40000000U;

  // Room for `capacity` entries, at most 2^18 - 2, and for `arena_bytes` of long keys.
  TermTable(MemoryBudget& budget, std::uint32_t capacity, std::size_t arena_bytes);
  static std::size_t memory_bytes(std::uint32_t capacity, std::size_t arena_bytes);

  // Keys of up to 16 bytes, as two zero-padded words, with the key space in the top bit of their length.
  struct ShortKey {
    std::uint64_t low, high;
    std::uint32_t tagged_bytes;
  };

  // nullptr where the key is not in the table.
  TableEntry* find(const ShortKey& key) {
    const std::uint64_t hash = hash_of(key);
    for (std::size_t at = hash >> shift_;; at = (at + 1) & slot_mask_) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) return nullptr;
      if ((slot ^ tag_of(hash)) >> kIndexBits != 0) continue;
      TableEntry& entry = entries_[slot & kIndexMask];
      if (matches(entry, key)) return &entry;
    }
  }

  // Gives access to the slots of many keys of a space at once. The entry that a slot names (0: none) is a guess: it may
  // belong to another key. Guesses are valid until the next clear().
  SlotTable slot_table(KeySpace space) const { return {slots_, shift_, kIndexMask, seed_of(space)}; }
  void prefetch(std::uint32_t number) const { __builtin_prefetch(&entries_[number], 1); }
  void prefetch_state(std::uint32_t number) const { __builtin_prefetch(&states_[number], 1); }
  bool is_entry(std::uint32_t number, const ShortKey& key) const {
    const TableEntry& entry = entries_[number];
    return entry.key[0] == key.low && entry.key[1] == key.high && entry.key_bytes == key.tagged_bytes;
  }
  // Returns whether find() would find that entry. Requires: a key that is not empty.
  bool is_key(std::uint32_t number, const ShortKey& key) const {
    return key.low != 0 && matches(entries_[number], key);
  }

  // The three steps of looking up many keys above 16 bytes at once, by the hash that the table holds for them.
  static std::uint64_t hash_long(std::string_view key);
  void prefetch_long(std::string_view key, std::uint64_t hash, KeySpace space) const {
    __builtin_prefetch(&slots_[long_slot_hash(hash, tagged_bytes(key, space), space) >> shift_]);
  }
  TableEntry* find_long(std::string_view key, std::uint64_t hash, KeySpace space);

  TableEntry* find(std::string_view key, KeySpace space);
  // Requires: the key is not in the table, has_room(key.size()).
  TableEntry& insert(std::string_view key, KeySpace space);

  bool has_room(std::size_t key_bytes, std::uint32_t entries = 1) const {
    return size_ + entries <= capacity_ && arena_used_ + key_bytes <= arena_.size();
  }
  // Returns whether an empty table could hold `entries` entries with `key_bytes` of long keys.
  bool could_hold(std::size_t key_bytes, std::uint32_t entries) const {
    return entries <= capacity_ && key_bytes <= arena_.size();
  }
  void clear();

  std::uint32_t size() const { return size_; }
  std::uint32_t clear_count() const { return clear_count_; }
  TableEntry& operator[](std::uint32_t number) { return entries_[number]; }
  TermState& state(std::uint32_t number) { return states_[number]; }
  std::uint32_t number_of(const TableEntry& entry) const { return static_cast<std::uint32_t>(&entry - entries_); }
  static bool is_proved(const TableEntry& entry) { return (entry.key_bytes & kUnprovedBit) == 0; }
  static void set_proved(TableEntry& entry, bool proved) {
    entry.key_bytes = (entry.key_bytes & ~kUnprovedBit) | (proved ? 0 : kUnprovedBit);
  }
  std::string_view key_of(const TableEntry& entry) const;
  static bool is_term(const TableEntry& entry) { return (entry.key_bytes & kSpaceBit) == 0; }

  // Loads a key of up to 16 bytes as two zero-padded words. Uses overlapping loads: a copy of a few bytes that is read
  // as a word at once would wait for its stores.
  static void load_short(std::string_view key, std::uint64_t words[2]) {
    const char* const at = key.data();
    const std::size_t bytes = key.size();
    words[0] = words[1] = 0;
    if (bytes > 8) {
      words[0] = load<std::uint64_t>(at);
      words[1] = load<std::uint64_t>(at + bytes - 8) >> 8 * (16 - bytes);
    } else if (bytes >= 4) {
      words[0] = load<std::uint32_t>(at) | std::uint64_t{load<std::uint32_t>(at + bytes - 4)} << 8 * (bytes - 4);
    } else if (bytes != 0) {
      const auto byte = [&](std::size_t i) { return std::uint64_t{static_cast<std::uint8_t>(at[i])} << 8 * i; };
      words[0] = byte(0) | byte(bytes / 2) | byte(bytes - 1);
    }
  }

 private:
  template <typename T>
  static T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  static bool matches(const TableEntry& entry, const ShortKey& key) {
    return entry.key[0] == key.low && entry.key[1] == key.high && (entry.key_bytes & ~kUnprovedBit) == key.tagged_bytes;
  }

  static std::uint32_t tagged_bytes(std::string_view key, KeySpace space) {
    return static_cast<std::uint32_t>(key.size()) | (space == KeySpace::kToken ? kSpaceBit : 0);
  }
  static std::uint64_t long_slot_hash(std::uint64_t hash, std::uint32_t tagged_bytes, KeySpace space) {
    return hash_token_words(hash, tagged_bytes, seed_of(space));
  }

  static constexpr unsigned kIndexBits = 18;
  static constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;

  static std::uint64_t seed_of(KeySpace space) { return space == KeySpace::kToken ? 0xD1B54A32D192ED03ULL : 0; }
  static std::uint64_t hash_of(const ShortKey& key) {
    const KeySpace space = (key.tagged_bytes & kSpaceBit) != 0 ? KeySpace::kToken : KeySpace::kTerm;
    return hash_token_words(key.low, key.high, seed_of(space));
  }
  // Bits of the hash that a slot holds above the entry number.
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash) & ~kIndexMask; }

  Buffer memory_, arena_;
  TableEntry* entries_;  // the first one holds no key
  TermState* states_;
  std::uint32_t* slots_;  // 0: free; else a tag with the entry number below it
  std::size_t slot_mask_;
  unsigned shift_;  // slot = hash >> shift
  std::uint32_t capacity_;
  std::uint32_t size_ = 0;
  std::uint32_t clear_count_ = 0;
  std::size_t arena_used_ = 0;
};

}  // namespace spillway
