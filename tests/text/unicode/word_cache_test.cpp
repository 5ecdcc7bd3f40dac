#include "text/unicode/word_cache.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

std::string random_word(std::mt19937_64& random, std::size_t longest) {
  std::string word;
  const std::size_t bytes = WordCache::kMinBytes + random() % (longest - WordCache::kMinBytes + 1);
  while (word.size() < bytes) word.push_back(static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 4));
  return word;
}

// Tokens as a function of the word, so that any answer can be checked. Some touch, others do not.
std::vector<std::uint32_t> edges_of(const std::string& word) {
  std::vector<std::uint32_t> edges;
  std::uint32_t begin = word[0] % 5 == 0 ? 3 : 0;
  for (std::uint32_t i = begin; i < word.size(); ++i) {
    if (i < begin || (i + 1 != word.size() && word[i] % 3 != 0)) continue;
    edges.insert(edges.end(), {begin, i + 1});
    begin = i + 1 + (word[i] % 2 == 0 ? 2 : 0);
  }
  return edges;
}

std::vector<std::uint32_t> found_in(const WordCache& cache, const std::string& word) {
  std::vector<std::uint32_t> edges{7};
  return cache.find(word, edges) ? edges : std::vector<std::uint32_t>{};
}

TEST(WordCache, RemembersWhatWasAdded) {
  WordCache cache(std::size_t{1} << 20);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string word = random_word(random, WordCache::kMaxBytes);
    cache.add(word, edges_of(word));
    ASSERT_EQ(found_in(cache, word), edges_of(word));
  }
  EXPECT_TRUE(found_in(cache, std::string(WordCache::kMinBytes, 'x')).empty());
}

TEST(WordCache, TakesTheLongestWordWithTheMostTokens) {
  WordCache cache(1);
  std::vector<std::uint32_t> edges;
  for (std::uint32_t i = 0; i < WordCache::kMaxBytes; ++i) edges.insert(edges.end(), {i, i + 1});
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f', 'g'}) {
    const std::string word(WordCache::kMaxBytes, c);
    cache.add(word, edges);
    ASSERT_EQ(found_in(cache, word), edges);
  }
}

// Many rounds through the smallest ring: an answer is right or missing.
TEST(WordCache, ForgetsButNeverMixesUp) {
  WordCache cache(1);
  std::mt19937_64 random(2);
  std::vector<std::string> inputs;
  for (int i = 0; i < 300; ++i)
    inputs.push_back(random_word(random, i % 2 == 0 ? WordCache::kMinBytes : WordCache::kMaxBytes));
  std::size_t found_count = 0, missed = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::string& word = inputs[random() % inputs.size()];
    const auto found = found_in(cache, word);
    if (found.empty()) {
      ++missed;
      cache.add(word, edges_of(word));
      continue;
    }
    ++found_count;
    ASSERT_EQ(found, edges_of(word));
  }
  EXPECT_GT(found_count, 1000U);
  EXPECT_GT(missed, 1000U);
}

}  // namespace
}  // namespace spillway
