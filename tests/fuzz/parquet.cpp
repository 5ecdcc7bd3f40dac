// Column chunks of Parquet files, whose codec, type and levels the options choose: the rows do not depend on how many
// are read at once, and damage is told by a FormatError.
#include "corpora/parquet/column_chunk.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/base/error.hpp"
#include "tests/fuzz/support/target.hpp"
#include "tests/support/bytes_file.hpp"
#include "tests/support/parquet_value.hpp"

using namespace spillway;

namespace {

constexpr std::size_t kMostRows = 64;
using Rows = std::vector<std::optional<std::string>>;

ParquetChunk chunk_of(const fuzz::Input& input) {
  constexpr ParquetCodec kCodecs[] = {ParquetCodec::kNone, ParquetCodec::kGzip, ParquetCodec::kZstd,
                                      ParquetCodec::kSnappy, ParquetCodec::kBrotli};
  constexpr ParquetType kTypes[] = {ParquetType::kText, ParquetType::kInt32, ParquetType::kInt64, ParquetType::kText};
  ParquetChunk chunk;
  chunk.codec = kCodecs[(input.options & 3) + (input.options >> 6 & 1)];
  chunk.type = kTypes[input.options >> 2 & 3];
  chunk.most_definition = input.options >> 4 & 3;
  chunk.stored_bytes = input.text.size();
  chunk.raw_bytes = std::uint64_t{1} << 20;
  return chunk;
}

// The rows before the end or the damage, in steps of `step`.
Rows rows_of(const fuzz::Input& input, std::size_t step, bool& is_damaged) {
  const spillway::testing::BytesFile file({input.text.begin(), input.text.end()}, "input");
  const ParquetChunk chunk = chunk_of(input);
  const PagePools pools;
  PageUnpacker unpacker;
  const std::string place = "input";
  ParquetColumn column(file, chunk, unpacker, pools, place);
  Rows rows;
  try {
    while (rows.size() < kMostRows) {
      const ParquetValues values = column.read(std::min(step, kMostRows - rows.size()));
      for (std::size_t row = 0; row < values.rows; ++row)
        rows.push_back(spillway::testing::parquet_value(values, chunk.type, row));
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
  const Rows expected = rows_of(input, 1, is_damaged);
  for (const std::size_t step : {std::size_t{3}, kMostRows}) {
    bool is_damaged_too = false;
    const Rows found = rows_of(input, step, is_damaged_too);
    EXPECT_EQ(is_damaged_too, is_damaged);
    EXPECT_LE(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
  }
  return 0;
}
