// Finds which tokens of a block are equal, before anything is sorted: a hash table with linear probing, whose slots
// hold distinct tokens, the terms of the block. Then only these are sorted as strings. All threads of a step put tokens
// into it at the same time. Which of equal tokens a slot tells is not determined, but their text is the same.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "indexer/gpu/steps/short_token.hpp"
#include "indexer/gpu/steps/tokens.hpp"

namespace spillway {

inline constexpr std::uint32_t kMostTableSlots = std::uint32_t{1} << 22;  // 32 MiB: the cache of an H200 has 50 MB
// Where a block has more terms than its table holds, all its tokens are sorted.
constexpr std::uint32_t token_table_slots(std::uint64_t tokens) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens / 2 + 64, kMostTableSlots));
}

// A slot is 0 where it is empty. Without kFar it holds the token itself, up to 8 bytes, with the first byte lowest.
// With kFar it has bits of a hash, and the place of a token among the uploaded bytes.
using TermSlot = std::uint64_t;
inline constexpr TermSlot kFar = TermSlot{1} << 63;
inline constexpr unsigned kTokenPlaceBits = 40;
inline constexpr TermSlot kTokenPlaceMask = (TermSlot{1} << kTokenPlaceBits) - 1;

// Loads what other threads write meanwhile. kCached: it may be older than what they have written.
enum class Load { kCached, kFresh };
template <Load kLoad, typename Value>
SPILLWAY_HOST_DEVICE inline Value load_written(const Value* at) {
#ifdef __CUDA_ARCH__
  return kLoad == Load::kCached ? *at : __ldcg(at);
#else
  return __atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}
// Sets an empty slot, and returns what it held.
SPILLWAY_HOST_DEVICE inline TermSlot set_slot(TermSlot* at, TermSlot value) {
#ifdef __CUDA_ARCH__
  return atomicCAS(reinterpret_cast<unsigned long long*>(at), 0ULL, value);
#else
  TermSlot seen = 0;
  __atomic_compare_exchange_n(at, &seen, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  return seen;
#endif
}

// Text that a zero byte ends, at any place of the uploaded bytes.
SPILLWAY_HOST_DEVICE inline bool is_same_token(const std::uint8_t* raw, std::uint64_t a, std::uint64_t b) {
  while (true) {
    const std::uint64_t word = load_word(raw, a), difference = word ^ load_word(raw, b);
    const unsigned used = bytes_before_zero(word);
    if (used < 8) return difference << 8 * (7 - used) == 0;  // the zero byte is compared, too
    if (difference != 0) return false;
    a += 8;
    b += 8;
  }
}
SPILLWAY_HOST_DEVICE inline std::uint64_t bytes_of_token(const std::uint8_t* raw, std::uint64_t at) {
  for (std::uint64_t bytes = 0;; bytes += 8) {
    const unsigned used = bytes_before_zero(load_word(raw, at + bytes));
    if (used < 8) return bytes + used;
  }
}
// A hash of a token of any length. O(bytes).
SPILLWAY_HOST_DEVICE inline std::uint64_t hash_long_token(const std::uint8_t* raw, std::uint64_t at) {
  std::uint64_t hash = 0;
  while (true) {
    const std::uint64_t word = load_word(raw, at);
    const unsigned used = bytes_before_zero(word);
    if (used == 0) return hash;
    hash = xxh3::avalanche64(hash + (used == 8 ? word : word & ((std::uint64_t{1} << 8 * used) - 1)));
    if (used < 8) return hash;
    at += 8;
  }
}

// Tells of all terms what is known once they are in the table.
struct TermTotals {
  std::uint64_t bytes = 0;
  std::uint32_t terms = 0;
  std::uint32_t is_full = 0;  // whether a token found no slot
};

struct DistinctTokens {
  // A token needs more only where about two thirds of 4 M slots are used: the longest run of used slots is about
  // ln(slots) / (load - 1 - ln(load)).
  static constexpr std::uint32_t kMostProbes = 256;
  // Long tokens that differ may look equal, by 23 bits of their hashes. Four such in one search are as good as
  // impossible, unless texts were made to cost time.
  static constexpr std::uint32_t kMostMistakes = 4;
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  const std::uint8_t* raw;
  TermSlot* slots;  // all 0 at first
  std::uint32_t slot_count;
  std::uint32_t* is_full;  // 0 at first

  // Returns the slot of the token at byte `at`, or kNone, which sets is_full. `hash`: hash_of() the token.
  SPILLWAY_HOST_DEVICE std::uint32_t put(std::uint64_t at, const ShortToken& token, std::uint64_t hash) const {
    const TermSlot near = near_value(token), value = near != 0 ? near : kFar | (hash << kTokenPlaceBits & ~kFar) | at;
    std::uint32_t slot = first_slot(hash), mistakes = 0;
    for (std::uint32_t probe = 0; probe < kMostProbes && mistakes < kMostMistakes; ++probe) {
      TermSlot seen = load_written<Load::kFresh>(slots + slot);
      if (seen == 0) seen = set_slot(slots + slot, value);
      if (seen == 0 || seen == value) return slot;
      if (near == 0 && (seen ^ value) >> kTokenPlaceBits == 0) {
        if (is_same_token(raw, at, seen & kTokenPlaceMask)) return slot;
        ++mistakes;
      }
      slot = slot + 1 == slot_count ? 0 : slot + 1;
    }
    raise_flag(is_full);
    return kNone;
  }
  // Sets `slot` to the one where put() would begin, and returns whether that has the token already, as for most.
  SPILLWAY_HOST_DEVICE bool find_at_once(const ShortToken& token, std::uint64_t hash, std::uint32_t& slot) const {
    slot = first_slot(hash);
    const TermSlot near = near_value(token);
    return near != 0 && load_written<Load::kCached>(slots + slot) == near;
  }
  // `hash`: hash_short_token(), of a short one.
  SPILLWAY_HOST_DEVICE std::uint64_t hash_of(std::uint64_t at, const ShortToken& token,
                                             const Hash128Halves& hash) const {
    return token.bytes <= kShortTokenBytes ? hash.low : hash_long_token(raw, at);
  }
  SPILLWAY_HOST_DEVICE bool has_room() const { return load_written<Load::kFresh>(is_full) == 0; }

 private:
  // Returns the token as a slot holds it, or 0 where it does not fit.
  SPILLWAY_HOST_DEVICE static TermSlot near_value(const ShortToken& token) {
    const TermSlot text = token.bytes < 8 ? token.low & ((std::uint64_t{1} << 8 * token.bytes) - 1) : token.low;
    return token.bytes <= 8 && (text & kFar) == 0 ? text : 0;
  }
  SPILLWAY_HOST_DEVICE std::uint32_t first_slot(std::uint64_t hash) const {
    return static_cast<std::uint32_t>((hash >> 29 & 0xFFFFFFFF) * slot_count >> 32);
  }
};

// Bytes and number of the terms in a slot, and 0 after the last one, so that exclusive sums end with the totals.
struct CountTerms {
  const std::uint8_t* raw;
  const TermSlot* slots;
  std::uint32_t slot_count;
  RawCounts* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t s) const {
    const TermSlot slot = s < slot_count ? slots[s] : 0;
    RawCounts count;
    if (slot != 0)
      count = {(slot & kFar) == 0 ? bytes_before_zero(slot) : bytes_of_token(raw, slot & kTokenPlaceMask), 1};
    counts[s] = count;
  }
};
struct CollectTerms {
  const RawCounts* all;
  TermTotals* totals;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t) const {
    totals->bytes = all->bytes;
    totals->terms = static_cast<std::uint32_t>(all->tokens);
  }
};

