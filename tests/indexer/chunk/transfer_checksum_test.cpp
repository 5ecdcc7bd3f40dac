#include "indexer/chunk/transfer_checksum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace spillway {
namespace {

using Bytes = std::vector<std::uint8_t>;

TransferChecksum sums_by_definition(Bytes bytes, std::uint64_t first) {
  bytes.resize((bytes.size() + 15) / 16 * 16);
  TransferChecksum sums;
  for (std::size_t i = 0; i < bytes.size() / 8; ++i) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + 8 * i, 8);
    const std::uint64_t key = (first + i + 1) * 0x9E3779B97F4A7C15U;
    sums.sum += word;
    sums.keyed += static_cast<std::uint64_t>(static_cast<std::uint32_t>(word ^ key)) * ((word ^ key) >> 32);
  }
  return sums;
}

Bytes random_bytes(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST(TransferChecksum, AreThoseOfTheDefinitionOnEveryPath) {
  for (const WordSummer& summer : all_word_summers()) {
    for (std::size_t count = 0; count < 400; ++count) {
      const Bytes bytes = random_bytes(count, count);
      EXPECT_EQ(summer.sum(bytes, 7 * count), sums_by_definition(bytes, 7 * count)) << summer.name << ", " << count;
    }
    EXPECT_EQ(summer.sum(Bytes(100003, 255), 0), sums_by_definition(Bytes(100003, 255), 0)) << summer.name;
  }
}

TEST(TransferChecksum, FollowAnArrayThatGrows) {
  std::mt19937_64 random(2);
  GrowingChecksum growing;
  for (int i = 0; i < 20; ++i) {
    const Bytes bytes = random_bytes(random() % 100000, random());
    for (std::size_t at = 0; at < bytes.size(); at += random() % 9000) growing.follow(std::span(bytes).first(at));
    EXPECT_EQ(growing.take(bytes), sum_words(bytes));
  }
}

// Small, similar values such as lengths and positions, and text: any damage is detected.
TEST(TransferChecksum, ShowDamage) {
  std::mt19937_64 random(5);
  for (const std::uint32_t most : {2U, 60U, 5000U, 0U}) {
    std::vector<std::uint32_t> values(std::size_t{1} << 15);
    for (std::uint32_t& value : values) {
      value = static_cast<std::uint32_t>(most == 0 ? random() : random() % most);
    }
    const TransferChecksum before = sum_words(bytes_of(values));
    const auto expect_seen = [&](const char* what, auto&& damage) {
      for (int i = 0; i < 300; ++i) {
        std::vector<std::uint32_t> damaged = values;
        damage(damaged);
        EXPECT_EQ(sum_words(bytes_of(damaged)) == before, damaged == values) << what << " below " << most;
      }
    };
    const auto place = [&] { return random() % values.size(); };
    const auto stretch = [&] { return std::size_t{1} << random() % 13; };
    expect_seen("a bit", [&](auto& array) { array[place()] ^= 1U << random() % 32; });
    expect_seen("what one value gains another loses", [&](auto& array) {
      const std::uint32_t change = 1U << random() % 32;
      const std::size_t a = place();
      array[a] += change;
      array[a ^ stretch()] -= change;
    });
    expect_seen("values that change places", [&](auto& array) { std::swap(array[place()], array[place()]); });
    expect_seen("stretches that change places", [&](auto& array) {
      const std::size_t count = stretch(), a = random() % 2 * count, b = a + (1 + random() % 2) * count;
      std::swap_ranges(array.begin() + a, array.begin() + a + count, array.begin() + b);
    });
    expect_seen("a stretch of zeros", [&](auto& array) { std::fill_n(array.begin() + place() / 2, stretch(), 0U); });
  }
}

// Weights that grow evenly with the index would not detect it.
TEST(TransferChecksum, ShowTwoPairsThatAreTurnedRoundInOppositeWays) {
  for (std::size_t distance = 4; distance <= 1 << 14; distance *= 2) {
    std::vector<std::uint64_t> words(std::size_t{1} << 15, 9);
    words[8] = words[8 + distance + 1] = 5;
    const auto sums = [&] {
      return sum_words(std::span(reinterpret_cast<const std::uint8_t*>(words.data()), 8 * words.size()));
    };
    const TransferChecksum before = sums();
    std::swap(words[8], words[9]);
    std::swap(words[8 + distance], words[8 + distance + 1]);
    EXPECT_EQ(sums().sum, before.sum);
    EXPECT_NE(sums().keyed, before.keyed) << distance;
  }
}

TEST(TransferChecksum, OfChunksShowWhatGoesFromOneToAnother) {
  const TransferChecksum a = sum_words(random_bytes(1000, 1)), b = sum_words(random_bytes(1000, 2));
  TransferChecksum sums = a.of_chunk(3), others = b.of_chunk(3);
  sums += b.of_chunk(4);
  others += a.of_chunk(4);
  EXPECT_EQ(sums.sum, others.sum);
  EXPECT_NE(sums.keyed, others.keyed);
}

}  // namespace
}  // namespace spillway
