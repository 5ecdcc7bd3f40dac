#include "io/base/varint.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace spillway {
namespace {

bool read_all(const std::vector<std::uint8_t>& bytes, std::uint64_t* value) {
  const std::uint8_t* at = bytes.data();
  return read_varint(&at, bytes.data() + bytes.size(), value) && at == bytes.data() + bytes.size();
}

TEST(Varint, GivesBackEveryWidth) {
  for (unsigned width = 0; width <= 64; ++width) {
    const std::uint64_t top = width == 64 ? std::numeric_limits<std::uint64_t>::max() : (std::uint64_t{1} << width) - 1;
    for (const std::uint64_t value : {top, top / 2 + 1, top - top / 3}) {
      std::vector<std::uint8_t> bytes(kMaxVarintBytes);
      bytes.resize(static_cast<std::size_t>(write_varint(bytes.data(), value) - bytes.data()));
      EXPECT_EQ(bytes.size(), varint_bytes(value));
      std::uint64_t read = ~value;
      EXPECT_TRUE(read_all(bytes, &read));
      EXPECT_EQ(read, value);
    }
  }
}

TEST(Varint, HasTheDocumentedBytes) {
  std::uint8_t bytes[2];
  EXPECT_EQ(write_varint(bytes, 300), bytes + 2);
  EXPECT_EQ(bytes[0], 0xAC);
  EXPECT_EQ(bytes[1], 0x02);
  EXPECT_EQ(varint_bytes(0), 1u);
  EXPECT_EQ(varint_bytes(127), 1u);
  EXPECT_EQ(varint_bytes(128), 2u);
}

TEST(Varint, RefusesToReadPastTheEnd) {
  std::uint64_t value = 0;
  EXPECT_FALSE(read_all({}, &value));
  EXPECT_FALSE(read_all({0x80}, &value));
  EXPECT_FALSE(read_all({0xFF, 0xFF, 0xFF}, &value));
}

TEST(Varint, RefusesWhatDoesNotFit64Bits) {
  const std::vector<std::uint8_t> nine(9, 0xFF);
  std::uint64_t value = 0;
  auto bytes = nine;
  bytes.push_back(1);
  EXPECT_TRUE(read_all(bytes, &value));
  EXPECT_EQ(value, std::numeric_limits<std::uint64_t>::max());
  bytes.back() = 2;
  EXPECT_FALSE(read_all(bytes, &value));
  bytes.back() = 0x81;
  bytes.push_back(0);
  EXPECT_FALSE(read_all(bytes, &value));
}

}  // namespace
}  // namespace spillway
