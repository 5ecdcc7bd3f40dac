// One column of a batch of rows, read in place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/arrow/schema.hpp"

namespace spillway {

// Tells which rows of an array are null.
struct ArrowValidity {
  const std::uint8_t* bits = nullptr;  // null: no row is null
  std::uint64_t begin = 0;             // of the rows

  bool is_null(std::uint64_t row) const {
    const std::uint64_t at = begin + row;
    return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
  }
};

class ArrowColumn {
 public:
  // Room for the digits of an integer.
  using Digits = std::array<char, 24>;

  // Checks the shape of `array`, whose rows [begin, begin + rows) are used. `source` names the stream in
  // messages. Throws FormatError. The array must outlive the column. Its path in `field` does not matter.
  ArrowColumn(const ArrowField& field, const ArrowArray& array, std::uint64_t begin, std::uint64_t rows,
              const std::string& source);
  // The column at the path of `field` below `columns`, the struct of columns, of whose `rows` rows all are used.
  static std::unique_ptr<ArrowColumn> at_path(const ArrowField& field, const ArrowArray& columns, std::uint64_t rows,
                                              const std::string& source);

  // All of these require: row < rows. Rows are counted from `begin`.
  bool is_null(std::uint64_t row) const;
  bool is_integer(std::uint64_t) const { return !is_text(dictionary_ ? dictionary_->type_ : type_); }
  // The bytes of the text in place, or an integer written into `digits`. Empty for null. Throws FormatError for offsets
  // that descend, and for views and indices out of their bounds.
  std::string_view text(std::uint64_t row, Digits& digits) const;
  // Bytes of the texts in rows [begin, end), those of rows that are null may count; 8 for an integer.
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const;

 private:
  struct Offsets {
    std::int64_t begin, end;
  };
  Offsets offsets(std::uint64_t begin, std::uint64_t end) const;
  std::string_view offset_text(std::uint64_t row) const;
  std::string_view view_text(std::uint64_t row) const;
  std::int64_t signed_integer(std::uint64_t row) const;
  std::uint64_t dictionary_row(std::uint64_t row) const;
  template <typename Value>
  Value load(const std::uint8_t* from, std::uint64_t row) const;
  [[noreturn]] void fail(std::uint64_t row, const std::string& expected, const std::string& found) const;

  ArrowType type_;
  std::string name_, source_;
  std::uint64_t begin_ = 0;  // of the rows, the array's own offset included
  ArrowValidity validity_;
  std::vector<ArrowValidity> parents_;    // of structs around the column that have rows that are null
  const std::uint8_t* values_ = nullptr;  // integers, offsets or views
  const std::uint8_t* text_ = nullptr;    // kText, kLargeText
  const void* const* view_buffers_ = nullptr;
  const std::uint8_t* view_sizes_ = nullptr;
  std::uint64_t view_buffer_count_ = 0;
  std::shared_ptr<const ArrowColumn> dictionary_;
  std::uint64_t dictionary_rows_ = 0;
};

}  // namespace spillway
