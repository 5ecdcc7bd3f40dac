// Column chunks that are written here, byte by byte. python/tests/test_parquet.py compares files of pyarrow.
#include "corpora/parquet/column_chunk.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include <limits>
#include <utility>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "tests/support/bytes_file.hpp"
#include "tests/support/parquet_value.hpp"

namespace spillway {
namespace {

using Bytes = std::string;

Bytes varint(std::uint64_t value) {
  std::uint8_t out[kMaxVarintBytes];
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(write_varint(out, value) - out)};
}

Bytes field(int step, std::int64_t value) {
  const auto zigzag = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
  return Bytes(1, static_cast<char>(step << 4 | 5)) + varint(zigzag);
}

Bytes length_of(const Bytes& bytes) {
  Bytes out(4, '\0');
  store_le(out.data(), static_cast<std::uint32_t>(bytes.size()));
  return out;
}

Bytes text(const Bytes& value) { return length_of(value) + value; }

struct Written {
  int type = 0;  // of a page: 0 data, 2 dictionary
  std::int64_t values = 0, encoding = 0;
  Bytes content;
};

Bytes zstd(const Bytes& raw) {
  Bytes out(ZSTD_compressBound(raw.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), 3));
  return out;
}

// A page V1.
Bytes page(const Written& given, ParquetCodec codec, bool has_crc) {
  const Bytes stored = codec == ParquetCodec::kZstd ? zstd(given.content) : given.content;
  const auto crc = static_cast<std::int32_t>(libdeflate_crc32(0, stored.data(), stored.size()));
  Bytes header = field(1, given.type) + field(1, static_cast<std::int64_t>(given.content.size())) +
                 field(1, static_cast<std::int64_t>(stored.size()));
  if (has_crc) {
    header += Bytes(1, 0x15) + varint((static_cast<std::uint32_t>(crc) << 1) ^ static_cast<std::uint32_t>(crc >> 31));
  }
  header += Bytes(1, static_cast<char>(((given.type == 0 ? 1 : 3) + (has_crc ? 0 : 1)) << 4 | 12));
  header += field(1, given.values) + field(1, given.encoding);
  if (given.type == 0) header += field(1, 3) + field(1, 3);
  return header + Bytes(2, '\0') + stored;
}

// Makes a page V2 that is not compressed and has no repetition levels; its header tells these bytes of levels.
Bytes page_v2(std::int64_t values, const Bytes& levels, const Bytes& content, std::int64_t definition_bytes,
              std::int64_t repetition_bytes = 0, std::int64_t more_stored = 0) {
  const auto bytes = static_cast<std::int64_t>(levels.size() + content.size());
  Bytes header = field(1, 3) + field(1, bytes) + field(1, bytes + more_stored) + Bytes(1, '\x5C');
  header += field(1, values) + field(1, 0) + field(1, values) + field(1, kPlainValues) + field(1, definition_bytes);
  header += field(1, repetition_bytes) + Bytes("\x12\0\0", 3);  // it is not compressed; both structs end
  return header + levels + content;
}

class ParquetColumns : public ::testing::Test {
 protected:
  ParquetChunk chunk_of(const std::vector<Written>& pages, ParquetCodec codec, unsigned most_definition) {
    content_.assign(7, 'x');
    std::uint64_t raw = 0;
    for (const Written& one : pages) {
      content_ += page(one, codec, has_crc_);
      raw += one.content.size();
    }
    ParquetChunk chunk;
    chunk.name = "body";
    chunk.codec = codec;
    chunk.most_definition = most_definition;
    chunk.begin = 7;
    chunk.stored_bytes = content_.size() - 7;
    chunk.raw_bytes = raw;
    return chunk;
  }

  // The texts of `rows` rows, read by `step` rows; "-" for null.
  std::vector<Bytes> texts(const ParquetChunk& chunk, std::size_t rows, std::size_t step) {
    const testing::BytesFile file({content_.begin(), content_.end()}, "docs.parquet");
    const PagePools pools;
    const std::string place = "docs.parquet: row group 0";
    ParquetColumn column(file, chunk, unpacker_, pools, place);
    std::vector<Bytes> found;
    for (std::size_t at = 0; at < rows; at += step) {
      const ParquetValues values = column.read(std::min(step, rows - at));
      for (std::size_t row = 0; row < values.rows; ++row) {
        found.push_back(testing::parquet_value(values, chunk.type, row).value_or("-"));
      }
    }
    column.finish();
    return found;
  }

