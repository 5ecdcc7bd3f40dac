// The steps that decode the fragments of a batch (io/format/run.hpp): varints of postings and of distances, found by
// groups of bytes in parallel. A posting is a word, and a frequency where the lowest bit of the word is 0; so what a
// varint is depends on all before it in its fragment. Each group is therefore counted twice, once for either state it
// may begin in, and scans over the groups tell the state. O(bytes); 16 bytes of scratch a group.
#pragma once

#include "indexer/gpu/merge/steps/batch.hpp"
#include "indexer/gpu/steps/lanes.hpp"

namespace spillway {

// Counts the postings of a group of bytes, or of all up to a group, for each state before it: in state 0 a word comes
// next, in state 1 a frequency.
struct WordCounts {
  std::uint32_t postings[2] = {0, 0};
  std::uint32_t fragments = 0;  // that begin in it
  std::uint32_t ends = 2;       // bit s: the state after it, where the state before it is s

  SPILLWAY_HOST_DEVICE std::uint32_t end(std::uint32_t state) const { return ends >> state & 1; }
};
// Associative, not commutative.
struct AddWordCounts {
  SPILLWAY_HOST_DEVICE WordCounts operator()(const WordCounts& a, const WordCounts& b) const {
    WordCounts sum;
    sum.ends = 0;
    for (std::uint32_t s = 0; s < 2; ++s) {
      sum.postings[s] = a.postings[s] + b.postings[a.end(s)];
      sum.ends |= b.end(a.end(s)) << s;
    }
    sum.fragments = a.fragments + b.fragments;
    return sum;
  }
};

// The bits below bit i, which is below 64.
SPILLWAY_HOST_DEVICE inline std::uint64_t below_bit(unsigned i) { return (std::uint64_t{1} << i) - 1; }

// The masks classify the bytes of a group: bit i is about byte i, and is 0 in `begins` after the last byte of a batch.
struct GroupMasks {
  std::uint64_t begins = 0;  // a varint begins
  std::uint64_t even = 0;    // the lowest bit is 0
  std::uint64_t starts = 0;  // a fragment starts

  // `follows`: bytes with the highest bit set, which another byte of their varint follows.
  SPILLWAY_HOST_DEVICE GroupMasks(const std::uint8_t* bytes, std::uint32_t byte_count, std::uint64_t starting,
                                  std::size_t g, std::uint64_t follows, std::uint64_t odd)
      : even(~odd), starts(starting) {
    const std::size_t begin = g * kBatchGroupBytes, left = byte_count - begin;
    const std::uint64_t before = begin != 0 && (bytes[begin - 1] & 0x80) != 0 ? 1 : 0;
    begins = ~(follows << 1 | before) | starts;
    if (left < kBatchGroupBytes) begins &= below_bit(static_cast<unsigned>(left));
  }
};

// The states after each byte of a group, for each state before the group. The effect of a byte on the state is a
// function of two values; six steps compose those of all bytes up to each.
struct GroupStates {
  std::uint64_t after[2];

