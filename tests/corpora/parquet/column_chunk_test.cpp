// Column chunks that are written here, byte by byte. python/tests/test_parquet.py compares files of pyarrow.
#include "corpora/parquet/column_chunk.hpp"

#include <gtest/gtest.h>
#include <libdeflate.h>
#include <zstd.h>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/file/file_system.hpp"

namespace spillway {
namespace {

using Bytes = std::string;

Bytes varint(std::uint64_t value) {
  std::uint8_t out[kMaxVarintBytes];
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(write_varint(out, value) - out)};
}

Bytes field(int step, std::int64_t value) {
  return Bytes(1, static_cast<char>(step << 4 | 5)) + varint(static_cast<std::uint64_t>(value) << 1);
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

class BytesInMemory : public ReadableFile {
 public:
  explicit BytesInMemory(Bytes bytes) : bytes_(std::move(bytes)) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(reinterpret_cast<char*>(out.data()), out.size(), static_cast<std::size_t>(offset));
  }
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const Bytes bytes_;
  const std::string path_ = "docs.parquet";
};

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
    const BytesInMemory file(content_);
    const auto pool = PagePool::make();
    const std::string place = "docs.parquet: row group 0";
    ParquetColumn column(file, chunk, unpacker_, *pool, place);
    std::vector<Bytes> found;
    for (std::size_t at = 0; at < rows; at += step) {
      const ParquetValues values = column.read(std::min(step, rows - at));
      for (std::size_t row = 0; row < values.rows; ++row) found.push_back(text_of(values, row));
    }
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

  static Bytes text_of(const ParquetValues& values, std::size_t row) {
    if ((values.validity[row / 8] >> row % 8 & 1) == 0) return "-";
    const std::uint8_t* const view = &values.values[row * 16];
    const auto bytes = static_cast<std::size_t>(load_le<std::int32_t>(view));
    const char* at = reinterpret_cast<const char*>(view) + 4;
    if (bytes > 12) {
      const auto number = static_cast<std::size_t>(load_le<std::int32_t>(view + 8));
      at = reinterpret_cast<const char*>(values.pages.at(number).get()) + load_le<std::int32_t>(view + 12);
    }
    return {at, bytes};
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
