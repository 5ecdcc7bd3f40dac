// The steps that turn the uploaded bytes of a block of tokens (ChunkForm::kTokens) into strings and keys. Every nonzero
// byte belongs to a token, and a token begins where a zero byte precedes it. Each thread takes a group of
// kRawGroupBytes twice: CountRawTokens counts, and CompactTokens writes once the sums over the groups before are known.
// O(bytes) time; 16 bytes of scratch a group.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "indexer/chunk/parsed_chunk.hpp"
#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

inline constexpr std::size_t kRawGroupBytes = 64;
// Zero bytes after the last one: they fill the last group, and loads of a token may read past its end.
inline constexpr std::size_t kRawPadding = 2 * kRawGroupBytes;
constexpr std::size_t raw_groups(std::size_t raw_bytes) { return (raw_bytes + kRawGroupBytes - 1) / kRawGroupBytes; }

// Counts of a group, or their sums over the groups before it.
struct RawCounts {
  std::uint64_t bytes = 0;  // in tokens
  std::uint64_t tokens = 0;
};
struct AddRawCounts {
  SPILLWAY_HOST_DEVICE RawCounts operator()(const RawCounts& a, const RawCounts& b) const {
    return {a.bytes + b.bytes, a.tokens + b.tokens};
  }
};

// Requires: mask != 0.
SPILLWAY_HOST_DEVICE inline unsigned lowest_bit(std::uint64_t mask) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffsll(static_cast<long long>(mask)) - 1);
#else
  return static_cast<unsigned>(std::countr_zero(mask));
#endif
}

// Sets 0x80 in the place of every nonzero byte.
SPILLWAY_HOST_DEVICE constexpr std::uint64_t high_bits_of_used(std::uint64_t word) {
  constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7FULL;
  return (((word & kLow) + kLow) | word) & ~kLow;
}
// Returns the bytes before the first 0 of a word, or 8.
SPILLWAY_HOST_DEVICE inline unsigned bytes_before_zero(std::uint64_t word) {
  const std::uint64_t ends = ~high_bits_of_used(word) & 0x8080808080808080ULL;
  return ends == 0 ? 8 : lowest_bit(ends) / 8;
}
// Sets bit i where byte i is not 0.
SPILLWAY_HOST_DEVICE constexpr std::uint64_t used_bytes_of(std::uint64_t word) {
  return (high_bits_of_used(word) >> 7) * 0x0102040810204080ULL >> 56;
}

struct RawGroup {
  static constexpr unsigned kWords = kRawGroupBytes / 8;
  std::uint64_t words[kWords];
  std::uint64_t used;    // bit i: byte i is not 0
  std::uint64_t starts;  // bit i: a token begins at byte i
};

// The uploaded bytes, aligned to 16 and followed by kRawPadding zeros.
struct RawTokens {
  const std::uint8_t* bytes;

  SPILLWAY_HOST_DEVICE RawGroup group(std::size_t g) const {
    const std::uint8_t* const at = bytes + g * kRawGroupBytes;
    return load_group(at, g != 0 && at[-1] != 0);
  }
  // `goes_on`: whether a token has the byte before the group.
  SPILLWAY_HOST_DEVICE static RawGroup load_group(const std::uint8_t* at, bool goes_on) {
    struct alignas(16) Pair {
      std::uint64_t low, high;
    };
    const auto* const pairs = reinterpret_cast<const Pair*>(at);
    RawGroup group{};
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < RawGroup::kWords / 2; ++i) {
      const Pair pair = pairs[i];
      group.words[2 * i] = pair.low;
      group.words[2 * i + 1] = pair.high;
    }
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < RawGroup::kWords; ++i) group.used |= used_bytes_of(group.words[i]) << 8 * i;
    group.starts = group.used & ~(group.used << 1 | (goes_on ? 1 : 0));
    return group;
  }
};

// The counts of group g, and 0 after the last group, so that exclusive sums end with the total.
struct CountRawTokens {
  RawTokens raw;
  std::size_t groups;
  RawCounts* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    RawCounts count;
    if (g < groups) {
      const RawGroup group = raw.group(g);
      count = {set_bits(group.used), set_bits(group.starts)};
    }
    counts[g] = count;
  }
};

