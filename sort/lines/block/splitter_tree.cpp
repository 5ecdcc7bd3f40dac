#include "sort/lines/block/splitter_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "sort/lines/block/item_sorter.hpp"

namespace spillway {

namespace {

constexpr std::size_t kMostSplitters = 1023;  // of a node
constexpr std::size_t kWorthSplitting = 4;    // times the strings of a leaf
constexpr std::uint32_t kMostDepth = 256;     // a sorter passes longer prefixes at once

constexpr std::size_t leaves_of_node(std::size_t splitters) { return 3 * splitters + 1; }

// Where runs of equal values end.
std::size_t run_end(std::span<const std::uint64_t> sorted, std::size_t begin) {
  return static_cast<std::size_t>(std::ranges::upper_bound(sorted.subspan(begin), sorted[begin]) - sorted.begin());
}

}  // namespace

SplitterTree::SplitterTree(const ItemStrings& strings, std::vector<LineItem> sample, std::size_t sample_of_leaf)
    : strings_(strings), search_(splitter_search()), sample_of_leaf_(sample_of_leaf) {
  for (LineItem& item : sample) item.cache = strings.load(item, 0);
  ItemSorter(strings).sort(sample, 0);
  build(sample, 0);
}

std::uint32_t SplitterTree::add_leaf(std::uint32_t depth, std::uint32_t least_equal_bytes) {
  leaf_depths_.push_back(depth);
  equal_leaves_.push_back(least_equal_bytes);
  --promised_leaves_;
  return static_cast<std::uint32_t>(leaf_depths_.size() - 1);
}

// Frequent values become splitters, and others that have as many values as a group between them.
std::vector<std::uint64_t> SplitterTree::choose_splitters(std::span<const std::uint64_t> caches) const {
  const std::size_t share = std::max(sample_of_leaf_, (caches.size() + kMostSplitters - 1) / kMostSplitters);
  std::vector<std::uint64_t> chosen;
  std::size_t since = 0;
  for (std::size_t begin = 0; begin != caches.size();) {
    const std::size_t end = run_end(caches, begin);
    since += end - begin;
    if (since >= share) {
      chosen.push_back(caches[begin]);
      since = 0;
    }
    begin = end;
  }
  if (chosen.empty()) chosen.push_back(caches[caches.size() / 2]);
  return chosen;
}

// Appends a node for strings that share their first `depth` bytes, and the nodes and leaves under it. `sample` is
// sorted, and not empty.
void SplitterTree::build(std::span<const LineItem> sample, std::uint32_t depth) {
  std::vector<std::uint64_t> chosen;
  std::vector<std::span<const LineItem>> longer;  // for each splitter, the strings that equal it and go on
  {
    std::vector<std::uint64_t> caches;
    for (const LineItem& item : sample) caches.push_back(strings_.load(item, depth));
    chosen = choose_splitters(caches);
    for (const std::uint64_t splitter : chosen) {
      const auto equal = std::ranges::equal_range(caches, splitter);
      const auto strings = sample.subspan(static_cast<std::size_t>(equal.begin() - caches.begin()), equal.size());
      const auto goes_on = std::ranges::find_if(
          strings, [&](const LineItem& item) { return strings_.end_class(item, depth) == ItemStrings::kGoesOn; });
      longer.emplace_back(goes_on, strings.end());
    }
  }
  promised_leaves_ += leaves_of_node(chosen.size());
  const auto bits = static_cast<std::uint32_t>(std::bit_width(chosen.size()));
  const std::size_t count = (std::size_t{1} << bits) - 1, outcomes = outcomes_.size();
  nodes_.push_back({depth, bits, splitters_.size(), outcomes});
  splitters_.insert(splitters_.end(), chosen.begin(), chosen.end());
  splitters_.resize(nodes_.back().splitters + count, std::numeric_limits<std::uint64_t>::max());
  outcomes_.resize(outcomes + 3 * (count + 1));
  for (std::size_t i = 0; i != chosen.size(); ++i) {
    outcomes_[outcomes + 3 * i] = add_leaf(depth);
    const std::uint32_t zeros = static_cast<std::uint32_t>(std::countr_zero(chosen[i])) / 8;
    outcomes_[outcomes + 3 * i + 1] = add_leaf(depth, depth + kCachedBytes - zeros);
    const std::size_t splitters = std::min(longer[i].size() / sample_of_leaf_ + 1, kMostSplitters);
    const bool has_room = leaf_depths_.size() + promised_leaves_ + leaves_of_node(splitters) <= kMostLeaves;
    if (longer[i].size() > kWorthSplitting * sample_of_leaf_ && depth < kMostDepth && has_room) {
      --promised_leaves_;
      outcomes_[outcomes + 3 * i + 2] = kInner | static_cast<std::uint32_t>(nodes_.size());
      build(longer[i], depth + kCachedBytes);
    } else {
      outcomes_[outcomes + 3 * i + 2] = add_leaf(depth + kCachedBytes);
    }
  }
  std::fill(outcomes_.begin() + static_cast<std::ptrdiff_t>(outcomes + 3 * chosen.size()),
            outcomes_.begin() + static_cast<std::ptrdiff_t>(outcomes + 3 * (count + 1)), add_leaf(depth));
}

// Level by level, so that many strings are searched for at once.
void SplitterTree::classify(std::span<const LineItem> items, std::uint16_t* leaves) const {
  const SplitterNodes tree{nodes_.data(), splitters_.data(), outcomes_.data()};
  // The strings that are left and their nodes, filled up to a multiple of kSearchBatch.
  std::array<std::uint32_t, kBatch + kSearchBatch> left, nodes, found;
  std::size_t count = items.size();
  for (std::uint32_t i = 0; i != count; ++i) left[i] = i;
  std::fill_n(nodes.begin(), count, 0);
  while (count != 0) {
    std::fill_n(left.begin() + static_cast<std::ptrdiff_t>(count), kSearchBatch, left[0]);
    std::fill_n(nodes.begin() + static_cast<std::ptrdiff_t>(count), kSearchBatch, nodes[0]);
    for (std::size_t i = 0; i < count; i += kSearchBatch) {
      search_(strings_, tree, items.data(), &left[i], &nodes[i], &found[i]);
    }
    std::size_t inner = 0;
    for (std::size_t i = 0; i != count; ++i) {
      leaves[left[i]] = static_cast<std::uint16_t>(found[i]);
      left[inner] = left[i];
      nodes[inner] = found[i] & ~kInner;
      inner += found[i] >> 31;
    }
    count = inner;
  }
}

}  // namespace spillway
