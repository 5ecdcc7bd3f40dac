// The steps that fold sorted keys into postings and encode them (io/format/run.hpp). Each thread walks a group of
// kGroupKeys neighbouring keys twice: MeasureGroup counts the bytes, and WriteGroup writes once the sums over the
// groups before are known. Only those sums are kept in between. A posting belongs to the group that has its last
// occurrence. O(keys) time, and O(log keys) for a posting that began in an earlier group; 24 bytes of scratch a group.
#pragma once

#include "indexer/gpu/steps/keys.hpp"

namespace spillway {

// Where a posting begins, and the document of the posting before it in its fragment (0: it is the first).
struct PostingStart {
  std::uint32_t key, previous_document;
};

inline constexpr std::uint32_t kNoCut = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoRank = 0xFFFFFFFF;  // of the entry after the last fragment

// Sorted keys [rank | document]. Every list is one fragment.
struct FoldedKeys {
  const std::uint64_t* keys;
  std::uint32_t count;
  unsigned document_bits;

  static constexpr bool kPositioned = false;
  // Loads a key of the group that is walked, or a neighbour of it; far_key(): any key.
  SPILLWAY_HOST_DEVICE std::uint64_t key(std::uint32_t i) const { return keys[i]; }
  SPILLWAY_HOST_DEVICE std::uint64_t far_key(std::uint32_t i) const { return keys[i]; }
  // Returns the number of keys among the first `end` that are below `value`. O(log end).
  SPILLWAY_HOST_DEVICE std::uint32_t count_below(std::uint32_t end, std::uint64_t value) const {
    return first_not_below(keys, end, value);
  }
  SPILLWAY_HOST_DEVICE std::uint32_t rank_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key >> document_bits);
  }
  // Returns the least key that the list of a rank could have.
  SPILLWAY_HOST_DEVICE std::uint64_t least_of(std::uint32_t rank) const { return std::uint64_t{rank} << document_bits; }
  SPILLWAY_HOST_DEVICE std::uint32_t document_of(std::uint64_t key) const {
    return static_cast<std::uint32_t>(key & ((std::uint64_t{1} << document_bits) - 1));
  }
};

// The same with the position of each key's occurrence. A list is cut into fragments of `stretch` occurrences, and its
// postings with it.
struct FoldedPositions : FoldedKeys {
  std::uint32_t stretch;           // more than kGroupKeys
  const std::uint32_t* positions;  // by key

  static constexpr bool kPositioned = true;
  SPILLWAY_HOST_DEVICE std::uint32_t position(std::uint32_t i) const { return positions[i]; }
};

// Keys of neighbouring groups, and one more on each side, which were copied to where threads load them faster. After
// each group of them a place is left out, so that the keys that the threads of a warp load at the same time are in
// different banks of shared memory.
template <typename Keys, unsigned kGroups>
struct KeyCopy {
  static constexpr unsigned kKeys = kGroups * kGroupKeys;
  static constexpr unsigned kPlaces = (kKeys + 2) + (kKeys + 2) / kGroupKeys + 1;
  std::uint64_t keys[kPlaces];
  std::uint32_t positions[Keys::kPositioned ? kPlaces : 1];
  std::uint32_t list_begin;  // of the list that goes on in the first group, where groups ask for it; or kNoCut

  // `i`: 0 is the key before the first.
  SPILLWAY_HOST_DEVICE static unsigned place(unsigned i) { return i + i / kGroupKeys; }
  // Copies each `step`th key of the groups from first_group on, beginning with number `i`. With 0 it searches
  // list_begin, too, so that not each group does.
  SPILLWAY_HOST_DEVICE void copy(const Keys& from, std::size_t first_group, unsigned i, unsigned step) {
    if (i == 0) list_begin = find_list_begin(from, std::uint64_t{first_group} * kGroupKeys);
    for (; i < kKeys + 2; i += step) {
      const std::uint64_t next = std::uint64_t{first_group} * kGroupKeys + i;  // one more than the key's number
      if (next == 0 || next > from.count) continue;
      keys[place(i)] = from.keys[next - 1];
      if constexpr (Keys::kPositioned) positions[place(i)] = from.positions[next - 1];
    }
  }

