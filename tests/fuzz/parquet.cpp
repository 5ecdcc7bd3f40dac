// Column chunks of Parquet files, whose codec, type and levels the options choose: the rows do not depend on how many
// are read at once, and damage is told by a FormatError.
#include "corpora/parquet/column_chunk.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "tests/fuzz/support/target.hpp"

using namespace spillway;

namespace {

constexpr std::size_t kMostRows = 64;

class BytesOfInput final : public ReadableFile {
 public:
  explicit BytesOfInput(std::string_view bytes) : bytes_(bytes) {}
  std::size_t read_at(std::uint64_t offset, std::span<std::uint8_t> out) const override {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(reinterpret_cast<char*>(out.data()), out.size(), static_cast<std::size_t>(offset));
  }
  std::uint64_t size() const override { return bytes_.size(); }
  const std::string& path() const override { return path_; }

 private:
  const std::string_view bytes_;
  const std::string path_ = "input";
};

ParquetChunk chunk_of(const fuzz::Input& input) {
  constexpr ParquetCodec kCodecs[] = {ParquetCodec::kNone, ParquetCodec::kGzip, ParquetCodec::kZstd,
                                      ParquetCodec::kNone};
  constexpr ParquetType kTypes[] = {ParquetType::kText, ParquetType::kInt32, ParquetType::kInt64, ParquetType::kText};
  ParquetChunk chunk;
  chunk.codec = kCodecs[input.options & 3];
  chunk.type = kTypes[input.options >> 2 & 3];
  chunk.most_definition = input.options >> 4 & 3;
  chunk.stored_bytes = input.text.size();
  chunk.raw_bytes = std::uint64_t{1} << 20;
  return chunk;
}

std::string value_of(const ParquetValues& values, ParquetType type, std::size_t row) {
  if ((values.validity[row / 8] >> row % 8 & 1) == 0) return "null";
  if (type != ParquetType::kText) {
    const std::size_t width = type == ParquetType::kInt32 ? 4 : 8;
    return {reinterpret_cast<const char*>(&values.values[row * width]), width};
  }
  const std::uint8_t* const view = &values.values[row * 16];
  const auto bytes = static_cast<std::size_t>(load_le<std::int32_t>(view));
  if (bytes <= 12) return {reinterpret_cast<const char*>(view) + 4, bytes};
  const auto number = static_cast<std::size_t>(load_le<std::int32_t>(view + 8));
  const auto offset = static_cast<std::size_t>(load_le<std::int32_t>(view + 12));
  EXPECT_LE(offset + bytes, static_cast<std::size_t>(values.page_bytes.at(number)));
  return {reinterpret_cast<const char*>(values.pages.at(number).get()) + offset, bytes};
}

// The rows before the end or the damage, in steps of `step`.
std::vector<std::string> rows_of(const fuzz::Input& input, std::size_t step, bool& is_damaged) {
  const BytesOfInput file(input.text);
  const ParquetChunk chunk = chunk_of(input);
  const auto pool = PagePool::make();
  PageUnpacker unpacker;
  const std::string place = "input";
  ParquetColumn column(file, chunk, unpacker, *pool, place);
  std::vector<std::string> rows;
  try {
    while (rows.size() < kMostRows) {
      const ParquetValues values = column.read(std::min(step, kMostRows - rows.size()));
      for (std::size_t row = 0; row < values.rows; ++row) rows.push_back(value_of(values, chunk.type, row));
    }
  } catch (const FormatError&) {
    is_damaged = true;
  }
  return rows;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Input input(data, size);
  bool is_damaged = false;
  const std::vector<std::string> expected = rows_of(input, 1, is_damaged);
  for (const std::size_t step : {std::size_t{3}, kMostRows}) {
    bool is_damaged_too = false;
    const std::vector<std::string> found = rows_of(input, step, is_damaged_too);
    EXPECT_EQ(is_damaged_too, is_damaged);
    EXPECT_LE(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
  }
  return 0;
}
