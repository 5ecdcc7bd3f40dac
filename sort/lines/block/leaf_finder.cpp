#include "sort/lines/block/leaf_finder.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace spillway {

namespace {

constexpr std::size_t kSampleOfLeaf = 8;
constexpr std::size_t kShareOfFrequent = 16;  // a frequent key has this part of the sample, or more
constexpr std::size_t kLeastFrequent = 64;    // a frequent key has at least so many strings of it

}  // namespace

LeafFinder::LeafFinder(const ItemStrings& strings, const ItemStrings& texts, std::vector<LineItem> sample,
                       bool splits_equal)
    : strings_(strings), texts_(texts), keys_(strings, sample, kSampleOfLeaf) {
  if (splits_equal) find_frequent(sample);
  number_leaves();
}

// The length that most strings of the leaf have: those are equal.
std::uint32_t LeafFinder::most_frequent_bytes(std::span<const LineItem> items) const {
  std::array<std::size_t, kCachedBytes + 1> counts{};
  const auto shortest = std::ranges::min(items, {}, [&](const LineItem& item) { return strings_.bytes(item); });
  const std::uint32_t least = strings_.bytes(shortest);
  for (const LineItem& item : items) ++counts[strings_.bytes(item) - least];
  return least + static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
}

void LeafFinder::find_frequent(std::vector<LineItem>& sample) {
  std::vector<std::uint16_t> found(sample.size());
  for (std::size_t i = 0; i < sample.size(); i += SplitterTree::kBatch) {
    const std::size_t count = std::min(SplitterTree::kBatch, sample.size() - i);
    keys_.classify(std::span(sample).subspan(i, count), found.data() + i);
  }
  std::vector<std::vector<LineItem>> by_leaf(keys_.leaf_depths().size());
  for (std::size_t i = 0; i != sample.size(); ++i) by_leaf[found[i]].push_back(sample[i]);
  const std::size_t least = std::max(kLeastFrequent, sample.size() / kShareOfFrequent);
  std::size_t leaves = by_leaf.size();
  for (std::size_t leaf = 0; leaf != by_leaf.size(); ++leaf) {
    std::vector<LineItem>& lines = by_leaf[leaf];
    if (lines.size() < least || !keys_.has_equal_caches(leaf)) continue;
    const std::uint32_t bytes = most_frequent_bytes(lines);
    std::erase_if(lines, [&](const LineItem& item) { return strings_.bytes(item) != bytes; });
    if (lines.size() < least) continue;
    for (LineItem& item : lines) item = strings_.line(item);
    SplitterTree tree(texts_, std::move(lines), kSampleOfLeaf);
    leaves += tree.leaf_depths().size() + 1;
    if (leaves > SplitterTree::kMostLeaves) break;
    frequent_.push_back({static_cast<std::uint32_t>(leaf), bytes, std::move(tree)});
  }
}

void LeafFinder::number_leaves() {
  const std::span<const std::uint32_t> depths = keys_.leaf_depths();
  const auto add = [&](const SplitterTree& tree, std::size_t leaf, bool has_lines) {
    const bool are_lines = has_lines || strings_.kind() == ItemStrings::Kind::kLines;
    leaves_.push_back({tree.leaf_depths()[leaf], has_lines});
    if (are_lines && tree.has_equal_caches(leaf)) leaves_.back().least_equal_bytes = tree.least_bytes(leaf);
  };
  auto next = frequent_.begin();
  for (std::uint32_t leaf = 0; leaf != depths.size(); ++leaf) {
    if (!frequent_.empty()) first_leaves_.push_back(static_cast<std::uint32_t>(leaves_.size()));
    if (next != frequent_.end() && next->leaf == leaf) {
      add(keys_, leaf, false);
      for (std::size_t of_lines = 0; of_lines != next->lines.leaf_depths().size(); ++of_lines) {
        add(next->lines, of_lines, true);
      }
      ++next;
    }
    add(keys_, leaf, false);
  }
}

void LeafFinder::classify(const LineBatch& batch, std::uint16_t* leaves) const {
  keys_.classify(batch.items, leaves);
  if (frequent_.empty()) return;
  std::array<LineItem, SplitterTree::kBatch> lines;
  std::array<std::uint16_t, SplitterTree::kBatch> numbers, found;
  std::array<std::uint16_t, SplitterTree::kBatch> of_keys;
  std::copy_n(leaves, batch.items.size(), of_keys.begin());
  for (std::size_t i = 0; i != batch.items.size(); ++i) {
    leaves[i] = static_cast<std::uint16_t>(first_leaves_[of_keys[i]]);
  }
  for (const Frequent& frequent : frequent_) {
    std::size_t count = 0;
    batch.for_each_line([&](std::size_t i, const LineItem& line) {
      if (of_keys[i] != frequent.leaf) return;
      const std::uint32_t bytes = strings_.bytes(batch.items[i]);
      if (bytes > frequent.bytes) leaves[i] += static_cast<std::uint16_t>(frequent.lines.leaf_depths().size() + 1);
      numbers[count] = static_cast<std::uint16_t>(i);
      lines[count] = line;
      count += bytes == frequent.bytes ? 1 : 0;
    });
    frequent.lines.classify(std::span(lines).first(count), found.data());
    for (std::size_t i = 0; i != count; ++i) leaves[numbers[i]] += static_cast<std::uint16_t>(found[i] + 1);
  }
}

}  // namespace spillway
