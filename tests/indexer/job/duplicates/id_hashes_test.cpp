#include "indexer/job/duplicates/id_hashes.hpp"

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway {
namespace {

// The hash of a document, or none where it has no id.
using Hashes = std::vector<std::optional<std::uint64_t>>;

// Ids of 8 bytes are their hashes.
std::uint64_t bytes_of_id(std::string_view id) {
  std::uint64_t hash = 0;
  std::memcpy(&hash, id.data(), sizeof hash);
  return hash;
}

bool may_repeat(const Hashes& hashes, int threads = 4, const std::function<void()>& check = {}) {
  constexpr std::size_t kBehind = 64;
  tbb::task_arena arena(threads);
  return arena.execute([&] {
    const std::size_t bytes = IdHashes::memory_bytes(hashes.size());
    std::vector<std::uint64_t> memory((bytes + kBehind) / sizeof(std::uint64_t) + 1, 0x5A5A5A5A5A5A5A5A);
    const std::span<std::uint8_t> all(reinterpret_cast<std::uint8_t*>(memory.data()), bytes + kBehind);
    IdHashes ids(hashes.size(), all.first(bytes), bytes_of_id);
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
      StringRef id;
      if (hashes[i]) id = {reinterpret_cast<const std::uint8_t*>(&*hashes[i]), sizeof(std::uint64_t), i};
      ids.set(i, id);
    }
    const bool result = ids.may_repeat(check);
    for (const std::uint8_t behind : all.subspan(bytes)) EXPECT_EQ(behind, 0x5A) << "more memory was used";
    return result;
  });
}

Hashes distinct(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Hashes hashes(count);
  for (auto& hash : hashes) hash = random();
  return hashes;
}

TEST(IdHashes, AreThoseOfXxh3) {
  EXPECT_EQ(hash_id(""), 0x2D06800538D394C2u);
  std::set<std::uint64_t> hashes;
  const std::string text(300, 'x');
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) hashes.insert(hash_id(text.substr(0, bytes)));
  EXPECT_EQ(hashes.size(), text.size() + 1);
}

TEST(IdHashes, OfNoDocumentAndOfOneDiffer) {
  EXPECT_FALSE(may_repeat({}));
  EXPECT_FALSE(may_repeat({std::nullopt}));
  EXPECT_FALSE(may_repeat({5}));
  EXPECT_TRUE(may_repeat({5, 5}));
}

// The counts give one part and up to 64; sorters of few hashes have one way, and those of many another.
TEST(IdHashes, ShowOneEqualPairAnywhere) {
  for (const std::size_t count : {2, 3, 33, 1000, 8191, 8192, 40000, 300000}) {
    const Hashes hashes = distinct(count, count);
    std::mt19937_64 random(count);
    std::vector<std::pair<std::size_t, std::size_t>> pairs{{0, 1}, {0, count - 1}, {count - 2, count - 1}};
    for (int i = 0; i < 5 && count > 2; ++i)
      pairs.emplace_back(random() % (count / 2), count / 2 + random() % (count / 2));
    for (const int threads : {1, 4}) {
      EXPECT_FALSE(may_repeat(hashes, threads)) << count;
      for (const auto& [first, second] : pairs) {
        Hashes repeated = hashes;
        repeated[second] = repeated[first];
        EXPECT_TRUE(may_repeat(repeated, threads)) << first << " and " << second << " of " << count;
      }
    }
  }
}

// Each part, the first and the last too, is searched.
TEST(IdHashes, ShowAnEqualPairWithAnyHighestBits) {
  constexpr std::size_t kCount = std::size_t{1} << 16;
  const Hashes hashes = distinct(kCount, 7);
  for (std::uint64_t highest = 0; highest < 16; ++highest) {
    for (const std::uint64_t hash : {highest << 60 | 12345, highest << 60 | (~std::uint64_t{0} >> 4)}) {
      Hashes repeated = hashes;
      repeated[highest] = hash;
      ASSERT_FALSE(may_repeat(repeated)) << hash;
      repeated[kCount - 1] = hash;
      ASSERT_TRUE(may_repeat(repeated)) << hash;
    }
  }
}

TEST(IdHashes, AtBothEndsOfTheirRangeDiffer) {
  EXPECT_FALSE(may_repeat({0, 2, ~std::uint64_t{0}, ~std::uint64_t{0} - 1}));
  EXPECT_TRUE(may_repeat({0, 0}));
  EXPECT_TRUE(may_repeat({~std::uint64_t{0}, 3, ~std::uint64_t{0}}));
  EXPECT_TRUE(may_repeat({0, 1})) << "no hash is that of a document without an id";
}

TEST(IdHashes, LeaveOutDocumentsWithoutIds) {
  EXPECT_FALSE(may_repeat(Hashes(100000)));
  Hashes hashes = distinct(100000, 3);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i % 10 != 0) hashes[i].reset();
  }
  EXPECT_FALSE(may_repeat(hashes));
  hashes[99990] = hashes[0];
  EXPECT_TRUE(may_repeat(hashes));
}

// Ids can be made to have such hashes. They cost neither time nor memory, but differ.
TEST(IdHashes, MayRepeatWhereManyAreAlike) {
  Hashes hashes = distinct(200000, 5);
  for (auto& hash : hashes) *hash >>= 5;  // in one part
  EXPECT_TRUE(may_repeat(hashes));
  hashes = distinct(6000, 6);
  for (auto& hash : hashes) *hash >>= 20;  // at one place of a table
  EXPECT_TRUE(may_repeat(hashes));
}

TEST(IdHashes, AreComparedUntilTheCheckThrows) {
  for (const int last : {0, 1, 20}) {
    std::atomic<int> calls{0};
    const auto check = [&] {
      if (calls++ == last) throw std::runtime_error("stop");
    };
    EXPECT_THROW(may_repeat(distinct(300000, 1), 4, check), std::runtime_error);
  }
}

}  // namespace
}  // namespace spillway
