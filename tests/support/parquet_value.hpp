// The values that a column chunk of Parquet gave, row by row.
#pragma once

#include <cstring>
#include <optional>
#include <string>

#include "corpora/parquet/column_chunk.hpp"
#include "io/base/byte_order.hpp"

namespace spillway::testing {

// The text of a row, or the bytes of its number; nullopt for null. Throws std::out_of_range for a view that points
// nowhere.
inline std::optional<std::string> parquet_value(const ParquetValues& values, ParquetType type, std::size_t row) {
  if ((values.validity.at(row / 8) >> row % 8 & 1) == 0) return std::nullopt;
  const std::size_t width = type == ParquetType::kInt32 ? 4 : type == ParquetType::kInt64 ? 8 : 16;
  const std::string value(reinterpret_cast<const char*>(values.values.data()) + row * width, width);
  if (type != ParquetType::kText) return value;
  const auto part = [&](std::size_t at) {
    return static_cast<std::size_t>(load_le<std::int32_t>(reinterpret_cast<const std::uint8_t*>(value.data()) + at));
  };
  const std::size_t bytes = part(0);
  if (bytes <= 12) return value.substr(4, bytes);
  const std::size_t number = part(8), offset = part(12);
  const auto page_bytes = static_cast<std::size_t>(values.page_bytes.at(number));
  if (offset > page_bytes || bytes > page_bytes - offset) throw std::out_of_range("a view beyond its page");
  std::string text(reinterpret_cast<const char*>(values.pages.at(number).get()) + offset, bytes);
  if (std::memcmp(text.data(), value.data() + 4, 4) != 0) throw std::out_of_range("a view with another prefix");
  return text;
}

}  // namespace spillway::testing
