#include "tests/support/gpu_host_forms/string_radix.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sort/cpu/string_items.hpp"
#include "sort/gpu/string_radix/digits.hpp"
#include "sort/gpu/string_radix/finish_key.hpp"
#include "sort/gpu/string_radix/order_preserving_code.hpp"
#include "sort/gpu/string_radix/segments.hpp"
#include "sort/interface/scratch.hpp"
#include "tests/support/gpu_host_forms/packed_strings.hpp"
#include "tests/support/gpu_host_forms/string_merge.hpp"

namespace spillway {

namespace {

template <typename Key>
struct Pair {
  Key key;
  std::uint32_t index;
};

class RadixRounds {
 public:
  RadixRounds(const DeviceStrings& strings, std::span<std::uint32_t> order) : strings_(strings), order_(order) {}

  void run() {
    std::iota(order_.begin(), order_.end(), 0u);
    std::uint32_t longest = 0, used[8] = {};
    for (std::size_t i = 0; i < strings_.total_bytes; ++i) {
      used[strings_.d_bytes[i] / 32] |= 1u << (strings_.d_bytes[i] % 32);
    }
    for (std::uint32_t i = 0; i < order_.size(); ++i) longest = std::max(longest, string_at(strings_, i).bytes);
    if (longest == 0) return;
    digits_ = make_string_digits(used);
    const std::vector<Segment> all{{0, static_cast<std::uint32_t>(order_.size()), 0}};
    const DigitKey shape = shape_key(digits_.base, kCodeBits + 1, longest);
    if (shape.is_whole()) {
      sort_round<std::uint32_t>(all, shape);
      return;
    }
    if (is_table_worthwhile(digits_.base, all[0].count)) intervals_ = make_code_intervals();
    std::vector<Segment> large = sort_codes(all, intervals_.empty() ? shape : kTableCode);
    for (unsigned slow = 0;;) {
      longest = skip_shared_prefixes(large);
      if (large.empty()) break;
      if (before_.segments_before != 0) {
        slow = progress(large).is_slow() ? slow + 1 : 0;
        if (slow == kMostSlowRounds) break;
      }
      before_ = {static_cast<std::uint32_t>(large.size()), count_strings(large), 0, 0};
      const std::uint32_t segment_bits = bits_below(static_cast<std::uint32_t>(large.size()));
      const DigitKey next = shape_key(digits_.base, 64 - segment_bits, longest);
      large = intervals_.empty() || next.is_whole() ? sort_round<std::uint64_t>(large, next) : sort_round_codes(large);
    }
    for (const Segment& segment : small_) finish(segment);
    for (const Segment& segment : large) {
      left_.push_back({segment.start, 0, segment.count, {segment.depth, PivotReach::kStep}});
    }
    sort_groups_by_pivots(strings_, order_, left_);
  }

 private:
  static std::uint32_t count_strings(const std::vector<Segment>& segments) {
    std::uint32_t count = 0;
    for (const Segment& segment : segments) count += segment.count;
    return count;
  }
  RoundProgress progress(const std::vector<Segment>& after) const {
    return {before_.segments_before, before_.strings_before, static_cast<std::uint32_t>(after.size()),
            count_strings(after)};
  }

  // Does a radix round by the next digits, and returns the large segments that it leaves.
  template <typename Key>
  std::vector<Segment> sort_round(const std::vector<Segment>& segments, const DigitKey& shape) {
    const auto key_of = [&](std::uint32_t index, std::uint32_t depth) {
      return pack_digits<Key>(string_at(strings_, index), depth, digits_, shape);
    };
    const std::vector<Key> keys = sort_keys<Key>(segments, shape.bits, key_of);
    if (shape.is_whole()) return {};
    return list_segments(round_keys(keys, segments, shape), segments, shape.digits, true);
  }

  // The same by codes from a table.
  std::vector<Segment> sort_round_codes(const std::vector<Segment>& segments) {
    const auto key_of = [&](std::uint32_t index, std::uint32_t depth) {
      return std::uint64_t{code_string(string_at(strings_, index), depth, digits_, intervals_.data()).first};
    };
    const std::vector<std::uint64_t> keys = sort_keys<std::uint64_t>(segments, kTableCode.bits, key_of);
    return list_segments(round_keys(keys, segments, kTableCode), segments, kTableCode.digits, true);
  }

  // Does the rounds by first and second codes, and finishes the short segments that the first round leaves.
  std::vector<Segment> sort_codes(const std::vector<Segment>& all, const DigitKey& shape) {
    std::vector<StringCodes> codes;
    for (std::uint32_t i = 0; i < order_.size(); ++i) codes.push_back(codes_of(i, shape));
    const auto first = [&](std::uint32_t index, std::uint32_t) { return codes[index].first; };
    const auto second = [&](std::uint32_t index, std::uint32_t) { return std::uint64_t{codes[index].second}; };
    const std::vector<std::uint32_t> keys = sort_keys<std::uint32_t>(all, shape.bits, first);
    const std::vector<Segment> large = list_segments(round_keys(keys, all, shape), all, shape.digits, false);
    for (const Segment& segment : std::exchange(small_, {})) finish_codes(segment, codes, shape.digits);
    if (large.empty()) return {};
    const std::vector<std::uint64_t> wide_keys = sort_keys<std::uint64_t>(large, shape.bits, second);
    return list_segments(round_keys(wide_keys, large, shape), large, shape.digits, false);
  }