  std::string refusal_of(const ParquetChunk& chunk, std::size_t rows) {
    try {
      texts(chunk, rows, rows);
    } catch (const FormatError& error) {
      return error.what();
    }
    return "";
  }

  bool has_crc_ = true;
  Bytes content_;
  PageUnpacker unpacker_;
};

const Bytes kLong = "a text that is longer than twelve bytes";
// Definition levels of 4 rows: there, null, there, there.
const Bytes kLevels = length_of("\x03\x0D") + "\x03\x0D";

TEST_F(ParquetColumns, PlainTextsAreRead) {
  for (const ParquetCodec codec : {ParquetCodec::kNone, ParquetCodec::kZstd}) {
    const auto chunk = chunk_of({{0, 4, kPlainValues, kLevels + text("a") + text(kLong) + text("")},
                                 {0, 4, kPlainValues, kLevels + text("b") + text("c") + text(kLong + "!")}},
                                codec, 1);
    for (std::size_t step = 1; step <= 8; ++step) {
      EXPECT_EQ(texts(chunk, 8, step), (std::vector<Bytes>{"a", "-", kLong, "", "b", "-", "c", kLong + "!"})) << step;
    }
  }
}

TEST_F(ParquetColumns, ADictionaryAndPlainPagesMix) {
  const Bytes indices = Bytes("\x01\x03\x02", 3);  // of 1 bit: 0, 1, 0
  const auto chunk = chunk_of({{2, 2, kPlainValues, text(kLong) + text("short")},
                               {0, 4, kRleDictionary, kLevels + indices},
                               {0, 4, kPlainValues, kLevels + text("x") + text("y") + text(kLong + "?")}},
                              ParquetCodec::kZstd, 1);
  EXPECT_EQ(texts(chunk, 8, 3), (std::vector<Bytes>{kLong, "-", "short", kLong, "x", "-", "y", kLong + "?"}));
}

TEST_F(ParquetColumns, RequiredColumnsHaveNoLevels) {
  const auto chunk = chunk_of({{0, 2, kPlainValues, text("a") + text("b")}}, ParquetCodec::kNone, 0);
  EXPECT_EQ(texts(chunk, 2, 2), (std::vector<Bytes>{"a", "b"}));
}

TEST_F(ParquetColumns, DamageIsFound) {
  using Codec = ParquetCodec;
  const Bytes ab = text("a") + text("b");
  EXPECT_EQ(refusal_of(chunk_of({{0, 2, kPlainValues, ab}}, Codec::kNone, 0), 2), "");
  EXPECT_NE(refusal_of(chunk_of({{0, 2, kPlainValues, ab}}, Codec::kNone, 0), 3).find("the end of the column chunk"),
            std::string::npos);
  EXPECT_NE(refusal_of(chunk_of({{0, 3, kPlainValues, ab}}, Codec::kNone, 0), 3).find("a text within its page"),
            std::string::npos);
  EXPECT_NE(refusal_of(chunk_of({{0, 2, 6, ab}}, Codec::kNone, 0), 2).find("encoding 6"), std::string::npos);
  EXPECT_NE(refusal_of(chunk_of({{0, 1, kRleDictionary, Bytes("\x01\x03\x00", 3)}}, Codec::kNone, 0), 1).find("none"),
            std::string::npos);
  const auto beyond =
      chunk_of({{2, 1, kPlainValues, text("a")}, {0, 2, kRleDictionary, Bytes("\x01\x03\x02", 3)}}, Codec::kNone, 0);
  EXPECT_NE(refusal_of(beyond, 2).find("an index below 1, found 1"), std::string::npos);
  auto changed = chunk_of({{0, 2, kPlainValues, ab}}, Codec::kNone, 0);
  content_.back() ^= 1;
  EXPECT_NE(refusal_of(changed, 2).find("a page with its CRC"), std::string::npos);
  changed.raw_bytes = 3;
  EXPECT_NE(refusal_of(changed, 2).find("a page of at most 3 bytes"), std::string::npos);
}

