// The steps that decode the fragments of a batch (io/format/run.hpp): varints of postings and of distances, found by
// groups of bytes in parallel. A posting is a word, and a frequency where the lowest bit of the word is 0; so what a
// varint is depends on all before it in its fragment. Each group is therefore counted twice, once for either state it
// may begin in, and scans over the groups tell the state. O(bytes); 16 bytes of scratch a group.
#pragma once

#include "indexer/gpu/merge/steps/batch.hpp"

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

// Calls visit(i, starts) for each byte i of a group at which a varint begins; `starts`: so does a fragment.
template <typename Visit>
SPILLWAY_HOST_DEVICE inline void for_each_varint(const std::uint8_t* bytes, std::uint32_t byte_count,
                                                 std::uint64_t starts, std::size_t g, const Visit& visit) {
  const std::size_t begin = g * kBatchGroupBytes;
  const std::size_t end = begin + kBatchGroupBytes < byte_count ? begin + kBatchGroupBytes : byte_count;
  bool goes_on = begin != 0 && (bytes[begin - 1] & 0x80) != 0;
  for (std::size_t i = begin; i < end; ++i) {
    const bool starts_fragment = (starts >> (i - begin) & 1) != 0;
    if (starts_fragment || !goes_on) visit(static_cast<std::uint32_t>(i), starts_fragment);
    goes_on = (bytes[i] & 0x80) != 0;
  }
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
    std::uint32_t states[2] = {0, 1};
    if (g * kBatchGroupBytes < batch.size.posting_bytes) {
      for_each_varint(batch.posting_bytes, batch.size.posting_bytes, batch.starts[g], g,
                      [&](std::uint32_t i, bool starts_fragment) {
                        if (starts_fragment) states[0] = states[1] = 0;
                        count.fragments += starts_fragment ? 1 : 0;
                        const std::uint32_t after_word = batch.posting_bytes[i] & 1 ? 0 : 1;
                        for (std::uint32_t s = 0; s < 2; ++s) {
                          count.postings[s] += 1 - states[s];
                          states[s] = states[s] == 0 ? after_word : 0;
                        }
                      });
      count.ends = states[0] | states[1] << 1;
    }
    counts[g] = count;
  }
};

// Writes the gap of each posting to the posting before it, whatever list that belongs to, so that one sum over all gaps
// gives the documents.
struct DecodePostings {
  BatchView batch;
  const WordCounts* counts;  // exclusive
  RawPostings to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    std::uint32_t posting = counts[g].postings[0], fragment = counts[g].fragments, state = counts[g].end(0);
    for_each_varint(batch.posting_bytes, batch.size.posting_bytes, batch.starts[g], g,
                    [&](std::uint32_t i, bool starts_fragment) {
                      if (starts_fragment && state == 1) batch.set_wrong();
                      if (starts_fragment) state = 0;
                      if (state == 1) {
                        state = 0;
                        return;
                      }
                      if (posting >= batch.size.postings) return batch.set_wrong();
                      std::uint64_t word = 0, frequency = 1;
                      const std::uint8_t* const after = read_batch_varint(batch.posting_bytes + i, word);
                      if ((word & 1) == 0) {
                        read_batch_varint(after, frequency);
                        if (frequency < 2 || frequency >> 32 != 0) batch.set_wrong();
                        state = 1;
                      }
                      if (word >> 33 != 0) batch.set_wrong();
                      put(posting++, word >> 1, frequency, starts_fragment ? &batch.fragments[fragment++] : nullptr);
                    });
  }

 private:
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
    std::uint32_t count = 0;
    if (g * kBatchGroupBytes < batch.size.distance_bytes) {
      for_each_varint(batch.distance_bytes, batch.size.distance_bytes, 0, g, [&](std::uint32_t, bool) { ++count; });
    }
    counts[g] = count;
  }
};

struct DecodeDistances {
  BatchView batch;
  const std::uint32_t* counts;  // exclusive
  std::uint32_t* distances;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t g) const {
    std::uint32_t at = counts[g];
    for_each_varint(batch.distance_bytes, batch.size.distance_bytes, 0, g, [&](std::uint32_t i, bool) {
      std::uint64_t distance = 0;
      read_batch_varint(batch.distance_bytes + i, distance);
      if (at >= batch.size.occurrences || distance >> 32 != 0) return batch.set_wrong();
      distances[at++] = static_cast<std::uint32_t>(distance);
    });
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