  StringCodes codes_of(std::uint32_t index, const DigitKey& shape) const {
    const DeviceString string = string_at(strings_, index);
    if (!intervals_.empty()) return code_string(string, 0, digits_, intervals_.data());
    return code_digits(string, load_unaligned(string.data, string.bytes), digits_, shape);
  }

  std::vector<CodeInterval> make_code_intervals() const {
    const std::uint32_t base = digits_.base, count = static_cast<std::uint32_t>(order_.size());
    const std::uint32_t sampled = std::min(count, kSampledStrings);
    std::vector<std::uint32_t> counts(std::size_t{base} * base), intervals;
    for (std::uint32_t i = 0; i < sampled; ++i) {
      const DeviceString string = string_at(strings_, static_cast<std::uint32_t>(std::uint64_t{i} * count / sampled));
      std::uint32_t context = 0;
      for (std::uint32_t at = 0; at <= string.bytes && at < kSampledBytes; ++at) {
        const std::uint32_t digit = at < string.bytes ? digits_.digit_of[string.data[at]] : 0;
        ++counts[context * base + digit];
        context = digit;
      }
    }
    for (auto row = counts.begin(); row != counts.end(); row += base) {
      const std::uint32_t all = std::accumulate(row, row + base, 0u);
      std::uint32_t begin = 0;
      for (std::uint32_t digit = 0; digit < base; ++digit) {
        const std::uint32_t width = code_width(row[digit], all, base);
        intervals.push_back(make_code_interval(begin, width));
        begin += width;
      }
    }
    return intervals;
  }