// Appends bytes at any address, a word at a time. Bytes before the first and after the last are not written.
class ByteAppender {
 public:
  SPILLWAY_HOST_DEVICE explicit ByteAppender(std::uint8_t* to)
      : word_(reinterpret_cast<std::uint8_t*>(reinterpret_cast<std::uintptr_t>(to) & ~std::uintptr_t{7})),
        first_(static_cast<unsigned>(to - word_)),
        filled_(first_) {}
  // Appends the lowest `count` bytes. Requires: count <= 8, and the other bytes are 0.
  SPILLWAY_HOST_DEVICE void append(std::uint64_t bytes, unsigned count) {
    pending_ |= bytes << 8 * filled_;
    filled_ += count;
    if (filled_ < 8) return;
    filled_ -= 8;
    store();
    // The bytes that did not fit: none where the last byte filled the word.
    pending_ = filled_ == 0 ? 0 : bytes >> 8 * (count - filled_);
  }
  SPILLWAY_HOST_DEVICE void finish() { store_bytes(filled_); }

 private:
  SPILLWAY_HOST_DEVICE void store() {
    if (first_ == 0) {
      *reinterpret_cast<std::uint64_t*>(word_) = pending_;
    } else {
      store_bytes(8);
      first_ = 0;
    }
    word_ += 8;
  }
  SPILLWAY_HOST_DEVICE void store_bytes(unsigned end) const {
    for (unsigned i = first_; i < end; ++i) word_[i] = static_cast<std::uint8_t>(pending_ >> 8 * i);
  }

  std::uint8_t* word_;  // aligned
  unsigned first_;      // the first byte of the word to write
  unsigned filled_;     // the end of its pending bytes
  std::uint64_t pending_ = 0;
};

// Writes the tokens without their separators, and the offset of each. The last group also writes the end. An executor
// may write several groups at once, by write().
struct CompactTokens {
  RawTokens raw;
  std::size_t groups;
  const RawCounts* counts;  // exclusive; after the last group, the totals
  std::uint8_t* text;
  std::uint64_t* offsets;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    const RawCounts before = counts[g];
    write(raw.group(g), text + before.bytes, before.bytes, offsets + before.tokens);
    if (g + 1 == groups) offsets[counts[groups].tokens] = counts[groups].bytes;
  }
  // Writes the bytes of a group's tokens to `to`, and the offset of each token that begins in it to `offsets`: `begin`
  // is that of the group's first byte.
  template <typename Offset>
  SPILLWAY_HOST_DEVICE static void write(const RawGroup& group, std::uint8_t* to, Offset begin, Offset* offsets) {
    ByteAppender out(to);
    SPILLWAY_UNROLL
    for (unsigned i = 0; i < RawGroup::kWords; ++i) {
      append_used(out, group.words[i], static_cast<unsigned>(group.used >> 8 * i & 0xFF));
    }
    out.finish();
    for (std::uint64_t left = group.starts; left != 0; left &= left - 1) {
      const std::uint64_t below = (left & (~left + 1)) - 1;
      *offsets++ = static_cast<Offset>(begin + set_bits(group.used & below));
    }
  }
  SPILLWAY_HOST_DEVICE static void append_used(ByteAppender& out, std::uint64_t word, unsigned used) {
    while (used != 0) {
      const unsigned begin = lowest_bit(used), run = lowest_bit(~std::uint64_t{used >> begin});
      const std::uint64_t bytes = word >> 8 * begin;
      out.append(run == 8 ? bytes : bytes & ((std::uint64_t{1} << 8 * run) - 1), run);
      used &= ~(((1U << run) - 1) << begin);
    }
  }
};

inline constexpr std::uint32_t kTokenGroup = 256;  // tokens between two entries of FindGroupDocuments or FindGroupRuns
constexpr std::size_t token_groups(std::size_t tokens) { return (tokens + kTokenGroup - 1) / kTokenGroup; }

