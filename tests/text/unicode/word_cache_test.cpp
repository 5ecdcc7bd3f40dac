#include "text/unicode/word_cache.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

std::string random_run(std::mt19937_64& random, std::size_t longest) {
  std::string run;
  const std::size_t bytes = WordCache::kMinBytes + random() % (longest - WordCache::kMinBytes + 1);
  while (run.size() < bytes) run.push_back(static_cast<char>(random() % 3 == 0 ? random() : 'a' + random() % 4));
  return run;
}

// A function of the run, so that any answer can be checked: words that touch and words that do not.
std::vector<std::uint32_t> edges_of(const std::string& run) {
  std::vector<std::uint32_t> edges;
  std::uint32_t begin = run[0] % 5 == 0 ? 3 : 0;
  for (std::uint32_t i = begin; i < run.size(); ++i) {
    if (i < begin || (i + 1 != run.size() && run[i] % 3 != 0)) continue;
    edges.insert(edges.end(), {begin, i + 1});
    begin = i + 1 + (run[i] % 2 == 0 ? 2 : 0);
  }
  return edges;
}

std::vector<std::uint32_t> found_in(const WordCache& cache, const std::string& run) {
  std::vector<std::uint32_t> edges{7};
  return cache.find(run, edges) ? edges : std::vector<std::uint32_t>{};
}

TEST(WordCache, RemembersWhatWasAdded) {
  WordCache cache(std::size_t{1} << 20);
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const std::string run = random_run(random, WordCache::kMaxBytes);
    cache.add(run, edges_of(run));
    ASSERT_EQ(found_in(cache, run), edges_of(run));
  }
  EXPECT_TRUE(found_in(cache, std::string(WordCache::kMinBytes, 'x')).empty());
}

TEST(WordCache, TakesTheLongestRunWithTheMostWords) {
  WordCache cache(1);
  std::vector<std::uint32_t> edges;
  for (std::uint32_t i = 0; i < WordCache::kMaxBytes; ++i) edges.insert(edges.end(), {i, i + 1});
  for (const char c : {'a', 'b', 'c', 'd', 'e', 'f', 'g'}) {
    const std::string run(WordCache::kMaxBytes, c);
    cache.add(run, edges);
    ASSERT_EQ(found_in(cache, run), edges);
  }
}

// Many rounds through the smallest ring: what is found is right, or nothing is.
TEST(WordCache, ForgetsButNeverMixesUp) {
  WordCache cache(1);
  std::mt19937_64 random(2);
  std::vector<std::string> runs;
  for (int i = 0; i < 300; ++i)
    runs.push_back(random_run(random, i % 2 == 0 ? WordCache::kMinBytes : WordCache::kMaxBytes));
  std::size_t found_count = 0, missed = 0;
  for (int i = 0; i < 200000; ++i) {
    const std::string& run = runs[random() % runs.size()];
    const auto found = found_in(cache, run);
    if (found.empty()) {
      ++missed;
      cache.add(run, edges_of(run));
      continue;
    }
    ++found_count;
    ASSERT_EQ(found, edges_of(run));
  }
  EXPECT_GT(found_count, 1000U);
  EXPECT_GT(missed, 1000U);
}

}  // namespace
}  // namespace spillway
