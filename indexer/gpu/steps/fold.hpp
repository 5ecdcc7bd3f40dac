// Folding sorted keys into postings, and encoding them (io/format/run.hpp): each thread walks a group of neighbouring
// keys, twice. First it counts what they will take, then, when the sums over all groups before are known, it writes.
// Nothing but those sums is kept in between. A posting belongs to the group that its last occurrence is in.
#pragma once

#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

// Where a posting begins, and the document of the posting before it in its part (0: it is the part's first).
struct PostingStart {
  std::uint32_t key, previous_document;
};

inline constexpr std::uint32_t kNoCut = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoRank = 0xFFFFFFFF;  // of the part behind the last one

// Sorted keys [rank | document]. Every list is one part.
struct FoldedKeys {
  const std::uint64_t* keys;
  std::uint32_t count;
  unsigned document_bits;

  static constexpr bool kPositioned = false;
  SPILLWAY_HOST_DEVICE std::uint32_t rank(std::uint32_t i) const {
    return static_cast<std::uint32_t>(keys[i] >> document_bits);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document(std::uint32_t i) const {
    return static_cast<std::uint32_t>(keys[i] & ((std::uint64_t{1} << document_bits) - 1));
  }
  SPILLWAY_HOST_DEVICE bool starts_list(std::uint32_t i) const { return i == 0 || rank(i - 1) != rank(i); }
  // Requires: i does not start a list.
  SPILLWAY_HOST_DEVICE bool changes_document(std::uint32_t i) const { return keys[i - 1] != keys[i]; }
  SPILLWAY_HOST_DEVICE std::uint32_t find_cut(std::uint32_t, std::uint32_t) const { return kNoCut; }
  // Of the posting that key i is in.
  SPILLWAY_HOST_DEVICE PostingStart find_start(std::uint32_t i) const {
    const std::uint32_t start = first_not_below(keys, i, keys[i]);
    return {start, starts_list(start) ? 0 : document(start - 1)};
  }
};

// Sorted keys [rank | occurrence]. A list is cut into parts of `stretch` occurrences, and postings with it.
struct FoldedPositions {
  const std::uint64_t* keys;
  std::uint32_t count;
  unsigned occurrence_bits;
  std::uint32_t stretch;               // more than kGroupKeys
  const std::uint32_t* documents;      // by occurrence
  const std::uint32_t* document_ends;  // by document
  const std::uint32_t* positions;      // by occurrence