TEST_F(ParquetColumns, PagesOfTheSecondVersionAreRead) {
  auto chunk = chunk_of({}, ParquetCodec::kNone, 1);
  chunk.raw_bytes = 100;
  const auto give = [&](const Bytes& page) {
    content_ = Bytes(7, 'x') + page;
    chunk.stored_bytes = page.size();
  };
  const Bytes levels("\x03\x05"), content = text("a") + text(kLong);  // there, null, there
  give(page_v2(3, levels, content, 2));
  EXPECT_EQ(texts(chunk, 3, 2), (std::vector<Bytes>{"a", "-", kLong}));
  constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();  // twice as much is no number
  for (const auto& [definition, repetition] : {std::pair{kHuge, kHuge}, {51L, 0L}, {2L, 49L}, {-1L, 3L}, {3L, -1L}}) {
    give(page_v2(3, levels, content, definition, repetition));
    EXPECT_NE(refusal_of(chunk, 3).find("levels within a page of"), std::string::npos) << definition;
  }
  give(page_v2(3, Bytes("\x06\x02"), content, 2));  // three times 2
  chunk.most_definition = 2;
  EXPECT_NE(refusal_of(chunk, 3).find("a text within its page"), std::string::npos);
}

// Some writers store what their compressor makes of no bytes: Snappy a length of 0, Brotli the end of its stream.
TEST_F(ParquetColumns, NullsAloneMayHaveBytesThatAreNoValues) {
  for (const ParquetCodec codec : {ParquetCodec::kSnappy, ParquetCodec::kBrotli, ParquetCodec::kZstd}) {
    auto chunk = chunk_of({}, codec, 1);
    const Bytes page = page_v2(3, Bytes("\x06\0", 2), "", 2, 0, 1) + Bytes(1, '\0');  // three times 0
    chunk.raw_bytes = 100;
    content_ = Bytes(7, 'x') + page;
    chunk.stored_bytes = page.size();
    EXPECT_EQ(texts(chunk, 3, 3), (std::vector<Bytes>(3, "-")));
  }
}

TEST_F(ParquetColumns, ALevelThatIsTooHighIsNoNull) {
  const auto chunk = chunk_of({{0, 2, kPlainValues, length_of("xx") + "\x04\x03" + text("a")}}, ParquetCodec::kNone, 2);
  EXPECT_NE(refusal_of(chunk, 2).find("a definition level of at most 2, found 3"), std::string::npos);
}

// A dictionary and a page of texts, each of several pieces; one text is longer than a piece.
TEST_F(ParquetColumns, LargePagesAreReadInPieces) {
  std::vector<Bytes> expected;
  Bytes dictionary, plain = kLevels;
  for (std::size_t i = 0; i < 3; ++i) {
    const Bytes of_dictionary((7 + i) << 20, static_cast<char>('a' + i)),
        of_page((6 + 3 * i) << 20, static_cast<char>('m' + i));
    dictionary += text(of_dictionary);
    plain += text(of_page);
    expected.insert(expected.end(), {of_dictionary, of_page});
  }
  const Bytes indices = Bytes("\x02\x03\x24\x00", 4);  // of 2 bits: 0, 1, 2
  const auto chunk = chunk_of({{2, 3, kPlainValues, dictionary},
                               {0, 4, kRleDictionary, kLevels + indices},
                               {0, 4, kPlainValues, plain},
                               {0, 4, kRleDictionary, kLevels + indices}},
                              ParquetCodec::kZstd, 1);
  const std::vector<Bytes> rows{expected[0], "-",         expected[2], expected[4], expected[1], "-",
                                expected[3], expected[5], expected[0], "-",         expected[2], expected[4]};
  for (const std::size_t step : {1, 3, 12}) EXPECT_TRUE(texts(chunk, 12, step) == rows) << step;
  auto damaged = chunk_of({{0, 4, kPlainValues, plain + "more"}}, ParquetCodec::kZstd, 1);
  EXPECT_EQ(refusal_of(damaged, 4), "");  // as in small pages
  damaged = chunk_of({{0, 4, kPlainValues, plain.substr(0, plain.size() - 9)}}, ParquetCodec::kZstd, 1);
  EXPECT_NE(refusal_of(damaged, 4).find("a text within its page"), std::string::npos);
  damaged =
      chunk_of({{2, 3, kPlainValues, dictionary}, {0, 4, kRleDictionary, kLevels + indices}}, ParquetCodec::kZstd, 1);
  damaged.raw_bytes = content_.size();
  content_[content_.size() / 2] ^= 1;
  EXPECT_NE(refusal_of(damaged, 4), "");
}

