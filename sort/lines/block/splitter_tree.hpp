// Splits strings into many groups of similar size whose order is known (super scalar string sample sort, Bingmann and
// Sanders 2013, section 3). Splitters are caches of a sample; strings whose caches equal a frequent one are split
// further by their next 8 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sort/lines/block/items.hpp"
#include "sort/lines/block/splitter_search.hpp"

namespace spillway {

class SplitterTree {
 public:
  static constexpr std::size_t kMostLeaves = 65535, kBatch = 256;

  // Takes a sample of the strings, in any order. Leaves get about `sample_of_leaf` strings of it each, and those of
  // equal caches four times as many, unless there are more leaves than may be.
  SplitterTree(const ItemStrings& strings, std::vector<LineItem> sample, std::size_t sample_of_leaf);

  // For each leaf, a number of bytes that all its strings share. Each string of a leaf comes before each of the next
  // one.
  std::span<const std::uint32_t> leaf_depths() const { return leaf_depths_; }
  // Whether the strings of a leaf end in their caches at its depth, which are equal: those of one length are equal.
  bool has_equal_caches(std::size_t leaf) const { return equal_leaves_[leaf] != kDiffer; }
  // Requires: has_equal_caches(leaf). The length of its shortest string; longer ones end with zeros.
  std::uint32_t least_bytes(std::size_t leaf) const { return equal_leaves_[leaf]; }
  // Sets leaves[i] to the leaf of items[i]. Requires: at most kBatch items. Thread-safe.
  void classify(std::span<const LineItem> items, std::uint16_t* leaves) const;

 private:
  // An outcome of a node is a leaf, or kInner and a node.
  static constexpr std::uint32_t kInner = std::uint32_t{1} << 31;
  void build(std::span<const LineItem> sample, std::uint32_t depth);
  std::vector<std::uint64_t> choose_splitters(std::span<const std::uint64_t> caches) const;
  static constexpr std::uint32_t kDiffer = UINT32_MAX;
  std::uint32_t add_leaf(std::uint32_t depth, std::uint32_t least_equal_bytes = kDiffer);

  const ItemStrings strings_;
  const SplitterSearch search_;
  std::size_t sample_of_leaf_;
  std::vector<SplitterNode> nodes_;
  std::vector<std::uint64_t> splitters_;
  std::vector<std::uint32_t> outcomes_;
  std::vector<std::uint32_t> leaf_depths_;
  std::vector<std::uint32_t> equal_leaves_;  // least bytes, or kDiffer
  std::size_t promised_leaves_ = 0;          // of nodes that are being built
};

}  // namespace spillway