 private:
  // Groups ask for it where a list is cut: then the list began a stretch before the last key of the copy, or earlier.
  // That holds for copies shorter than a stretch. Tests have longer ones, whose groups search themselves.
  SPILLWAY_HOST_DEVICE static std::uint32_t find_list_begin(const Keys& from, std::uint64_t first) {
    if constexpr (Keys::kPositioned) {
      if (first == 0 || first >= from.count) return kNoCut;
      const std::uint64_t end = first + kKeys < from.count ? first + kKeys : from.count;
      const auto begin = static_cast<std::uint32_t>(first), last = static_cast<std::uint32_t>(end - 1);
      const std::uint32_t rank = from.rank_of(from.keys[begin]);
      if (last < from.stretch || from.rank_of(from.keys[last - from.stretch]) != rank) return kNoCut;
      return from.count_below(begin, from.least_of(rank));
    }
    return kNoCut;
  }
};

template <typename Keys, unsigned kGroups>
struct CopiedKeys : Keys {
  const KeyCopy<Keys, kGroups>* copied;
  std::uint32_t first;  // the first key of its groups

  SPILLWAY_HOST_DEVICE CopiedKeys(const Keys& all, std::size_t first_group, const KeyCopy<Keys, kGroups>& copy)
      : Keys(all), copied(&copy), first(static_cast<std::uint32_t>(first_group * kGroupKeys)) {}
  SPILLWAY_HOST_DEVICE std::uint64_t key(std::uint32_t i) const { return copied->keys[copied->place(i + 1 - first)]; }
  SPILLWAY_HOST_DEVICE std::uint32_t position(std::uint32_t i) const {
    return copied->positions[copied->place(i + 1 - first)];
  }
  SPILLWAY_HOST_DEVICE std::uint64_t far_key(std::uint32_t i) const { return is_copied(i) ? key(i) : Keys::far_key(i); }
  // Requires: `end` is a key of the groups, or the one after them.
  SPILLWAY_HOST_DEVICE std::uint32_t count_below(std::uint32_t end, std::uint64_t value) const {
    if (first != 0 && key(first - 1) >= value) {
      const bool is_known = copied->list_begin != kNoCut && value == Keys::least_of(Keys::rank_of(key(first)));
      return is_known ? copied->list_begin : Keys::count_below(first - 1, value);
    }
    return first + first_not_below(end - first, value, [this](std::uint32_t i) { return key(first + i); });
  }

 private:
  SPILLWAY_HOST_DEVICE bool is_copied(std::uint32_t i) const {
    return i + 1 >= first && i + 1 - first < KeyCopy<Keys, kGroups>::kKeys + 2;
  }
};

// Returns where the fragment of key i of the walked group begins.
template <typename Keys>
SPILLWAY_HOST_DEVICE inline std::uint32_t fragment_start(const Keys& keys, std::uint32_t i) {
  const std::uint32_t list = keys.count_below(i, keys.least_of(keys.rank_of(keys.key(i))));
  return list + (i - list) / keys.stretch * keys.stretch;
}
// Whether the list of key i of the walked group is cut before it, or at it.
template <typename Keys>
SPILLWAY_HOST_DEVICE inline bool is_cut_up_to(const Keys& keys, std::uint32_t i) {
  return i >= keys.stretch && keys.rank_of(keys.far_key(i - keys.stretch)) == keys.rank_of(keys.key(i));
}

