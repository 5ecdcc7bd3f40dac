#include "io/postings/distance_coding.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "io/postings/bit_packing.hpp"

namespace spillway {
namespace {

using Block = std::vector<std::uint32_t>;

constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();

Block block_of(const std::function<std::uint32_t(std::size_t)>& value) {
  Block block(kDistanceBlock);
  for (std::size_t i = 0; i < block.size(); ++i) block[i] = value(i);
  return block;
}

std::vector<std::uint8_t> pack(const Block& block) {
  std::vector<std::uint8_t> bytes(kMaxDistanceBlockBytes);
  bytes.resize(pack_distances(block.data(), bytes.data()));
  return bytes;
}

std::vector<Block> blocks() {
  std::mt19937_64 random(1);
  std::vector<Block> all{block_of([](std::size_t) { return 0; }), block_of([](std::size_t) { return kMost; }),
                         block_of([](std::size_t i) { return i == 77 ? kMost : 0; }),
                         block_of([](std::size_t i) { return static_cast<std::uint32_t>(i); }),
                         block_of([](std::size_t i) { return i % 2 == 0 ? 1 : 1u << 24; })};
  for (unsigned bits = 1; bits <= 32; ++bits) {
    all.push_back(block_of([&](std::size_t) { return static_cast<std::uint32_t>(random()) >> (32 - bits); }));
    // Heavy-tailed, like distances.
    all.push_back(block_of([&](std::size_t) { return static_cast<std::uint32_t>(random()) >> random() % bits; }));
    all.push_back(block_of([&](std::size_t) { return random() % 16 == 0 ? 1u << (bits - 1) : 3; }));
  }
  return all;
}

// By definition: per value one bit, its high part in unary and its low bits.
std::uint64_t bits_at(const Block& block, unsigned width) {
  std::uint64_t bits = 0;
  for (const std::uint32_t value : block) bits += std::uint64_t{width} + 1 + (value >> width);
  return bits;
}

TEST(DistanceCoding, GivesBackAnyValues) {
  for (const Block& block : blocks()) {
    const std::vector<std::uint8_t> bytes = pack(block);
    ASSERT_EQ(distance_block_bytes(bytes.data()), bytes.size());
    Block read(kDistanceBlock);
    ASSERT_TRUE(unpack_distances(bytes.data(), read.data()));
    ASSERT_EQ(read, block);
  }
}

TEST(DistanceCoding, IsTheSameWithoutWideVectors) {
  for (const Block& block : blocks()) {
    std::vector<std::uint8_t> bytes(kMaxDistanceBlockBytes);
    bytes.resize(pack_distances_portable(block.data(), bytes.data()));
    ASSERT_EQ(bytes, pack(block));
  }
}

TEST(DistanceCoding, TakesTheLeastWidthOfTheFewestBits) {
  for (const Block& block : blocks()) {
    const std::vector<std::uint8_t> bytes = pack(block);
    unsigned best = 0;
    for (unsigned width = 1; width < 32; ++width) best = bits_at(block, width) < bits_at(block, best) ? width : best;
    ASSERT_EQ(bytes[0], best);
    const std::uint64_t unary_bits = bits_at(block, best) - kDistanceBlock * best;
    ASSERT_EQ(bytes.size(), kDistanceHeadBytes + packed_bytes(best) + (unary_bits + 7) / 8);
  }
}

TEST(DistanceCoding, StandsInItsBytesAsItIsWrittenDown) {
  const Block block = block_of([](std::size_t i) { return static_cast<std::uint32_t>(i * i % 41); });
  const std::vector<std::uint8_t> bytes = pack(block);
  const unsigned width = bytes[0];
  Block low(kDistanceBlock);
  unpack_block_portable(bytes.data() + kDistanceHeadBytes, width, low.data());
  std::size_t bit = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i, ++bit) {
    std::uint32_t high = 0;
    for (; (bytes[kDistanceHeadBytes + packed_bytes(width) + bit / 8] >> bit % 8 & 1) == 0; ++bit) ++high;
    ASSERT_EQ(high << width | low[i], block[i]);
  }
}

TEST(DistanceCoding, RefusesHeadsOfNoBlock) {
  const auto size = [](std::uint8_t width, std::uint8_t unary) {
    const std::uint8_t head[kDistanceHeadBytes] = {width, unary};
    return distance_block_bytes(head);
  };
  EXPECT_EQ(size(0, 16), 18u);
  EXPECT_EQ(size(31, 48), kMaxDistanceBlockBytes);
  EXPECT_EQ(size(32, 16), 0u);
  EXPECT_EQ(size(3, 15), 0u);
  EXPECT_EQ(size(3, 49), 0u);
}

TEST(DistanceCoding, RefusesBlocksOfOtherCountsAndValues) {
  Block read(kDistanceBlock);
  std::vector<std::uint8_t> bytes = pack(block_of([](std::size_t) { return 5; }));
  const std::size_t unary = kDistanceHeadBytes + packed_bytes(bytes[0]);
  ASSERT_TRUE(unpack_distances(bytes.data(), read.data()));
  std::vector<std::uint8_t> fewer = bytes, none_last = bytes, large = bytes;
  fewer[unary] = static_cast<std::uint8_t>(fewer[unary] & (fewer[unary] - 1));
  EXPECT_FALSE(unpack_distances(fewer.data(), read.data()));
  none_last.push_back(0);
  ++none_last[1];
  EXPECT_FALSE(unpack_distances(none_last.data(), read.data()));
  // 2^31 * 2 does not fit 32 bits.
  large.assign(kMaxDistanceBlockBytes, 0);
  large[0] = 31;
  large[1] = 17;
  std::fill_n(large.begin() + kDistanceHeadBytes + packed_bytes(31), 17, std::uint8_t{0xFF});
  large[kDistanceHeadBytes + packed_bytes(31)] = 0xFC;
  large[kDistanceHeadBytes + packed_bytes(31) + 16] = 0x03;
  EXPECT_FALSE(unpack_distances(large.data(), read.data()));
}

}  // namespace
}  // namespace spillway
