#include "io/postings/bit_packing.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace spillway {
namespace {

std::vector<std::uint32_t> random_block(unsigned width, std::mt19937_64& random) {
  std::vector<std::uint32_t> values(kPackedBlock);
  for (std::uint32_t& value : values) {
    value = width == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - width);
  }
  return values;
}

class EveryWidth : public ::testing::TestWithParam<unsigned> {};

TEST_P(EveryWidth, PacksAsThePortableCodeDoes) {
  std::mt19937_64 random(GetParam());
  for (int round = 0; round < 20; ++round) {
    const auto values = random_block(GetParam(), random);
    std::vector<std::uint8_t> fast(packed_bytes(GetParam()) + 16, 0xAA), slow = fast;
    pack_block(values.data(), GetParam(), fast.data());
    pack_block_portable(values.data(), GetParam(), slow.data());
    ASSERT_EQ(fast, slow);
  }
}

TEST_P(EveryWidth, UnpacksAnyBytesAsThePortableCodeDoes) {
  std::mt19937_64 random(GetParam() + 100);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint8_t> bytes(packed_bytes(GetParam()));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
    std::vector<std::uint32_t> fast(kPackedBlock), slow(kPackedBlock);
    unpack_block(bytes.data(), GetParam(), fast.data());
    unpack_block_portable(bytes.data(), GetParam(), slow.data());
    ASSERT_EQ(fast, slow);
  }
}

TEST_P(EveryWidth, ComesBackUnharmedAtAnyAlignment) {
  std::mt19937_64 random(GetParam() + 200);
  for (std::size_t shift = 0; shift < 16; ++shift) {
    const auto values = random_block(GetParam(), random);
    std::vector<std::uint8_t> bytes(packed_bytes(GetParam()) + 16);
    pack_block(values.data(), GetParam(), bytes.data() + shift);
    std::vector<std::uint32_t> back(kPackedBlock);
    unpack_block(bytes.data() + shift, GetParam(), back.data());
    ASSERT_EQ(back, values);
  }
}

TEST_P(EveryWidth, UnpacksDocumentsAsGapsAddedUp) {
  std::mt19937_64 random(GetParam() + 300);
  const auto gaps = random_block(GetParam(), random);
  std::vector<std::uint8_t> bytes(packed_bytes(GetParam()));
  pack_block(gaps.data(), GetParam(), bytes.data());
  for (const std::uint32_t first : {0u, 1u, 123'456u}) {
    std::vector<std::uint32_t> documents(kPackedBlock);
    unpack_documents(bytes.data(), GetParam(), first, documents.data());
    std::uint32_t expected = first;
    for (std::size_t i = 0; i < kPackedBlock; ++i) {
      expected += gaps[i];
      ASSERT_EQ(documents[i], expected++) << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(BitPacking, EveryWidth, ::testing::Range(0u, kMaxPackedWidth + 1));

TEST(BitPacking, PutsValuesInFourLanes) {
  std::vector<std::uint32_t> values(kPackedBlock, 0);
  values[0] = 1;    // lane 0, bits 0-2
  values[5] = 5;    // lane 1, bits 3-5
  values[127] = 7;  // lane 3, bits 93-95: the top of its third word
  std::vector<std::uint8_t> expected(48, 0), bytes(48);
  expected[0] = 1;
  expected[4] = 5 << 3;
  expected[32 + 12 + 3] = 7 << 5;
  pack_block(values.data(), 3, bytes.data());
  EXPECT_EQ(bytes, expected);
}

}  // namespace
}  // namespace spillway