// The document of the first token of each group, and one entry more with the number of documents: they bound the search
// for the document of each token.
struct FindGroupDocuments {
  const std::uint32_t* document_ends;
  std::uint32_t documents, tokens;
  std::uint32_t* group_documents;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    const std::uint64_t token = std::uint64_t{g} * kTokenGroup;
    group_documents[g] =
        token >= tokens ? documents : first_not_below(document_ends, documents, static_cast<std::uint32_t>(token) + 1);
  }
};

struct DocumentOfToken {
  const std::uint32_t* document_ends;
  const std::uint32_t* group_documents;
  std::uint32_t document_count;
  SPILLWAY_HOST_DEVICE std::uint32_t operator()(std::uint32_t token) const {
    const std::uint32_t first = group_documents[token / kTokenGroup], last = group_documents[token / kTokenGroup + 1];
    const std::uint32_t end = last < document_count ? last + 1 : document_count;
    return first + first_not_below(document_ends + first, end - first, token + 1);
  }
};

struct FindDocuments {
  DocumentOfToken document_of;
  std::uint32_t* documents;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    documents[i] = document_of(static_cast<std::uint32_t>(i));
  }
};

// The document and the position of a token, so that one load brings both.
struct alignas(8) TokenPlace {
  std::uint32_t document, position;
};
struct FindPlaces {
  DocumentOfToken document_of;
  const std::uint32_t* positions;
  TokenPlace* places;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    places[i] = {document_of(static_cast<std::uint32_t>(i)), positions[i]};
  }
};

// The first token of each run of positions, numbered in the block.
struct PlaceRuns {
  const ChunkPlace* places;
  std::uint32_t chunks;
  const PositionRun* runs;
  std::uint32_t* first_tokens;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const ChunkPlace* const all = places;
    const std::uint32_t chunk = last_not_above(chunks, static_cast<std::uint32_t>(i),
                                               [all](std::uint32_t c) { return all[c].first_position_run; });
    first_tokens[i] = places[chunk].first_occurrence + runs[i].first_token;
  }
};

struct RunOfToken {
  const std::uint32_t* first_tokens;
  SPILLWAY_HOST_DEVICE std::uint32_t operator()(std::uint32_t run) const { return first_tokens[run]; }
};

// The run of the first token of each group, and one entry more with the last run.
struct FindGroupRuns {
  RunOfToken first_token;
  std::uint32_t runs, tokens;
  std::uint32_t* group_runs;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    const std::uint64_t token = std::uint64_t{g} * kTokenGroup;
    group_runs[g] = token >= tokens ? runs - 1 : last_not_above(runs, static_cast<std::uint32_t>(token), first_token);
  }
};

struct FindPositions {
  RunOfToken first_token;
  const PositionRun* runs;
  const std::uint32_t* group_runs;
  std::uint32_t* positions;  // by token
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto token = static_cast<std::uint32_t>(i);
    const std::uint32_t first = group_runs[token / kTokenGroup], last = group_runs[token / kTokenGroup + 1];
    const RunOfToken all = first_token;
    const std::uint32_t run =
        first + last_not_above(last - first + 1, token, [all, first](std::uint32_t r) { return all(first + r); });
    positions[i] = runs[run].position + (token - first_token(run));
  }
};

// Makes the keys of sorted tokens: [rank | document]. Finds the first token of each rank.
struct MakeTokenKeys {
  const std::uint32_t* order;
  const std::uint32_t* ranks_in_order;  // inclusive sums of MarkedOrder::d_firsts
  const std::uint32_t* documents;       // by token
  unsigned document_bits;
  std::uint64_t* keys;
  std::uint32_t* first_tokens;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const std::uint32_t token = order[i], rank = ranks_in_order[i] - 1;
    if (i == 0 || ranks_in_order[i - 1] != rank + 1) first_tokens[rank] = token;
    keys[i] = std::uint64_t{rank} << document_bits | documents[token];
  }
};

// The positions of sorted tokens, so that the steps after this one read them one after the other.
struct GatherPositions {
  const std::uint32_t* order;
  const std::uint32_t* positions;  // by token
  std::uint32_t* ordered;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const { ordered[i] = positions[order[i]]; }
};

}  // namespace spillway
