#include "tests/support/gpu_host_forms/string_merge.hpp"

#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "sort/cpu/string_items.hpp"
#include "sort/gpu/string_merge/prefix_key.hpp"
#include "sort/gpu/string_merge/shape.hpp"
#include "sort/interface/scratch.hpp"
#include "tests/support/gpu_host_forms/packed_strings.hpp"

namespace spillway {

namespace {

struct KeyedString {
  PrefixKey key;
  std::uint32_t index;
};
using KeyedStrings = std::span<KeyedString>;

bool key_is_less(const KeyedString& a, const KeyedString& b) { return a.key < b.key; }

// Merges pairs of runs of `run` strings.
void merge_pass(std::span<const KeyedString> from, KeyedStrings to, std::size_t run) {
  const std::size_t count = from.size();
  for (std::size_t pair = 0; pair < count; pair += 2 * run) {
    const std::size_t a_end = std::min(pair + run, count), b_end = std::min(pair + 2 * run, count);
    const auto at = [&](std::size_t i) { return from.begin() + static_cast<std::ptrdiff_t>(i); };
    std::merge(at(pair), at(a_end), at(a_end), at(b_end), to.begin() + static_cast<std::ptrdiff_t>(pair), key_is_less);
  }
}

// Stable. Returns `strings` or `spare`, whichever holds the result after the last pass.
KeyedStrings merge_sort(KeyedStrings strings, KeyedStrings spare) {
  for (std::size_t run = 1; run < strings.size(); run *= 2) {
    merge_pass(strings, spare, run);
    std::swap(strings, spare);
  }
  return strings;
}

std::uint32_t find_root(const DeviceStrings& strings) {
  DeviceString first = string_at(strings, 0);
  for (std::uint32_t i = 1; i < strings.count; ++i) first.bytes = shared_prefix(first, string_at(strings, i), 0);
  return first.bytes;
}

KeySymbols find_symbols(const DeviceStrings& strings) {
  std::uint32_t used[8] = {};
  for (std::size_t i = 0; i < strings.total_bytes; ++i) {
    used[strings.d_bytes[i] / 32] |= 1u << (strings.d_bytes[i] % 32);
  }
  return make_key_symbols(used);
}

class MergeRounds {
 public:
  MergeRounds(const DeviceStrings& strings, std::span<std::uint32_t> order, KeyedStrings room, KeyedStrings spare)
      : strings_(strings), order_(order), room_(room), spare_(spare), symbols_(find_symbols(strings)) {}

  void run() {
    const std::uint32_t root = find_root(strings_);
    for (std::uint32_t i = 0; i < order_.size(); ++i) room_[i] = {load_key(alphabet_, string(i), root, 0), i};
    const std::vector<MergeGroup> all{{0, 0, static_cast<std::uint32_t>(order_.size()), {root, PivotReach::kStep}}};
    finish(merge_sort(room_, spare_), all, 0, [root](PrefixKey key, const GroupDepth&) {
      return GroupDepth{root + known_bytes(key), PivotReach::kStep};
    });
    sort_large();
  }

  void run(std::span<const MergeGroup> groups) {
    for (const MergeGroup& group : groups) note(group.begin, group.count, group.known);
    sort_small();
    sort_large();
  }
  std::size_t comparisons() const { return comparisons_; }

 private:
  void sort_large() {
    std::vector<MergeGroup> groups;
    while (!large_.empty()) {
      groups.swap(large_);
      large_.clear();
      sort_groups(groups);
    }
  }

  void sort_small() {
    while (!small_.empty()) {
      const MergeGroup group = small_.back();
      small_.pop_back();
      sort_small(group);
    }
  }

  DeviceString string(std::uint32_t index) const { return string_at(strings_, index); }

  // Sorts all groups of a round at once, by keys with the group number first.
  void sort_groups(const std::vector<MergeGroup>& groups) {
    const auto group_bits = static_cast<std::uint32_t>(std::bit_width(groups.size() - 1));
    std::size_t count = 0;
    ++comparisons_;
    for (std::size_t number = 0; number < groups.size(); ++number) {
      const MergeGroup& group = groups[number];
      const DeviceString pivot = string(order_[pivot_place(group.begin, group.count)]);
      const PrefixKey front = group_bits == 0 ? 0 : PrefixKey{number} << (64 - group_bits);
      for (std::uint32_t i = 0; i < group.count; ++i) {
        const std::uint32_t index = order_[group.begin + i];
        room_[count++] = {front | key_of(index, pivot, group.known, group_bits), index};
      }
    }
    finish(merge_sort(room_.first(count), spare_.first(count)), groups, group_bits,
           [group_bits](PrefixKey key, const GroupDepth& known) { return depth_beside_pivot(key, group_bits, known); });
  }

