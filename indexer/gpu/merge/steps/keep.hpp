// The steps between decoding a batch and encoding it: they check the order of documents and positions, take the sums
// (io/checksum/content_checksum.hpp), join the parts of cut documents, and leave out dropped ones. O(postings) and
// O(occurrences).
#pragma once

#include "indexer/gpu/merge/steps/batch.hpp"

namespace spillway {

// keeps[p]: whether raw posting p begins a kept one; and 0 after the last. The steps after this one may run only where
// nothing is wrong: they read tables by documents, and distances by occurrences.
struct KeepPostings {
  BatchView batch;
  RawPostings raw;
  KeptNumbers numbers;
  std::uint64_t document_count;  // of the source
  std::uint8_t* keeps;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto p = static_cast<std::uint32_t>(i);
    keeps[p] = 0;
    if (p == batch.size.postings) return;
    const std::uint32_t document = raw.documents[p];
    if (document >= document_count || raw.occurrences[p] > raw.occurrences[p + 1] ||
        raw.occurrences[p + 1] > batch.size.occurrences) {
      return batch.set_wrong();
    }
    if ((raw.flags[p] & RawPostings::kStartsList) == 0) {
      if (raw.goes_on(p)) return;
      if (document <= raw.documents[p - 1]) batch.set_wrong();
    }
    keeps[p] = numbers.is_dropped(document) ? 0 : 1;
  }
};

// Kept postings, and where the occurrences of each begin.
struct KeptPostings {
  std::uint32_t* documents;  // in the index
  std::uint32_t* frequencies;
  std::uint32_t* occurrences;
};

struct GatherKept {
  BatchView batch;
  RawPostings raw;
  KeptNumbers numbers;
  const std::uint8_t* keeps;
  const std::uint32_t* places;            // exclusive sums of `keeps`
  const std::uint32_t* kept_occurrences;  // before each raw posting
  KeptPostings to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    const auto p = static_cast<std::uint32_t>(i);
    if (keeps[p] == 0) return;
    std::uint64_t frequency = raw.frequencies[p];
    for (std::uint32_t next = p + 1; next < batch.size.postings && raw.goes_on(next); ++next) {
      frequency += raw.frequencies[next];
    }
    if (frequency >> 32 != 0) batch.set_wrong();
    const std::uint32_t place = places[p];
    to.documents[place] = numbers.number(raw.documents[p]);
    to.frequencies[place] = static_cast<std::uint32_t>(frequency);
    to.occurrences[place] = kept_occurrences[p];
  }
};

// The occurrences of each raw posting whose document is kept.
struct CountKeptOccurrences {
  BatchView batch;
  RawPostings raw;
  KeptNumbers numbers;
  std::uint32_t* counts;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t p) const {
    const bool counts_it = p < batch.size.postings && !numbers.is_dropped(raw.documents[p]);
    counts[p] = counts_it ? raw.frequencies[p] : 0;
  }
};

// The positions of each raw posting: the last one, and the sum of their values.
struct SumPositions {
  BatchView batch;
  RawPostings raw;
  const std::uint32_t* distances;
  std::uint32_t* last_positions;
  std::uint64_t* values;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t p) const {
    const std::uint32_t begin = raw.occurrences[p], end = raw.occurrences[p + 1];
    std::uint32_t position = 0;
    std::uint64_t value = 0;
    for (std::uint32_t o = begin; o < end; ++o) {
      const std::uint32_t distance = distances[o];
      position += distance;
      if (o != begin && (distance == 0 || position < distance)) batch.set_wrong();
      value += position_value(position);
    }
    last_positions[p] = position;
    values[p] = value;
  }
};

// Positions of a part of a document count from 0; in the index they count from the last position of the part before.
struct JoinPositions {
  BatchView batch;
  RawPostings raw;
  const std::uint32_t* last_positions;
  std::uint32_t* distances;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t p) const {
    if (p == 0 || !raw.goes_on(static_cast<std::uint32_t>(p))) return;
    std::uint32_t& distance = distances[raw.occurrences[p]];
    if (distance <= last_positions[p - 1]) batch.set_wrong();
    distance -= last_positions[p - 1];
  }
};

// Leaves out the distances of dropped documents.
struct GatherDistances {
  RawPostings raw;
  const std::uint32_t* kept_occurrences;
  const std::uint32_t* from;
  std::uint32_t* to;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t p) const {
    const std::uint32_t begin = raw.occurrences[p], place = kept_occurrences[p];
    const std::uint32_t count = kept_occurrences[p + 1] - place;
    for (std::uint32_t i = 0; i < count; ++i) to[place + i] = from[begin + i];
  }
};

