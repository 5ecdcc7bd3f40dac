// The header of a page of a Parquet column chunk
// (https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace spillway {

enum class ParquetPage { kData, kDictionary, kDataV2, kOther };

struct PageHeader {
  ParquetPage kind = ParquetPage::kOther;
  std::int64_t raw_bytes = -1, stored_bytes = -1;
  std::optional<std::uint32_t> crc;  // of the stored bytes
  std::int64_t values = 0;
  std::int64_t encoding = -1;         // of the values
  std::int64_t level_encoding = 3;    // of definition levels; 3 is RLE
  std::int64_t definition_bytes = 0;  // of a page V2, whose levels are not compressed
  std::int64_t repetition_bytes = 0;
  bool is_compressed = true;
};

inline constexpr std::int64_t kPlainValues = 0, kPlainDictionary = 2, kRle = 3, kRleDictionary = 8;

struct ReadPageHeader {
  enum class State { kWhole, kShort, kBroken } state;
  PageHeader header;
  std::size_t bytes = 0;  // of the header itself
};

// Reads the header at the start of `bytes`. kShort: it goes on after their end.
ReadPageHeader read_page_header(std::span<const std::uint8_t> bytes);

}  // namespace spillway
