#include "io/base/checksum.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace spillway {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::vector<std::uint8_t> random_bytes(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<std::uint8_t> bytes(count);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// Computed one bit at a time, from the definition.
std::uint32_t crc_by_bits(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~crc;
}

TEST(Crc32c, HasThePublishedValues) {
  // Vectors of RFC 3720, B.4, and the customary check value.
  const std::vector<std::uint8_t> zeros(32, 0), ones(32, 0xFF);
  for (const auto crc : {crc32c, crc32c_portable}) {
    EXPECT_EQ(crc(0, bytes_of("123456789")), 0xE3069283u);
    EXPECT_EQ(crc(0, zeros), 0x8A9136AAu);
    EXPECT_EQ(crc(0, ones), 0x62A8AB43u);
    EXPECT_EQ(crc(0, {}), 0u);
  }
}

TEST(Crc32c, IsTheSameOnBothPathsForEveryLengthAndAlignment) {
  const auto bytes = random_bytes(3 * 3072 + 64);
  for (const std::size_t around : {0u, 64u, 1024u, 3072u, 6144u, 9216u}) {
    for (std::size_t length = around < 40 ? 0 : around - 40; length < around + 40; ++length) {
      for (std::size_t at = 0; at < 9; ++at) {
        const auto part = std::span(bytes).subspan(at, length);
        const std::uint32_t expected = crc_by_bits(part);
        ASSERT_EQ(crc32c(0, part), expected) << length << " at " << at;
        ASSERT_EQ(crc32c_portable(0, part), expected) << length << " at " << at;
      }
    }
  }
}

TEST(Crc32c, ContinuesWhereItStopped) {
  const auto bytes = random_bytes(10'000);
  const std::uint32_t whole = crc32c(0, bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += 37) {
    EXPECT_EQ(crc32c(crc32c(0, std::span(bytes).first(cut)), std::span(bytes).subspan(cut)), whole);
  }
}

TEST(Crc32c, JoinsThoseOfBytesBehindEachOther) {
  const auto bytes = random_bytes(300'000);
  const std::uint32_t whole = crc32c(0, bytes);
  std::size_t step = 1;
  for (std::size_t cut = 0; cut <= bytes.size(); cut += step++) {
    const auto before = std::span(bytes).first(cut), behind = std::span(bytes).subspan(cut);
    ASSERT_EQ(crc32c_join(crc32c(0, before), crc32c(0, behind), behind.size()), whole) << cut;
  }
  const std::vector<std::uint8_t> zeros(std::size_t{1} << 20);
  for (std::size_t count = 1; count <= zeros.size(); count *= 2) {
    const auto behind = std::span(zeros).first(count);
    EXPECT_EQ(crc32c_join(whole, crc32c(0, behind), count), crc32c(whole, behind)) << count;
  }
}

TEST(Hash128, HasThePublishedValueOfNothing) { EXPECT_EQ(to_hex(hash128({})), "99aa06d3014798d86001c324468d497f"); }

TEST(Hash128, IsTheSameInFragments) {
  const auto bytes = random_bytes(100'000);
  for (const std::size_t fragment : {1u, 63u, 256u, 4096u, 99'999u}) {
    StreamingHash128 stream;
    for (std::size_t at = 0; at < bytes.size(); at += fragment) {
      stream.update(std::span(bytes).subspan(at, std::min(fragment, bytes.size() - at)));
    }
    EXPECT_EQ(stream.digest(), hash128(bytes));
    EXPECT_EQ(stream.digest(), hash128(bytes)) << "a digest changes nothing";
  }
}

TEST(Hash128, TellsBytesApart) {
  auto bytes = random_bytes(1000);
  const Hash128 before = hash128(bytes);
  bytes[500] ^= 1;
  EXPECT_NE(hash128(bytes), before);
}

}  // namespace
}  // namespace spillway
