#include "sort/external/loser_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace spillway {
namespace {

struct Item {
  int key;
  std::size_t source, place;
  bool operator==(const Item&) const = default;
};

// Merges sorted sources; equal keys must come in source order, then in their own.
std::vector<Item> merge(const std::vector<std::vector<Item>>& sources) {
  std::vector<std::size_t> at(sources.size());
  const auto less = [&](std::size_t a, std::size_t b) {
    const bool a_done = at[a] == sources[a].size(), b_done = at[b] == sources[b].size();
    if (a_done || b_done) return a_done == b_done ? a < b : b_done;
    const int x = sources[a][at[a]].key, y = sources[b][at[b]].key;
    return x != y ? x < y : a < b;
  };
  LoserTree tree(sources.size(), less);
  std::vector<Item> merged;
  while (at[tree.winner()] != sources[tree.winner()].size()) {
    merged.push_back(sources[tree.winner()][at[tree.winner()]++]);
    tree.replay();
  }
  return merged;
}

TEST(LoserTree, MergesAnyNumberOfSourcesStably) {
  std::mt19937_64 random(1);
  for (std::size_t count = 1; count <= 40; ++count) {
    for (const int distinct : {1, 3, 1000}) {
      std::vector<std::vector<Item>> sources(count);
      std::vector<Item> expected;
      for (std::size_t source = 0; source < count; ++source) {
        std::vector<int> keys(random() % 30);
        for (int& key : keys) key = static_cast<int>(random() % static_cast<unsigned>(distinct));
        std::sort(keys.begin(), keys.end());
        for (std::size_t i = 0; i < keys.size(); ++i) sources[source].push_back({keys[i], source, i});
        expected.insert(expected.end(), sources[source].begin(), sources[source].end());
      }
      std::stable_sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
      ASSERT_EQ(merge(sources), expected) << count << " sources";
    }
  }
}

TEST(LoserTree, HoldsEmptySources) {
  EXPECT_TRUE(merge({{}}).empty());
  EXPECT_TRUE(merge({{}, {}, {}}).empty());
  EXPECT_EQ(merge({{}, {{7, 1, 0}}, {}}).size(), 1u);
}

}  // namespace
}  // namespace spillway