// Returns the key in [begin, end] where the list of key `begin` is cut, or kNoCut: there is at most one. O(log count),
// and O(1) for lists shorter than a stretch.
template <typename Keys>
SPILLWAY_HOST_DEVICE inline std::uint32_t find_cut(const Keys& keys, std::uint32_t begin, std::uint32_t end) {
  if constexpr (!Keys::kPositioned) {
    return kNoCut;
  } else {
    const std::uint32_t rank = keys.rank_of(keys.key(begin));
    if (end < keys.stretch || keys.rank_of(keys.far_key(end - keys.stretch)) != rank) return kNoCut;
    const std::uint32_t before = fragment_start(keys, begin);
    if (before == begin) return begin;
    const std::uint32_t cut = before + keys.stretch;
    // The list may end before its next cut, which then is in another list.
    return cut < keys.count && keys.rank_of(keys.far_key(cut)) == rank ? cut : kNoCut;
  }
}

// Returns the start of the posting that has key i. O(log count).
template <typename Keys>
SPILLWAY_HOST_DEVICE inline PostingStart find_start(const Keys& keys, std::uint32_t i) {
  const std::uint64_t key = keys.key(i);
  const std::uint32_t start = keys.count_below(i, key);
  if constexpr (Keys::kPositioned) {
    if (is_cut_up_to(keys, i)) {
      const std::uint32_t fragment = fragment_start(keys, i);
      if (start <= fragment) return {fragment, 0};
    }
  }
  if (start == 0) return {0, 0};
  const std::uint64_t before = keys.far_key(start - 1);
  return {start, keys.rank_of(before) != keys.rank_of(key) ? 0 : keys.document_of(before)};
}

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

// Takes only the sizes of the fragments and postings that a walk finds.
struct MeasuringSink {
  GroupSums sums;
  SPILLWAY_HOST_DEVICE void start_fragment(std::uint32_t, std::uint32_t) { ++sums.fragments; }
  SPILLWAY_HOST_DEVICE void end_fragment(std::uint32_t) {}
  SPILLWAY_HOST_DEVICE void posting(std::uint64_t word, std::uint32_t frequency) {
    sums.posting_bytes += varint_size(word) + (frequency == 1 ? 0 : varint_size(frequency));
    ++sums.postings;
  }
  SPILLWAY_HOST_DEVICE void distance(std::uint32_t distance) { sums.distance_bytes += varint_size(distance); }
};

// Where encoded bytes go: byte `begin` of all to `to`, and those after it to the bytes after that.
struct ByteTarget {
  std::uint8_t* to;
  std::uint64_t begin;
  SPILLWAY_HOST_DEVICE std::uint8_t* at(std::uint64_t byte) const { return to + (byte - begin); }
};

// Writes them. `sums` begins with the sums over the groups before.
struct WritingSink {
  GroupSums sums;
  EncodedFragment* fragments;
  ByteTarget postings, distances;
  SPILLWAY_HOST_DEVICE void start_fragment(std::uint32_t rank, std::uint32_t occurrence) {
    EncodedFragment& fragment = fragments[sums.fragments++];
    fragment.first_posting_byte = sums.posting_bytes;
    fragment.first_distance_byte = sums.distance_bytes;
    fragment.rank = rank;
    fragment.first_posting = sums.postings;
    fragment.first_occurrence = occurrence;
  }
  SPILLWAY_HOST_DEVICE void end_fragment(std::uint32_t document) {
    fragments[sums.fragments - 1].last_document = document;
  }
  SPILLWAY_HOST_DEVICE void posting(std::uint64_t word, std::uint32_t frequency) {
    std::uint8_t* const begin = postings.at(sums.posting_bytes);
    std::uint8_t* to = put_varint(begin, word);
    if (frequency != 1) to = put_varint(to, frequency);
    sums.posting_bytes += static_cast<std::uint64_t>(to - begin);
    ++sums.postings;
  }
  SPILLWAY_HOST_DEVICE void distance(std::uint32_t distance) {
    std::uint8_t* const begin = distances.at(sums.distance_bytes);
    sums.distance_bytes += static_cast<std::uint64_t>(put_varint(begin, distance) - begin);
  }
};

