// Stable merging of sorted runs of strings with longest common prefixes (Ng and Kakehi 2008) and cached prefixes, in
// steps that a thread takes: what `gpu-string-merge` is made of. Runs on the GPU and on the CPU.
//
// Heads of two runs that share different numbers of bytes with the string put out last are in order without a look at
// them: the one that shares more comes first. Otherwise their keys behind the shared bytes decide, and only where those
// are equal as far as known are the strings themselves read, from there on. Every byte of a string is compared about
// once in the whole sort, not once a comparison.
#pragma once

#include "sort/gpu/string_prefix_key.hpp"

namespace spillway {

// A string of a run. `key` is the string's at the depth that all strings share (`root`, the same for all) or, marked by
// kKeyMark, at `lcp`. The first kind is good for comparisons with any string of the run as well.
struct alignas(16) MergeRecord {
  PrefixKey key;
  std::uint32_t lcp;  // with the string before it in the run; at the run's first one: root
  std::uint32_t index;
};

// Strings, the prefix that all of them share, and that which all share that are merged by now.
struct MergeContext {
  const std::uint8_t* bytes;
  const std::uint64_t* offsets;
  KeyAlphabet alphabet;
  std::uint32_t root, shared;  // shared >= root

  SPILLWAY_HOST_DEVICE MergeContext(const DeviceStrings& strings, const KeyAlphabet& symbols, std::uint32_t all_share,
                                    std::uint32_t merged_share)
      : bytes(strings.d_bytes), offsets(strings.d_offsets), alphabet(symbols), root(all_share), shared(merged_share) {}
  SPILLWAY_HOST_DEVICE DeviceString operator[](std::uint32_t index) const {
    const std::uint64_t begin = offsets[index];
    return {bytes + begin, static_cast<std::uint32_t>(offsets[index + std::size_t{1}] - begin)};
  }
};

SPILLWAY_HOST_DEVICE inline bool are_at_root(PrefixKey a, PrefixKey b) { return ((a | b) & kKeyMark) == 0; }
SPILLWAY_HOST_DEVICE inline PrefixKey key_at_lcp(const MergeContext& context, const MergeRecord& record) {
  const std::uint32_t further = record.lcp - context.root;
  return (record.key & kKeyMark) != 0 ? record.key : advance_key(context.alphabet, record.key, further);
}

// The record with `lcp` moved on, with a key that says something there. Requires: lcp >= record.lcp.
SPILLWAY_HOST_DEVICE inline MergeRecord move_on(const MergeContext& context, MergeRecord record, std::uint32_t lcp) {
  const bool is_marked = (record.key & kKeyMark) != 0;
  const std::uint32_t from = is_marked ? record.lcp : context.root;
  if (!can_advance_key(record.key, lcp - from)) {
    record.key = load_key(context.alphabet, context[record.index], lcp) | kKeyMark;
  } else if (is_marked) {
    record.key = advance_key(context.alphabet, record.key, lcp - from);
  }
  record.lcp = lcp;
  return record;
}

// What two strings of the runs share, and whether b comes first.
struct StringOrder {
  std::uint32_t shared;
  bool is_b_first;
};

SPILLWAY_HOST_DEVICE inline SPILLWAY_OUT_OF_LINE StringOrder compare_strings(MergeContext context, std::uint32_t a,
                                                                             std::uint32_t b, std::uint32_t from) {
  const DeviceString a_view = context[a], b_view = context[b];
  const std::uint32_t shared = shared_prefix(a_view, b_view, from);
  if (shared == a_view.bytes) return {shared, false};
  return {shared, shared == b_view.bytes || b_view.data[shared] < a_view.data[shared]};
}

// A key of a run without the rest of its record; runs that are stored otherwise have an overload.
SPILLWAY_HOST_DEVICE inline PrefixKey key_of(const MergeRecord* run, std::uint32_t i) { return run[i].key; }

// For any string of a run and any of another.
template <typename A, typename B>
SPILLWAY_HOST_DEVICE StringOrder compare_any(const MergeContext& context, const A& a, std::uint32_t i, const B& b,
                                             std::uint32_t j) {
  const PrefixKey a_key = key_of(a, i), b_key = key_of(b, j);
  std::uint32_t from = context.shared;
  if (are_at_root(a_key, b_key)) {
    const KeyOrder keys = compare_whole_keys(context.alphabet, a_key, b_key);
    if (keys.is_settled) return {context.root + keys.shared, keys.is_b_first};
    from = from > context.root + keys.shared ? from : context.root + keys.shared;
  }
  return compare_strings(context, a[i].index, b[j].index, from);
}

// Two heads and their order; values, so that they stay in registers.
struct MergeHeads {
  MergeRecord a, b;
};
struct OrderedHeads {
  MergeHeads heads;
  bool is_b_first;
};

// As compare_heads where keys do not settle it. The heads share `heads.a.lcp` bytes with the string put out last.
SPILLWAY_HOST_DEVICE inline SPILLWAY_OUT_OF_LINE OrderedHeads compare_head_strings(MergeContext context,
                                                                                   MergeHeads heads) {
  const StringOrder order = compare_strings(context, heads.a.index, heads.b.index, heads.a.lcp);
  const MergeRecord first = move_on(context, order.is_b_first ? heads.b : heads.a, heads.a.lcp);
  const MergeRecord behind = move_on(context, order.is_b_first ? heads.a : heads.b, order.shared);
  return {order.is_b_first ? MergeHeads{behind, first} : MergeHeads{first, behind}, order.is_b_first};
}

// For heads of two runs, their LCPs with the string put out last. The one that stays behind gets its LCP with the one
// that comes first.
SPILLWAY_HOST_DEVICE inline OrderedHeads compare_heads(const MergeContext& context, MergeHeads heads) {
  MergeRecord &a = heads.a, &b = heads.b;
  if (are_at_root(a.key, b.key)) {
    const KeyOrder keys = compare_whole_keys(context.alphabet, a.key, b.key);
    if (keys.is_settled) {
      a.lcp = keys.is_b_first ? context.root + keys.shared : a.lcp;
      b.lcp = keys.is_b_first ? b.lcp : context.root + keys.shared;
      return {heads, keys.is_b_first};
    }
    return compare_head_strings(context, heads);
  }
  if (a.lcp != b.lcp) return {heads, b.lcp > a.lcp};
  const KeyOrder keys = compare_keys(context.alphabet, key_at_lcp(context, a), key_at_lcp(context, b));
  if (!keys.is_settled) return compare_head_strings(context, heads);
  const MergeRecord first = keys.is_b_first ? b : a;
  MergeRecord behind = keys.is_b_first ? a : b;
  if ((behind.key & kKeyMark) != 0) behind.key = advance_key(context.alphabet, behind.key, keys.shared);
  behind.lcp += keys.shared;
  return {keys.is_b_first ? MergeHeads{behind, first} : MergeHeads{first, behind}, keys.is_b_first};
}

// Two runs, a's strings before b's where they are equal. `A` and `B` are indexable by numbers of strings.
template <typename A, typename B>
struct RunPair {
  A a;
  B b;
  std::uint32_t a_count, b_count;
};
template <typename A, typename B>
RunPair(A, B, std::uint32_t, std::uint32_t) -> RunPair<A, B>;

// Where the merged sequence is cut: so many strings of each run come before.
struct MergePoint {
  std::uint32_t a, b;
};

// Bounds of a search for how many of the first `diagonal` merged strings are a's.
struct SearchRange {
  std::uint32_t begin, end;
};
template <typename Runs>
SPILLWAY_HOST_DEVICE SearchRange search_range(const Runs& runs, std::uint32_t diagonal) {
  return {diagonal > runs.b_count ? diagonal - runs.b_count : 0, diagonal < runs.a_count ? diagonal : runs.a_count};
}

// Whether a's string number `probe` is among the first `diagonal`.
template <typename Runs>
SPILLWAY_HOST_DEVICE bool is_before(const MergeContext& context, const Runs& runs, std::uint32_t diagonal,
                                    std::uint32_t probe) {
  return !compare_any(context, runs.a, probe, runs.b, diagonal - 1 - probe).is_b_first;
}

template <typename Runs>
SPILLWAY_HOST_DEVICE MergePoint find_merge_point(const MergeContext& context, const Runs& runs,
                                                 std::uint32_t diagonal) {
  SearchRange range = search_range(runs, diagonal);
  while (range.begin < range.end) {
    const std::uint32_t middle = range.begin + (range.end - range.begin) / 2;
    if (is_before(context, runs, diagonal, middle)) {
      range.begin = middle + 1;
    } else {
      range.end = middle;
    }
  }
  return {range.begin, diagonal - range.begin};
}

// The heads at a point, with LCPs with the string put out last before it; those that a run has no more are anything.
template <typename Runs>
SPILLWAY_HOST_DEVICE MergeHeads heads_at(const MergeContext& context, const Runs& runs, MergePoint point) {
  MergeHeads heads{};
  if (point.a < runs.a_count) heads.a = runs.a[point.a];
  if (point.b < runs.b_count) heads.b = runs.b[point.b];
  if (point.a == 0 && point.b == 0) return heads;
  const bool is_b_last =
      point.a == 0 || (point.b != 0 && !compare_any(context, runs.a, point.a - 1, runs.b, point.b - 1).is_b_first);
  if (is_b_last && point.a < runs.a_count) {
    heads.a = move_on(context, heads.a, compare_any(context, runs.b, point.b - 1, runs.a, point.a).shared);
  } else if (!is_b_last && point.b < runs.b_count) {
    heads.b = move_on(context, heads.b, compare_any(context, runs.a, point.a - 1, runs.b, point.b).shared);
  }
  return heads;
}

// Puts out the next string: the record for the merged run. Requires: there is one.
template <typename Runs>
SPILLWAY_HOST_DEVICE MergeRecord merge_step(const MergeContext& context, const Runs& runs, MergePoint& point,
                                            MergeHeads& heads) {
  bool is_b = point.a == runs.a_count;
  if (!is_b && point.b < runs.b_count) {
    const OrderedHeads ordered = compare_heads(context, heads);
    heads = ordered.heads;
    is_b = ordered.is_b_first;
  }
  const MergeRecord next = is_b ? heads.b : heads.a;
  if (is_b) {
    if (++point.b < runs.b_count) heads.b = runs.b[point.b];
  } else {
    if (++point.a < runs.a_count) heads.a = runs.a[point.a];
  }
  return next;
}

}  // namespace spillway
