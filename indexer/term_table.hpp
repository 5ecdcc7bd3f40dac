// The chunk's term table: an open-addressing hash table from tokens to entries, sized to the L2 cache. An entry is one
// cache line: keys of up to 16 bytes stand in it, longer ones in an arena; it also holds what folding and checksums
// need, so that an occurrence touches one slot and one line.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "io/memory_budget.hpp"
#include "io/occurrence_sum.hpp"

namespace spillway {

// Terms and the tokens they come from are different keys: the token "runs" may have the term "run", while the token
// "run" has the term "run" too, or none.
enum class KeySpace : std::uint32_t { kTerm = 0, kToken = 1 };

struct alignas(64) TableEntry {
  std::uint64_t key[2];     // up to 16 bytes, zero-padded; longer: arena offset, hash
  std::uint32_t key_bytes;  // and the key space in the top bit
  // kToken: what an occurrence of it means (a term's entry number, or one of the codes below). kTerm: its own number.
  std::uint32_t action;
  TermHash hash;  // kTerm, for the checksum
  // kTerm, folding (documents + 1, so that 0 means none):
  std::uint32_t open_document;   // whose occurrences are being counted
  std::uint32_t frequency;       // so far in it
  std::uint32_t last_document;   // the last one emitted
  std::uint32_t posting_bytes;   // of the postings emitted
  std::uint32_t document_count;  // postings emitted
  std::uint32_t occurrence_count;
};
static_assert(sizeof(TableEntry) == 64);

class TermTable {
 public:
  static constexpr std::uint32_t kSpaceBit = 0x80000000U;

  // Room for `capacity` entries (at most 2^18 - 2) and `arena_bytes` of long keys.
  TermTable(MemoryBudget& budget, std::uint32_t capacity, std::size_t arena_bytes);
  static std::size_t memory_bytes(std::uint32_t capacity, std::size_t arena_bytes);

  // Keys of up to 16 bytes, as two zero-padded words, with the key space in the top bit of their length.
  struct ShortKey {
    std::uint64_t low, high;
    std::uint32_t tagged_bytes;
  };
  static std::uint64_t hash_of(const ShortKey& key) { return hash_words(key.low, key.high, key.tagged_bytes); }

  // nullptr where the key is not there.
  TableEntry* find(const ShortKey& key, std::uint64_t hash) {
    for (std::size_t at = hash & slot_mask_;; at = (at + 1) & slot_mask_) {
      const std::uint32_t slot = slots_[at];
      if (slot == 0) return nullptr;
      if ((slot ^ tag_of(hash)) >> kIndexBits != 0) continue;
      TableEntry& entry = entries_[(slot & kIndexMask) - 1];
      if (matches(entry, key)) return &entry;
    }
  }

  // find() in three steps, so that a caller with many keys can hide the memory's latency: the slot is on its way to the
  // cache; which entry the slot names (a guess, to be proved by is_entry); is it the key's, in the table as it is now?
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & slot_mask_]); }
  std::uint32_t guess(std::uint64_t hash) const {
    const std::uint32_t number = (slots_[hash & slot_mask_] & kIndexMask) - 1;
    __builtin_prefetch(&entries_[number & kIndexMask], 1);
    return number;
  }
  bool is_entry(std::uint32_t number, const ShortKey& key) const {
    return number < size_ && matches(entries_[number], key);
  }

  TableEntry* find(std::string_view key, KeySpace space);
  // Requires: the key is not there, has_room(key.size()).
  TableEntry& insert(std::string_view key, KeySpace space);

  bool has_room(std::size_t key_bytes, std::uint32_t entries = 1) const {
    return size_ + entries <= capacity_ && arena_used_ + key_bytes <= arena_.size();
  }
  // Could a table that is empty hold this key and as many more entries?
  bool could_hold(std::size_t key_bytes, std::uint32_t entries) const {
    return entries <= capacity_ && key_bytes <= arena_.size();
  }
  void clear();

  std::uint32_t size() const { return size_; }
  TableEntry& operator[](std::uint32_t number) { return entries_[number]; }
  std::uint32_t number_of(const TableEntry& entry) const { return static_cast<std::uint32_t>(&entry - entries_); }
  std::string_view key_of(const TableEntry& entry) const;
  static bool is_term(const TableEntry& entry) { return (entry.key_bytes & kSpaceBit) == 0; }

  // Two zero-padded words of a key of up to 16 bytes.
  static void load_short(std::string_view key, std::uint64_t words[2]) {
    words[0] = words[1] = 0;
    std::memcpy(words, key.data(), key.size());
  }

 private:
  static bool matches(const TableEntry& entry, const ShortKey& key) {
    return entry.key[0] == key.low && entry.key[1] == key.high && entry.key_bytes == key.tagged_bytes;
  }

  static constexpr unsigned kIndexBits = 18;
  static constexpr std::uint32_t kIndexMask = (1U << kIndexBits) - 1;

  static std::uint64_t hash_words(std::uint64_t low, std::uint64_t high, std::uint64_t tagged_bytes) {
    const unsigned __int128 product =
        static_cast<unsigned __int128>(low ^ 0x9E3779B97F4A7C15ULL ^ (tagged_bytes << 56)) *
        (high ^ 0xD6E8FEB86659FD93ULL);
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  // The hash's top bits, above the index bits of a slot.
  static std::uint32_t tag_of(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32) & ~kIndexMask; }

  Buffer slots_memory_, entries_memory_, arena_;
  std::uint32_t* slots_;  // 0: free, else tag and entry number + 1
  TableEntry* entries_;
  std::size_t slot_mask_;
  std::uint32_t capacity_;
  std::uint32_t size_ = 0;
  std::size_t arena_used_ = 0;
};

}  // namespace spillway
