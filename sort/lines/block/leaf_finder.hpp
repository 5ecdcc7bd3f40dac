// Finds the leaf of each line of a block by its string; if many lines have the same key, by their bytes as well.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sort/lines/block/items.hpp"
#include "sort/lines/block/splitter_tree.hpp"

namespace spillway {

class LeafFinder {
 public:
  // A sample of the strings, in any order. `splits_equal`: lines with equal keys are ordered by their bytes.
  LeafFinder(const ItemStrings& strings, const ItemStrings& texts, std::vector<LineItem> sample, bool splits_equal);

  // All strings of a leaf, or its lines if those are what is to be sorted, share `depth` bytes. Each line of a leaf
  // comes before each of the next one.
  struct Leaf {
    std::uint32_t depth;
    bool has_lines;
    // If lines are sorted here, and those of one length are equal: the length of the shortest one that may come.
    std::optional<std::uint32_t> least_equal_bytes = {};
  };
  std::span<const Leaf> leaves() const { return leaves_; }
  bool has_line_leaves() const { return !frequent_.empty(); }
  // Sets leaves[i] to the leaf of the i-th line. Requires: at most SplitterTree::kBatch lines. Thread-safe.
  void classify(const LineBatch& batch, std::uint16_t* leaves) const;

 private:
  // A key that many lines have. Its leaves: of shorter keys with an equal cache, of its lines, of longer such keys.
  struct Frequent {
    std::uint32_t leaf;   // of the tree of keys
    std::uint32_t bytes;  // of the key
    SplitterTree lines;
  };
  std::uint32_t most_frequent_bytes(std::span<const LineItem> items) const;
  void find_frequent(std::vector<LineItem>& sample);
  void number_leaves();

  const ItemStrings strings_, texts_;
  const SplitterTree keys_;
  std::vector<Frequent> frequent_;           // ascending
  std::vector<std::uint32_t> first_leaves_;  // of the leaves of keys_; empty without frequent keys
  std::vector<Leaf> leaves_;
};

}  // namespace spillway
