#include "corpora/parquet/page_pieces.hpp"

#include <gtest/gtest.h>
#include <snappy.h>
#include <zstd.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace spillway {
namespace {

using Bytes = std::string;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

std::span<const std::uint8_t> view(const Bytes& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

// Returns bytes that often repeat earlier ones, up to 3 MiB before them, so that matches cross the borders of pieces.
Bytes repeating(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  Bytes out;
  while (out.size() < bytes) {
    const std::size_t length = 1000 + random() % 50'000;
    if (out.size() > 2 * length && random() % 4 != 0) {
      const std::size_t back = length + random() % std::min(out.size() - length, 3 * kMebibyte);
      out += out.substr(out.size() - back, length);
    } else {
      for (std::size_t i = 0; i < length; ++i) out += static_cast<char>('a' + random() % 20);
    }
  }
  return out;
}

Bytes frame(const Bytes& raw, int level) {
  Bytes out(ZSTD_compressBound(raw.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), level));
  return out;
}

// Reads the page in steps of up to `most` bytes, and expects each step in one place. Returns less if it is damaged.
Bytes read(const Bytes& stored, std::size_t raw_bytes, std::size_t most, unsigned seed,
           ParquetCodec codec = ParquetCodec::kZstd) {
  const auto pool = PagePool::make();
  PagePieces pieces(codec, view(stored), raw_bytes, *pool);
  std::mt19937 random(seed);
  std::vector<PageBytes> held;
  Bytes out;
  while (pieces.left() != 0) {
    const std::size_t bytes = std::min(1 + random() % most, pieces.left());
    const std::uint8_t* const at = pieces.need(bytes);
    if (at == nullptr) return out;
    EXPECT_EQ(at, pieces.piece().get() + pieces.offset());
    EXPECT_LE(pieces.offset() + bytes, pieces.piece_bytes());
    out.append(reinterpret_cast<const char*>(at), bytes);
    pieces.pass(bytes);
    held.push_back(pieces.piece());
    if (held.size() > 3) held.erase(held.begin());  // as batches come and go
  }
  return pieces.is_whole() ? out : out + "damaged";
}

TEST(PagePieces, HaveTheBytesOfThePage) {
  const Bytes raw = repeating(24 * kMebibyte, 1);
  for (const int level : {1, 3, 9}) {
    const Bytes stored = frame(raw, level);
    ASSERT_TRUE(PagePieces::can_unpack(ParquetCodec::kZstd, view(stored))) << level;
    for (const std::size_t most : {std::size_t{100'000}, 3 * kMebibyte, 20 * kMebibyte}) {
      EXPECT_TRUE(read(stored, raw.size(), most, 7) == raw) << level << ", " << most;
    }
  }
}

TEST(PagePieces, FramesFollowEachOther) {
  const Bytes one = repeating(9 * kMebibyte, 2), skipped("\x50\x2A\x4D\x18\x03\0\0\0abc", 11);
  const Bytes stored = frame(one, 1) + skipped + frame("", 1) + frame("x", 1) + frame(one, 3);
  ASSERT_TRUE(PagePieces::can_unpack(ParquetCodec::kZstd, view(stored)));
  EXPECT_TRUE(read(stored, 2 * one.size() + 1, kMebibyte, 3) == one + "x" + one);
}

TEST(PagePieces, AreNotMadeOfFramesThatLookFarBack) {
  const Bytes raw = repeating(12 * kMebibyte, 4);
  EXPECT_FALSE(PagePieces::can_unpack(ParquetCodec::kZstd, view(frame("x", 1) + frame(raw, 19).substr(0, kMebibyte))));
  EXPECT_FALSE(PagePieces::can_unpack(ParquetCodec::kZstd, view("no frame")));
  ZSTD_CCtx* const zstd = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(zstd, ZSTD_c_windowLog, 23);
  Bytes stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(ZSTD_compress2(zstd, stored.data(), stored.size(), raw.data(), raw.size()));
  ZSTD_freeCCtx(zstd);
  EXPECT_FALSE(PagePieces::can_unpack(ParquetCodec::kZstd, view(stored)));
}

TEST(PagePieces, TellDamage) {
  const Bytes raw = repeating(17 * kMebibyte, 5);
  const Bytes stored = frame(raw, 1);
  EXPECT_EQ(read(stored, raw.size() - 1, kMebibyte, 1).find(raw), Bytes::npos);
  EXPECT_LT(read(stored, raw.size() + 1, kMebibyte, 1).size(), raw.size() + 1);
  for (std::size_t at = 20; at < stored.size(); at += stored.size() / 9) {
    EXPECT_LT(read(stored.substr(0, at), raw.size(), kMebibyte, 1).size(), raw.size()) << at;
    Bytes changed = stored;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    read(changed, raw.size(), kMebibyte, 1);  // other bytes or fewer, and nothing outside of a piece
  }
}

Bytes snappy_of(const Bytes& raw) {
  Bytes out;
  snappy::Compress(raw.data(), raw.size(), &out);
  return out;
}

TEST(PagePieces, OfSnappyHaveTheBytesOfThePage) {
  const Bytes raw = repeating(24 * kMebibyte, 1);
  const Bytes stored = snappy_of(raw);
  ASSERT_TRUE(PagePieces::can_unpack(ParquetCodec::kSnappy, view(stored)));
  for (const std::size_t most : {std::size_t{100'000}, 3 * kMebibyte, 20 * kMebibyte}) {
    EXPECT_TRUE(read(stored, raw.size(), most, 7, ParquetCodec::kSnappy) == raw) << most;
  }
}

TEST(PagePieces, OfSnappyBecomeOneWhereACopyReachesFarBack) {
  const Bytes raw = repeating(18 * kMebibyte, 6);
  Bytes whole(1, '\xC3');  // copies the 49 bytes at 17 MiB before the end
  for (const std::size_t byte : {17 * kMebibyte, (17 * kMebibyte) >> 8, (17 * kMebibyte) >> 16, std::size_t{1}}) {
    whole += static_cast<char>(byte & 0xFF);
  }
  const Bytes stored = snappy_of(raw + Bytes(49, 'x'));
  const Bytes length = stored.substr(0, 4), packed = snappy_of(raw).substr(4);
  const Bytes expected = raw + raw.substr(raw.size() - 17 * kMebibyte, 49);
  for (const std::size_t most : {std::size_t{100'000}, 3 * kMebibyte, 20 * kMebibyte}) {
    EXPECT_TRUE(read(length + packed + whole, expected.size(), most, 7, ParquetCodec::kSnappy) == expected) << most;
  }
  whole[4] = '\x02';  // more than 32 MiB before the end
  EXPECT_LT(read(length + packed + whole, expected.size(), kMebibyte, 7, ParquetCodec::kSnappy).size(),
            expected.size());
}

TEST(PagePieces, OfSnappyTellDamage) {
  const Bytes raw = repeating(17 * kMebibyte, 5);
  const Bytes stored = snappy_of(raw);
  const auto read_snappy = [](const Bytes& bytes, std::size_t raw_bytes) {
    return read(bytes, raw_bytes, kMebibyte, 1, ParquetCodec::kSnappy);
  };
  EXPECT_NE(read_snappy(stored, raw.size() - 1), raw.substr(0, raw.size() - 1));
  EXPECT_LT(read_snappy(stored, raw.size() + 1).size(), raw.size() + 1);
  EXPECT_EQ(read_snappy(stored + Bytes(2, '\0'), raw.size()), raw + "damaged");
  for (std::size_t at = 20; at < stored.size(); at += stored.size() / 9) {
    EXPECT_LT(read_snappy(stored.substr(0, at), raw.size()).size(), raw.size()) << at;
    Bytes changed = stored;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    read_snappy(changed, raw.size());  // other bytes or fewer, and nothing outside of a piece
  }
}

}  // namespace
}  // namespace spillway