  SPILLWAY_HOST_DEVICE explicit GroupStates(const GroupMasks& masks) {
    std::uint64_t f0 = masks.begins & masks.even, f1 = ~masks.begins | (masks.starts & masks.even);
    for (unsigned d = 1; d < 64; d *= 2) {
      const std::uint64_t e0 = f0 << d, e1 = f1 << d | below_bit(d);
      const std::uint64_t h0 = (e0 & f1) | (~e0 & f0);
      f1 = (e1 & f1) | (~e1 & f0);
      f0 = h0;
    }
    after[0] = f0;
    after[1] = f1;
  }
  SPILLWAY_HOST_DEVICE std::uint64_t before(std::uint32_t state) const { return after[state] << 1 | state; }
  // Returns where words begin.
  SPILLWAY_HOST_DEVICE std::uint64_t words(const GroupMasks& masks, std::uint32_t state) const {
    return masks.begins & (~before(state) | masks.starts);
  }
};

// One thread makes the masks of a group. It reads the whole group.
SPILLWAY_HOST_DEVICE inline GroupMasks group_masks(const std::uint8_t* bytes, std::uint32_t byte_count,
                                                   std::uint64_t starts, std::size_t g) {
  // Moves the lowest bits of eight bytes to the lowest eight bits: no two products meet.
  constexpr std::uint64_t kLowest = 0x0101010101010101, kGather = 0x0102040810204080;
  const auto* const words = reinterpret_cast<const std::uint64_t*>(bytes + g * kBatchGroupBytes);
  std::uint64_t follows = 0, odd = 0;
  for (unsigned i = 0; i < kBatchGroupBytes / 8; ++i) {
    const std::uint64_t word = words[i];
    follows |= (word >> 7 & kLowest) * kGather >> 56 << 8 * i;
    odd |= (word & kLowest) * kGather >> 56 << 8 * i;
  }
  return {bytes, byte_count, starts, g, follows, odd};
}
// Lanes make the masks together.
template <typename Lanes>
SPILLWAY_HOST_DEVICE inline GroupMasks group_masks(const std::uint8_t* bytes, std::uint32_t byte_count,
                                                   std::uint64_t starts, std::size_t g, const Lanes& lanes) {
  const std::uint8_t* const group = bytes + g * kBatchGroupBytes;
  return {bytes,
          byte_count,
          starts,
          g,
          lanes.mask([group](unsigned i) { return (group[i] & 0x80) != 0; }),
          lanes.mask([group](unsigned i) { return (group[i] & 1) != 0; })};
}

// Reads at most 5 bytes. Returns the place after them. A varint that goes on there gives a value above all others.
SPILLWAY_HOST_DEVICE inline const std::uint8_t* read_batch_varint(const std::uint8_t* at, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    const std::uint64_t byte = *at++;
    value |= (byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) return at;
  }
  value = ~std::uint64_t{0};
  return at;
}

struct CountWords {
  BatchView batch;
  WordCounts* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    WordCounts count;
    if (g * kBatchGroupBytes < batch.size.posting_bytes) {
      const GroupMasks masks = group_masks(batch.posting_bytes, batch.size.posting_bytes, batch.starts[g], g);
      const GroupStates states(masks);
      count.fragments = set_bits(masks.starts);
      for (std::uint32_t s = 0; s < 2; ++s) count.postings[s] = set_bits(states.words(masks, s));
      count.ends = static_cast<std::uint32_t>(states.after[0] >> 63 | states.after[1] >> 63 << 1);
    }
    counts[g] = count;
  }
};

// Writes the gap of each posting to the posting before it, whatever list that belongs to, so that one sum over all gaps
// gives the documents. Lanes take the bytes of a group in turn, so that neighbours write neighbours.
struct DecodePostings {
  BatchView batch;
  const WordCounts* counts;  // exclusive
  RawPostings to;
  template <typename Lanes>
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g, const Lanes& lanes) const {
    const std::uint32_t state = counts[g].end(0);
    const GroupMasks masks = group_masks(batch.posting_bytes, batch.size.posting_bytes, batch.starts[g], g, lanes);
    const GroupStates states(masks);
    const std::uint64_t words = states.words(masks, state);
    if ((masks.starts & states.before(state)) != 0) batch.set_wrong();  // a fragment ended with a word
    for (unsigned i = lanes.lane(); i < kBatchGroupBytes; i += Lanes::kCount) {
      if ((words >> i & 1) == 0) continue;
      const std::uint32_t posting = counts[g].postings[0] + set_bits(words & below_bit(i));
      if (posting >= batch.size.postings) {
        batch.set_wrong();
        return;
      }
      const BatchFragment* begun = nullptr;
      if ((masks.starts >> i & 1) != 0) {
        begun = batch.fragments + counts[g].fragments + set_bits(masks.starts & below_bit(i));
      }
      decode(batch.posting_bytes + g * kBatchGroupBytes + i, posting, begun);
    }
  }

 private:
  SPILLWAY_HOST_DEVICE void decode(const std::uint8_t* at, std::uint32_t posting, const BatchFragment* begun) const {
    std::uint64_t word = 0, frequency = 1;
    const std::uint8_t* const after = read_batch_varint(at, word);
    if ((word & 1) == 0) {
      read_batch_varint(after, frequency);
      if (frequency < 2 || frequency >> 32 != 0) batch.set_wrong();
    }
    if (word >> 33 != 0) batch.set_wrong();
    put(posting, word >> 1, frequency, begun);
  }
  SPILLWAY_HOST_DEVICE void put(std::uint32_t p, std::uint64_t gap, std::uint64_t frequency,
                                const BatchFragment* begun) const {
    std::uint8_t flags = 0;
    if (begun != nullptr) {
      if (begun->first_posting != p) batch.set_wrong();
      gap += begun->base - (begun == batch.fragments ? 0 : (begun - 1)->last_document);
      flags =
          static_cast<std::uint8_t>(RawPostings::kStartsFragment |
                                    ((begun->flags & BatchFragment::kStartsList) != 0 ? RawPostings::kStartsList : 0) |
                                    ((begun->flags & BatchFragment::kMayGoOn) != 0 ? RawPostings::kMayGoOn : 0));
    }
    to.documents[p] = static_cast<std::uint32_t>(gap);
    to.frequencies[p] = static_cast<std::uint32_t>(frequency);
    to.flags[p] = flags;
  }
};