struct AddBatchTotals {
  SPILLWAY_HOST_DEVICE BatchTotals operator()(const BatchTotals& a, const BatchTotals& b) const {
    return {field61::add(a.low, b.low),
            field61::add(a.high, b.high),
            field61::add(a.positions, b.positions),
            field61::add(a.dropped_low, b.dropped_low),
            field61::add(a.dropped_high, b.dropped_high),
            field61::add(a.dropped_positions, b.dropped_positions),
            a.dropped_occurrences + b.dropped_occurrences};
  }
};

// One thread adds up kSummedPostings raw postings. The threads of a group of kSumThreads take its postings in turn, so
// that neighbours read neighbours.
inline constexpr std::uint32_t kSummedPostings = 64, kSumThreads = 32;
constexpr std::size_t summed_groups(std::size_t postings) {
  constexpr std::size_t kOfGroup = std::size_t{kSummedPostings} * kSumThreads;
  return (postings + kOfGroup - 1) / kOfGroup * kSumThreads;
}

// Takes the sums over the raw postings of a thread.
struct SumPostings {
  BatchView batch;
  RawPostings raw;
  KeptNumbers numbers;
  PowerTables powers;
  const std::uint64_t* values;  // of positions; null without

  SPILLWAY_HOST_DEVICE BatchTotals operator()(std::size_t thread) const {
    BatchTotals totals;
    const std::size_t begin = thread / kSumThreads * kSummedPostings * kSumThreads + thread % kSumThreads;
    if (begin >= batch.size.postings) return totals;
    std::uint32_t list = list_of(static_cast<std::uint32_t>(begin)), list_end = batch.first_posting(list + 1);
    Weights kept, dropped;  // of the list
    for (std::uint32_t i = 0; i < kSummedPostings; ++i) {
      if (begin + std::size_t{i} * kSumThreads >= batch.size.postings) break;
      const auto p = static_cast<std::uint32_t>(begin + std::size_t{i} * kSumThreads);
      if (p >= list_end) {
        add_list(list, kept, dropped, totals);
        kept = dropped = {};
        // Lists are short here, or long ones begin.
        for (unsigned step = 0; step < kSteps && p >= list_end; ++step) list_end = batch.first_posting(++list + 1);
        if (p >= list_end) {
          list = list_of(p);
          list_end = batch.first_posting(list + 1);
        }
      }
      const std::uint64_t power = powers.power(raw.documents[p]);
      const std::uint64_t weight = field61::multiply(power, raw.frequencies[p]);
      kept.terms = field61::add(kept.terms, weight);
      const bool is_dropped = numbers.is_dropped(raw.documents[p]);
      if (is_dropped) {
        dropped.terms = field61::add(dropped.terms, weight);
        totals.dropped_occurrences += raw.frequencies[p];
      }
      if (values == nullptr) continue;
      const std::uint64_t position_weight = field61::multiply(power, field61::reduce(values[p]));
      kept.positions = field61::add(kept.positions, position_weight);
      if (is_dropped) dropped.positions = field61::add(dropped.positions, position_weight);
    }
    add_list(list, kept, dropped, totals);
    return totals;
  }

 private:
  static constexpr unsigned kSteps = 4;
  SPILLWAY_HOST_DEVICE std::uint32_t list_of(std::uint32_t posting) const {
    return last_not_above(batch.size.lists, posting, [&](std::uint32_t l) { return batch.first_posting(l); });
  }
  struct Weights {
    std::uint64_t terms = 0, positions = 0;
  };
  SPILLWAY_HOST_DEVICE void add_list(std::uint32_t list, const Weights& all, const Weights& dropped,
                                     BatchTotals& to) const {
    const std::uint64_t *const hash = batch.lists[list].hash, low = hash[0], high = hash[1];
    to.low = field61::add(to.low, field61::multiply(low, all.terms));
    to.high = field61::add(to.high, field61::multiply(high, all.terms));
    to.positions = field61::add(to.positions, field61::multiply(high, all.positions));
    if (dropped.terms == 0) return;
    to.dropped_low = field61::add(to.dropped_low, field61::multiply(low, dropped.terms));
    to.dropped_high = field61::add(to.dropped_high, field61::multiply(high, dropped.terms));
    to.dropped_positions = field61::add(to.dropped_positions, field61::multiply(high, dropped.positions));
  }
};

}  // namespace spillway