  static constexpr bool kPositioned = true;
  SPILLWAY_HOST_DEVICE std::uint32_t rank(std::uint32_t i) const {
    return static_cast<std::uint32_t>(keys[i] >> occurrence_bits);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t occurrence(std::uint32_t i) const {
    return static_cast<std::uint32_t>(keys[i] & ((std::uint64_t{1} << occurrence_bits) - 1));
  }
  SPILLWAY_HOST_DEVICE std::uint32_t document(std::uint32_t i) const { return documents[occurrence(i)]; }
  SPILLWAY_HOST_DEVICE std::uint32_t position(std::uint32_t i) const { return positions[occurrence(i)]; }
  SPILLWAY_HOST_DEVICE bool starts_list(std::uint32_t i) const { return i == 0 || rank(i - 1) != rank(i); }
  SPILLWAY_HOST_DEVICE bool changes_document(std::uint32_t i) const { return document(i - 1) != document(i); }
  SPILLWAY_HOST_DEVICE std::uint32_t part_start(std::uint32_t i) const {
    const std::uint32_t list = first_not_below(keys, i, std::uint64_t{rank(i)} << occurrence_bits);
    return list + (i - list) / stretch * stretch;
  }
  // The key of [begin, end] at which the list of key `begin` is cut: at most one. O(log count), and O(1) for lists
  // shorter than a stretch.
  SPILLWAY_HOST_DEVICE std::uint32_t find_cut(std::uint32_t begin, std::uint32_t end) const {
    if (end < stretch || rank(end - stretch) != rank(begin)) return kNoCut;
    const std::uint32_t before = part_start(begin);
    if (before == begin) return begin;
    const std::uint32_t cut = before + stretch;
    // The list may end before its next cut: another list stands there then.
    return cut < count && rank(cut) == rank(begin) ? cut : kNoCut;
  }
  SPILLWAY_HOST_DEVICE PostingStart find_start(std::uint32_t i) const {
    const std::uint32_t of = document(i);
    const std::uint64_t first = of == 0 ? 0 : document_ends[of - 1];
    const std::uint32_t start = first_not_below(keys, i, std::uint64_t{rank(i)} << occurrence_bits | first);
    const std::uint32_t part = part_start(i);
    if (start <= part) return {part, 0};
    return {start, document(start - 1)};
  }
};

SPILLWAY_HOST_DEVICE inline unsigned varint_size(std::uint64_t value) {
  unsigned bytes = 1;
  while (value >= 0x80) {
    value >>= 7;
    ++bytes;
  }
  return bytes;
}

SPILLWAY_HOST_DEVICE inline std::uint8_t* put_varint(std::uint8_t* to, std::uint64_t value) {
  while (value >= 0x80) {
    *to++ = static_cast<std::uint8_t>(value | 0x80);
    value >>= 7;
  }
  *to++ = static_cast<std::uint8_t>(value);
  return to;
}

// What a walk meets: sizes only.
struct MeasuringSink {
  GroupSums sums;
  SPILLWAY_HOST_DEVICE void start_part(std::uint32_t, std::uint32_t) { ++sums.parts; }
  SPILLWAY_HOST_DEVICE void end_part(std::uint32_t) {}
  SPILLWAY_HOST_DEVICE void posting(std::uint64_t word, std::uint32_t frequency) {
    sums.posting_bytes += varint_size(word) + (frequency == 1 ? 0 : varint_size(frequency));
    ++sums.postings;
  }
  SPILLWAY_HOST_DEVICE void distance(std::uint32_t distance) { sums.distance_bytes += varint_size(distance); }
};

// Writes it. The sums stand at what the groups before take.
struct WritingSink {
  GroupSums sums;
  EncodedList* parts;
  std::uint8_t* postings;
  std::uint8_t* distances;
  SPILLWAY_HOST_DEVICE void start_part(std::uint32_t rank, std::uint32_t occurrence) {
    EncodedList& part = parts[sums.parts++];
    part.first_posting_byte = sums.posting_bytes;
    part.first_distance_byte = sums.distance_bytes;
    part.rank = rank;
    part.first_posting = sums.postings;
    part.first_occurrence = occurrence;
  }
  SPILLWAY_HOST_DEVICE void end_part(std::uint32_t document) { parts[sums.parts - 1].last_document = document; }
  SPILLWAY_HOST_DEVICE void posting(std::uint64_t word, std::uint32_t frequency) {
    std::uint8_t* to = put_varint(postings + sums.posting_bytes, word);
    if (frequency != 1) to = put_varint(to, frequency);
    sums.posting_bytes = static_cast<std::uint64_t>(to - postings);
    ++sums.postings;
  }
  SPILLWAY_HOST_DEVICE void distance(std::uint32_t distance) {
    sums.distance_bytes = static_cast<std::uint64_t>(put_varint(distances + sums.distance_bytes, distance) - distances);
  }
};

// Walks keys [begin, end), which are not empty.
template <typename Keys, typename Sink>
SPILLWAY_HOST_DEVICE inline void walk_group(const Keys& keys, std::uint32_t begin, std::uint32_t end, Sink& sink) {
  const std::uint32_t cut = keys.find_cut(begin, end);
  bool starts_part = begin == cut || keys.starts_list(begin);
  bool starts_posting = starts_part || keys.changes_document(begin);
  bool knows_start = starts_posting;  // of the posting that is open
  PostingStart start{begin, starts_part || !starts_posting ? 0 : keys.document(begin - 1)};
  for (std::uint32_t i = begin; i < end; ++i) {
    if (starts_part) sink.start_part(keys.rank(i), i);
    if constexpr (Keys::kPositioned) sink.distance(keys.position(i) - (starts_posting ? 0 : keys.position(i - 1)));
    starts_part = i + 1 == keys.count || i + 1 == cut || keys.starts_list(i + 1);
    starts_posting = starts_part || keys.changes_document(i + 1);
    if (!starts_posting) continue;
    if (!knows_start) start = keys.find_start(i);
    knows_start = true;
    const std::uint32_t document = keys.document(i);
    const std::uint32_t frequency = i - start.key + 1;
    sink.posting(std::uint64_t{document - start.previous_document} << 1 | (frequency == 1 ? 1 : 0), frequency);
    if (starts_part) sink.end_part(document);
    start = {i + 1, starts_part ? 0 : document};
  }
}

// Of group i; behind the last one 0, so that sums end with the total.
template <typename Keys>
struct MeasureGroup {
  Keys keys;
  GroupSums* sums;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    MeasuringSink sink{};
    const std::uint64_t begin = std::uint64_t{i} * kGroupKeys;
    const std::uint64_t end = begin + kGroupKeys < keys.count ? begin + kGroupKeys : keys.count;
    if (begin < end) walk_group(keys, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), sink);
    sums[i] = sink.sums;
  }
};

// The last group writes the part behind the last one, too.
template <typename Keys>
struct WriteGroup {
  Keys keys;
  const GroupSums* sums;  // exclusive
  EncodedList* parts;
  std::uint8_t* postings;
  std::uint8_t* distances;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const {
    WritingSink sink{sums[i], parts, postings, distances};
    const std::uint64_t begin = std::uint64_t{i} * kGroupKeys;
    const std::uint64_t end = begin + kGroupKeys < keys.count ? begin + kGroupKeys : keys.count;
    if (begin < end) walk_group(keys, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), sink);
    if (end == keys.count) {
      sink.start_part(kNoRank, keys.count);
      sink.end_part(0);
    }
  }
};

}  // namespace spillway