// 16 texts of 6 MiB, in their order, and in that of `indices`.
TEST_F(ParquetColumns, ALargeDictionaryIsInMemoryAsFarAsRowsNeedIt) {
  std::vector<Bytes> all;
  Bytes dictionary;
  for (std::size_t i = 0; i < 16; ++i) {
    all.emplace_back(std::size_t{6} << 20, static_cast<char>('a' + i));
    dictionary += text(all.back());
  }
  const Bytes in_order("\x04\x05\x10\x32\x54\x76\x98\xBA\xDC\xFE", 10);  // of 4 bits
  const auto chunk =
      chunk_of({{2, 16, kPlainValues, dictionary}, {0, 16, kRleDictionary, in_order}}, ParquetCodec::kZstd, 0);
  const testing::BytesFile file({content_.begin(), content_.end()}, "docs.parquet");
  const PagePools pools;
  const std::string place = "docs.parquet: row group 0";
  ParquetColumn column(file, chunk, unpacker_, pools, place);
  for (const Bytes& expected : all) {
    const ParquetValues values = column.read(1);
    EXPECT_TRUE(testing::parquet_value(values, chunk.type, 0) == expected) << expected.front();
    EXPECT_LT(pools.unpacked->bytes(), std::size_t{64} << 20);
  }
  column.finish();
  const Bytes others("\x04\x05\x3F\x01\x02\x13\x52\x55\x06\x40", 10);
  const auto mixed =
      chunk_of({{2, 16, kPlainValues, dictionary}, {0, 16, kRleDictionary, others}}, ParquetCodec::kZstd, 0);
  std::vector<Bytes> rows;
  for (const int index : {15, 3, 1, 0, 2, 0, 3, 1, 2, 5, 5, 5, 6, 0, 0, 4}) {
    rows.push_back(all[static_cast<std::size_t>(index)]);
  }
  for (const std::size_t step : {1, 5, 16}) EXPECT_TRUE(texts(mixed, 16, step) == rows) << step;
}

TEST_F(ParquetColumns, DamageInALargeDictionaryIsFoundBehindTheTextsThatRowsNeed) {
  const Bytes dictionary = text(Bytes(std::size_t{17} << 20, 'a')) + text("b") + length_of("abc") + "ab";
  const Bytes first("\x02\x02\x00", 3);  // one value: index 0
  const auto chunk =
      chunk_of({{2, 3, kPlainValues, dictionary}, {0, 1, kRleDictionary, first}}, ParquetCodec::kZstd, 0);
  EXPECT_NE(refusal_of(chunk, 1).find("a text within its dictionary"), std::string::npos);
}

// With any byte changed there are other texts, or an error.
TEST_F(ParquetColumns, AnyChangedByteIsHarmless) {
  const Bytes indices = Bytes("\x01\x03\x02", 3);
  for (const ParquetCodec codec : {ParquetCodec::kNone, ParquetCodec::kZstd}) {
    has_crc_ = codec == ParquetCodec::kZstd;
    const auto chunk = chunk_of({{2, 2, kPlainValues, text(kLong) + text("short")},
                                 {0, 4, kRleDictionary, kLevels + indices},
                                 {0, 4, kPlainValues, kLevels + text("x") + text("y") + text(kLong)}},
                                codec, 1);
    const Bytes whole = content_;
    for (std::size_t at = 7; at < whole.size(); ++at) {
      for (const int flip : {0x01, 0x80, 0xFF}) {
        content_ = whole;
        content_[at] = static_cast<char>(content_[at] ^ flip);
        refusal_of(chunk, 8);
      }
    }
  }
}

}  // namespace
}  // namespace spillway