  // Sorts each segment by key_of(index, depth), `bits` bits, and returns the sorted keys with the segment's number
  // above.
  template <typename Key, typename KeyOf>
  std::vector<Key> sort_keys(const std::vector<Segment>& segments, std::uint32_t bits, const KeyOf& key_of) {
    std::vector<Pair<Key>> pairs;
    for (std::uint32_t number = 0; number < segments.size(); ++number) {
      const Key above = number == 0 ? 0 : static_cast<Key>(static_cast<Key>(number) << bits);
      for (const std::uint32_t index : places(segments[number])) {
        pairs.push_back({static_cast<Key>(above | key_of(index, segments[number].depth)), index});
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    std::vector<Key> keys;
    for (const auto& pair : pairs) keys.push_back(pair.key);
    auto pair = pairs.begin();
    for (const Segment& segment : segments) {
      for (std::uint32_t& index : places(segment)) index = (pair++)->index;
    }
    return keys;
  }

  template <typename Key>
  static RoundKeys<Key> round_keys(const std::vector<Key>& keys, const std::vector<Segment>& segments,
                                   const DigitKey& shape) {
    return {keys.data(), static_cast<std::uint32_t>(keys.size()),
            segments.size() == 1 ? 8 * static_cast<std::uint32_t>(sizeof(Key)) : shape.bits};
  }

  template <typename Key>
  std::vector<Segment> list_segments(const RoundKeys<Key>& sorted, const std::vector<Segment>& parents,
                                     std::uint32_t digits, bool splits_all) {
    std::vector<std::uint32_t> offsets{0};
    for (const Segment& parent : parents) offsets.push_back(offsets.back() + parent.count);
    std::vector<Segment> large;
    for (std::uint32_t first = 0; first < sorted.count; ++first) {
      if (!sorted.begins_segment(first)) continue;
      const Key* const end = std::upper_bound(sorted.keys + first, sorted.keys + sorted.count, sorted.keys[first]);
      const std::uint32_t old = sorted.segment(sorted.keys[first]);
      const Segment segment{parents[old].start + (first - offsets[old]),
                            static_cast<std::uint32_t>(end - sorted.keys) - first, parents[old].depth + digits};
      if (splits_all && segment.count == parents[old].count) {
        throw std::logic_error("a round of gpu-string-radix left a segment as it was");
      }
      (segment.count > kSmallSegment ? large : small_).push_back(segment);
    }
    return large;
  }

  // Drops segments of equal strings, and returns the most bytes that a string has left.
  std::uint32_t skip_shared_prefixes(std::vector<Segment>& segments) {
    std::uint32_t left = 0;
    std::vector<Segment> kept;
    for (Segment segment : segments) {
      std::uint32_t longest = 0;
      segment.depth = shared_by(places(segment), segment.depth, longest);
      if (segment.depth < longest) kept.push_back(segment);
      left = std::max(left, longest - segment.depth);
    }
    segments = kept;
    return left;
  }

  std::uint32_t shared_by(std::span<const std::uint32_t> indices, std::uint32_t depth, std::uint32_t& longest) const {
    std::uint32_t least = ~0u;
    for (const std::uint32_t index : indices) {
      const DeviceString string = string_at(strings_, index);
      longest = std::max(longest, string.bytes);
      least = std::min(least, shared_prefix(string_at(strings_, indices.front()), string, depth));
    }
    return least;
  }

  // Each round sorts all open parts, as a block does.
  void finish(const Segment& segment) {
    std::vector<Segment> open{segment};
    for (std::uint32_t round = 0; !open.empty(); ++round) {
      std::vector<Segment> next;
      for (Segment& part : open) {
        std::uint32_t longest = 0;
        if (round == kMostFinishRounds) {
          left_.push_back({part.start, 0, part.count, {part.depth, PivotReach::kWhole}});
          continue;
        }
        part.depth = shared_by(places(part), part.depth, longest);
        if (part.depth < longest) sort_words(part, next);
      }
      open = std::move(next);
    }
  }

  void sort_words(const Segment& segment, std::vector<Segment>& open) {
    std::vector<Pair<std::uint64_t>> pairs;
    for (const std::uint32_t index : places(segment)) {
      const DeviceString string = string_at(strings_, index);
      const UnalignedWord word =
          load_unaligned(string.data + segment.depth, std::min(string.bytes - segment.depth, kFinishKeyBytes));
      pairs.push_back({make_finish_key(string, word, segment.depth), index});
    }
    split(segment, pairs, kFinishKeyBytes, open);
  }

  void finish_codes(const Segment& segment, const std::vector<StringCodes>& codes, std::uint32_t bytes) {
    std::vector<Pair<std::uint64_t>> pairs;
    for (const std::uint32_t index : places(segment)) pairs.push_back({make_finish_key(codes[index].second), index});
    std::vector<Segment> open;
    split(segment, pairs, bytes, open);
    for (const Segment& part : open) finish(part);
  }

  // Sorts by keys of `bytes` bytes, and appends the segments that go on to `open`.
  void split(const Segment& segment, std::vector<Pair<std::uint64_t>>& pairs, std::uint32_t bytes,
             std::vector<Segment>& open) {
    const std::span<std::uint32_t> indices = places(segment);
    sort_by_counting(pairs);
    for (std::uint32_t first = 0, end = 0; first < pairs.size(); first = end) {
      for (end = first; end < pairs.size() && pairs[end].key == pairs[first].key; ++end) {
        indices[end] = pairs[end].index;
      }
      if (end - first > 1 && !has_finish_key_ended(pairs[first].key)) {
        open.push_back({segment.start + first, end - first, segment.depth + bytes});
      }
    }
  }

  // The sort of a block: runs of kCountedKeys by counting, then merges of pairs, each step for all keys before the
  // next.
  static void sort_by_counting(std::vector<Pair<std::uint64_t>>& pairs) {
    const FinishRange segment{0, static_cast<std::uint32_t>(pairs.size())};
    move(pairs, [&](const std::uint64_t* keys, std::uint32_t place) { return place_by_count(keys, segment, place); });
    for (std::uint32_t width = kCountedKeys; width < pairs.size(); width *= 2) {
      move(pairs, [&](const std::uint64_t* keys, std::uint32_t place) {
        return place_after_merge(keys, segment, place, width);
      });
    }
  }

  template <typename PlaceOf>
  static void move(std::vector<Pair<std::uint64_t>>& pairs, const PlaceOf& place_of) {
    std::vector<std::uint64_t> keys;
    for (const auto& pair : pairs) keys.push_back(pair.key);
    std::vector<Pair<std::uint64_t>> moved(pairs.size());
    for (std::uint32_t place = 0; place < pairs.size(); ++place) moved[place_of(keys.data(), place)] = pairs[place];
    pairs = moved;
  }

  std::span<std::uint32_t> places(const Segment& segment) const { return order_.subspan(segment.start, segment.count); }

  const DeviceStrings& strings_;
  std::span<std::uint32_t> order_;
  StringDigits digits_{};
  std::vector<CodeInterval> intervals_;  // empty where codes are digits
  std::vector<Segment> small_;
  std::vector<MergeGroup> left_;  // for comparisons with pivots
  RoundProgress before_{};        // of the last round, without what it leaves
};

}  // namespace

std::size_t StringRadixHostForm::scratch_bytes(std::size_t count) const {
  return kScratchAlignment + round_to_scratch_alignment((count + 1) * sizeof(std::uint64_t));
}

void StringRadixHostForm::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                               std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  ScratchArrays arrays(scratch);
  const PackedHostStrings packed(strings, arrays.take<std::uint64_t>(strings.size() + 1));
  if (!strings.empty()) RadixRounds(packed.strings(), order).run();
  for (std::size_t i = 0; i < lcps.size(); ++i) {
    lcps[i] =
        i == 0 ? 0 : shared_prefix(string_at(packed.strings(), order[i - 1]), string_at(packed.strings(), order[i]), 0);
  }
}

}  // namespace spillway
