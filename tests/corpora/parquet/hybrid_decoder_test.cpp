#include "corpora/parquet/hybrid_decoder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace spillway {
namespace {

std::vector<std::uint32_t> decode(const std::vector<std::uint8_t>& bytes, unsigned width, std::size_t count) {
  HybridDecoder decoder(bytes, width);
  std::vector<std::uint32_t> values(count);
  return decoder.read(values) ? values : std::vector<std::uint32_t>{};
}

TEST(HybridDecoder, ReadsTheExampleOfTheSpecification) {
  // 0 to 7 in 3 bits each: https://parquet.apache.org/docs/file-format/data-pages/encodings/
  EXPECT_EQ(decode({0x03, 0x88, 0xC6, 0xFA}, 3, 8), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(HybridDecoder, ReadsRunsAndGroupsInAnyPieces) {
  const std::vector<std::uint8_t> bytes{10, 5, 0x03, 0x88, 0xC6, 0xFA, 4, 1};  // five 5, 0 to 7, two 1
  const std::vector<std::uint32_t> expected{5, 5, 5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 1, 1};
  for (std::size_t step = 1; step <= expected.size(); ++step) {
    HybridDecoder decoder(bytes, 3);
    std::vector<std::uint32_t> found(expected.size());
    for (std::size_t at = 0; at < found.size(); at += step) {
      ASSERT_TRUE(decoder.read(std::span(found).subspan(at, std::min(step, found.size() - at))));
    }
    EXPECT_EQ(found, expected) << step;
  }
}

TEST(HybridDecoder, ReadsValuesOf32Bits) {
  std::vector<std::uint8_t> bytes{3};  // one group
  for (std::uint32_t i = 0; i < 8; ++i) {
    const std::uint32_t value = 0xFFFFFFFF - i;
    for (unsigned shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<std::uint8_t>(value >> shift));
  }
  const auto found = decode(bytes, 32, 8);
  ASSERT_EQ(found.size(), 8U);
  EXPECT_EQ(found[7], 0xFFFFFFF8U);
}

TEST(HybridDecoder, ValuesOfNoBitsAreZero) {
  EXPECT_EQ(decode({6}, 0, 3), (std::vector<std::uint32_t>{0, 0, 0}));
  EXPECT_EQ(decode({3}, 0, 8), std::vector<std::uint32_t>(8));
}

TEST(HybridDecoder, TellsWhereTheBytesEnd) {
  EXPECT_TRUE(decode({}, 3, 1).empty());
  EXPECT_TRUE(decode({10}, 3, 1).empty());                // a run without its value
  EXPECT_TRUE(decode({0x03, 0x88, 0xC6}, 3, 8).empty());  // a group without its last byte
  EXPECT_TRUE(decode({10, 9}, 3, 6).empty());             // more values than there are
  EXPECT_TRUE(decode({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}, 1, 8).empty());
}

}  // namespace
}  // namespace spillway