// Writes the terms as strings, in the order of their slots.
struct WriteTerms {
  const std::uint8_t* raw;
  const TermSlot* slots;
  std::uint32_t slot_count;
  const RawCounts* counts;  // exclusive; after the last slot, the totals
  std::uint8_t* text;
  std::uint64_t* offsets;
  std::uint32_t* slot_of_term;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t s) const {
    const RawCounts before = counts[s];
    if (s == slot_count) {
      offsets[before.tokens] = before.bytes;
      return;
    }
    const TermSlot slot = slots[s];
    if (slot == 0) return;
    offsets[before.tokens] = before.bytes;
    slot_of_term[before.tokens] = static_cast<std::uint32_t>(s);
    ByteAppender out(text + before.bytes);
    std::uint64_t word = slot, at = slot & kTokenPlaceMask;
    if ((slot & kFar) != 0) word = load_word(raw, at);
    while (true) {
      const unsigned used = bytes_before_zero(word);
      out.append(used == 8 ? word : word & ((std::uint64_t{1} << 8 * used) - 1), used);
      if (used < 8 || (slot & kFar) == 0) break;
      at += 8;
      word = load_word(raw, at);
    }
    out.finish();
  }
};

// The rank of the term in each slot.
struct RankSlots {
  const std::uint32_t *order, *slot_of_term;
  std::uint32_t* rank_of_slot;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t rank) const {
    rank_of_slot[slot_of_term[order[rank]]] = static_cast<std::uint32_t>(rank);
  }
};

struct CopyKeys {
  const std::uint64_t* from;
  std::uint64_t* to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const { to[i] = from[i]; }
};

// Makes keys of tokens in their order: [rank | document].
struct MakeTermKeys {
  const std::uint32_t *token_slots, *rank_of_slot;
  DocumentOfToken document_of;
  unsigned document_bits;
  std::uint64_t* keys;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint64_t rank = rank_of_slot[token_slots[i]];
    keys[i] = rank << document_bits | document_of(static_cast<std::uint32_t>(i));
  }
};
// The same with the number of the token for its document.
struct MakePositionedTermKeys {
  const std::uint32_t *token_slots, *rank_of_slot;
  unsigned token_bits;
  std::uint64_t* keys;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    keys[i] = std::uint64_t{rank_of_slot[token_slots[i]]} << token_bits | i;
  }
};

// Replaces the tokens of sorted keys by their documents, and brings the positions into the order of the keys.
struct ReplaceTokens {
  std::uint64_t* keys;  // [rank | token], then [rank | document]
  unsigned token_bits, document_bits;
  const TokenPlace* places;
  std::uint32_t* ordered_positions;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint64_t key = keys[i];
    const TokenPlace place = places[key & ((std::uint64_t{1} << token_bits) - 1)];
    keys[i] = key >> token_bits << document_bits | place.document;
    ordered_positions[i] = place.position;
  }
};

}  // namespace spillway