// The same for distances, which are plain varints: their number in each group.
struct CountDistances {
  BatchView batch;
  std::uint32_t* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    const bool is_group = g * kBatchGroupBytes < batch.size.distance_bytes;
    counts[g] = is_group ? set_bits(group_masks(batch.distance_bytes, batch.size.distance_bytes, 0, g).begins) : 0;
  }
};

struct DecodeDistances {
  BatchView batch;
  const std::uint32_t* counts;  // exclusive
  std::uint32_t* distances;
  template <typename Lanes>
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g, const Lanes& lanes) const {
    const std::uint64_t begins = group_masks(batch.distance_bytes, batch.size.distance_bytes, 0, g, lanes).begins;
    for (unsigned i = lanes.lane(); i < kBatchGroupBytes; i += Lanes::kCount) {
      if ((begins >> i & 1) == 0) continue;
      const std::uint32_t at = counts[g] + set_bits(begins & below_bit(i));
      std::uint64_t distance = 0;
      read_batch_varint(batch.distance_bytes + g * kBatchGroupBytes + i, distance);
      if (at >= batch.size.occurrences || distance >> 32 != 0) {
        batch.set_wrong();
        return;
      }
      distances[at] = static_cast<std::uint32_t>(distance);
    }
  }
};

// Checks the numbers of postings and distances.
struct CheckCounts {
  BatchView batch;
  const WordCounts* words;         // of all groups
  const std::uint32_t* distances;  // the same; null without positions
  SPILLWAY_HOST_DEVICE void operator()(std::size_t) const {
    if (words->postings[0] != batch.size.postings || words->end(0) != 0) batch.set_wrong();
    if (distances != nullptr && *distances != batch.size.occurrences) batch.set_wrong();
  }
};

// Checks the end of each fragment against what its entry says, and its distances' begin against its occurrences.
struct CheckFragment {
  BatchView batch;
  RawPostings postings;
  const std::uint32_t* distance_counts;  // exclusive; null without positions
  SPILLWAY_HOST_DEVICE void operator()(std::size_t f) const {
    const BatchFragment &begin = batch.fragments[f], &end = batch.fragments[f + 1];
    if (postings.documents[end.first_posting - 1] != begin.last_document ||
        postings.occurrences[end.first_posting] != end.first_occurrence) {
      batch.set_wrong();
    }
    if (goes_on(batch.posting_bytes, end.first_byte)) batch.set_wrong();
    if (distance_counts == nullptr) return;
    if (distances_before(begin.first_distance_byte) != begin.first_occurrence) batch.set_wrong();
    // A varint that a fragment cuts in two would be counted once and read twice.
    if (goes_on(batch.distance_bytes, end.first_distance_byte)) batch.set_wrong();
  }

 private:
  SPILLWAY_HOST_DEVICE static bool goes_on(const std::uint8_t* bytes, std::uint32_t end) {
    return end != 0 && (bytes[end - 1] & 0x80) != 0;
  }
  SPILLWAY_HOST_DEVICE std::uint32_t distances_before(std::uint32_t byte) const {
    std::uint32_t count = distance_counts[byte / kBatchGroupBytes];
    for (std::size_t i = byte / kBatchGroupBytes * kBatchGroupBytes; i < byte; ++i) {
      if (i == 0 || (batch.distance_bytes[i - 1] & 0x80) == 0) ++count;
    }
    return count;
  }
};

}  // namespace spillway