// Walks keys [begin, end). Requires: begin < end.
template <typename Keys, typename Sink>
SPILLWAY_HOST_DEVICE inline void walk_group(const Keys& keys, std::uint32_t begin, std::uint32_t end, Sink& sink) {
  const std::uint32_t cut = find_cut(keys, begin, end);
  std::uint64_t key = keys.key(begin);
  const std::uint64_t before = begin == 0 ? 0 : keys.key(begin - 1);
  bool starts_fragment = begin == 0 || begin == cut || keys.rank_of(before) != keys.rank_of(key);
  bool starts_posting = starts_fragment || before != key;
  bool knows_start = starts_posting;  // of the open posting
  PostingStart start{begin, starts_fragment || !starts_posting ? 0 : keys.document_of(before)};
  std::uint32_t previous_position = 0;
  if constexpr (Keys::kPositioned) previous_position = starts_posting ? 0 : keys.position(begin - 1);
  for (std::uint32_t i = begin; i < end; ++i) {
    if (starts_fragment) sink.start_fragment(keys.rank_of(key), i);
    if constexpr (Keys::kPositioned) {
      const std::uint32_t position = keys.position(i);
      sink.distance(position - (starts_posting ? 0 : previous_position));
      previous_position = position;
    }
    const std::uint64_t next = i + 1 == keys.count ? 0 : keys.key(i + 1);
    starts_fragment = i + 1 == keys.count || i + 1 == cut || keys.rank_of(next) != keys.rank_of(key);
    starts_posting = starts_fragment || next != key;
    if (starts_posting) {
      if (!knows_start) start = find_start(keys, i);
      knows_start = true;
      const std::uint32_t document = keys.document_of(key), frequency = i - start.key + 1;
      sink.posting(std::uint64_t{document - start.previous_document} << 1 | (frequency == 1 ? 1 : 0), frequency);
      if (starts_fragment) sink.end_fragment(document);
      start = {i + 1, starts_fragment ? 0 : document};
    }
    key = next;
  }
}

template <typename Keys, typename Sink>
SPILLWAY_HOST_DEVICE inline void walk_group(const Keys& keys, std::size_t group, Sink& sink) {
  const std::uint64_t begin = std::uint64_t{group} * kGroupKeys;
  const std::uint64_t end = begin + kGroupKeys < keys.count ? begin + kGroupKeys : keys.count;
  if (begin < end) walk_group(keys, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), sink);
}

// The sizes of group i, and 0 after the last group, so that exclusive sums end with the total. Here and in WriteGroup
// an executor may take many groups at once, by write(), with keys that it has copied to where threads load them faster.
template <typename Keys>
struct MeasureGroup {
  Keys keys;
  GroupSums* sums;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const { write(keys, i); }
  template <typename Copied>
  SPILLWAY_HOST_DEVICE void write(const Copied& copied, std::size_t i) const {
    MeasuringSink sink{};
    walk_group(copied, i, sink);
    sums[i] = sink.sums;
  }
};

// The last group also writes the entry after the last fragment.
template <typename Keys>
struct WriteGroup {
  Keys keys;
  const GroupSums* sums;  // exclusive
  EncodedFragment* fragments;
  std::uint8_t* postings;
  std::uint8_t* distances;
  SPILLWAY_HOST_DEVICE void operator()(std::size_t i) const { write(keys, i, {postings, 0}, {distances, 0}); }
  template <typename Copied>
  SPILLWAY_HOST_DEVICE void write(const Copied& copied, std::size_t i, const ByteTarget& to_postings,
                                  const ByteTarget& to_distances) const {
    WritingSink sink{sums[i], fragments, to_postings, to_distances};
    walk_group(copied, i, sink);
    if ((i + 1) * kGroupKeys >= keys.count) {
      sink.start_fragment(kNoRank, keys.count);
      sink.end_fragment(0);
    }
  }
};

}  // namespace spillway