  PrefixKey key_of(std::uint32_t index, const DeviceString& pivot, const GroupDepth& known, std::uint32_t bits) const {
    const PivotPair pair{string(index), pivot, known};
    return pivot_key(alphabet_, pair, pair.shared_bytes(), bits);
  }

  // Writes the sorted strings of a round, lists the groups of equal keys that go on, and sorts the small ones.
  template <typename Known>
  void finish(std::span<const KeyedString> sorted, const std::vector<MergeGroup>& groups, std::uint32_t group_bits,
              Known known) {
    for (std::size_t i = 0; i < sorted.size();) {
      const PrefixKey key = sorted[i].key;
      const MergeGroup& group = groups[group_bits == 0 ? 0 : key >> (64 - group_bits)];
      const auto begin = static_cast<std::uint32_t>(group.begin + (i - group.first));
      std::uint32_t count = 0;
      for (; i < sorted.size() && sorted[i].key == key; ++i) order_[begin + count++] = sorted[i].index;
      if ((key & kKeyGoesOn) == 0 || count == 1) continue;
      note(begin, count, known(key, group.known));
    }
    sort_small();
  }

  void note(std::uint32_t begin, std::uint32_t count, const GroupDepth& known) {
    if (count <= kMaxBlockGroup) {
      small_.push_back({begin, 0, count, known});
    } else {
      const std::uint32_t first = large_.empty() ? 0 : large_.back().first + large_.back().count;
      large_.push_back({begin, first, count, known});
    }
  }

  // Sorts one group; on the GPU a block sorts several.
  void sort_small(const MergeGroup& group) {
    ++comparisons_;
    std::vector<KeyedString> room(group.count), spare(group.count);
    const DeviceString pivot = string(order_[pivot_place(group.begin, group.count)]);
    for (std::uint32_t i = 0; i < group.count; ++i) {
      const std::uint32_t index = order_[group.begin + i];
      room[i] = {key_of(index, pivot, group.known, kBlockGroupBits), index};
    }
    const KeyedStrings sorted = merge_sort(room, spare);
    for (std::uint32_t i = 0; i < group.count;) {
      const PrefixKey key = sorted[i].key;
      const std::uint32_t begin = i;
      for (; i < group.count && sorted[i].key == key; ++i) order_[group.begin + i] = sorted[i].index;
      if ((key & kKeyGoesOn) == 0 || i - begin == 1) continue;
      note(group.begin + begin, i - begin, depth_beside_pivot(key, kBlockGroupBits, group.known));
    }
  }

  const DeviceStrings& strings_;
  std::span<std::uint32_t> order_;
  KeyedStrings room_, spare_;
  KeySymbols symbols_;
  KeyAlphabet alphabet_{symbols_.symbol_of, symbols_.bits};
  std::vector<MergeGroup> small_, large_;
  std::size_t comparisons_ = 0;
};

}  // namespace

std::size_t StringMergeHostForm::scratch_bytes(std::size_t count) const {
  return 2 * round_to_scratch_alignment(count * sizeof(KeyedString)) +
         round_to_scratch_alignment((count + 1) * sizeof(std::uint64_t)) + kScratchAlignment;
}

void StringMergeHostForm::sort(std::span<const StringRef> strings, std::span<std::uint32_t> order,
                               std::span<std::uint32_t> lcps, std::span<std::uint8_t> scratch) const {
  check_string_spans(strings, order, lcps);
  if (strings.empty()) return;
  ScratchArrays arrays(scratch);
  const KeyedStrings room = arrays.take<KeyedString>(strings.size()), spare = arrays.take<KeyedString>(strings.size());
  const PackedHostStrings packed(strings, arrays.take<std::uint64_t>(strings.size() + 1));
  MergeRounds(packed.strings(), order, room, spare).run();
  for (std::size_t i = 0; i < lcps.size(); ++i) {
    lcps[i] =
        i == 0 ? 0 : shared_prefix(string_at(packed.strings(), order[i - 1]), string_at(packed.strings(), order[i]), 0);
  }
}

void sort_groups_by_pivots(const DeviceStrings& strings, std::span<std::uint32_t> order,
                           std::span<const MergeGroup> groups) {
  std::vector<KeyedString> room(order.size()), spare(order.size());
  MergeRounds(strings, order, room, spare).run(groups);
}

std::size_t string_merge_comparisons(std::span<const StringRef> strings) {
  std::vector<std::uint32_t> order(strings.size());
  std::vector<std::uint64_t> offsets(strings.size() + 1);
  std::vector<KeyedString> room(strings.size()), spare(strings.size());
  const PackedHostStrings packed(strings, offsets);
  MergeRounds rounds(packed.strings(), order, room, spare);
  rounds.run();
  return rounds.comparisons();
}

}  // namespace spillway
