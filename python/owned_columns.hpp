// Columns of text that this module makes, and hands out by the Arrow C data interface.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpora/arrow/interface.hpp"

namespace spillway::python {

class OwnedColumns {
 public:
  explicit OwnedColumns(std::size_t columns) : columns_(columns) {}

  // Sets the value of the open row; what is not set is null.
  void set(std::size_t column, std::string_view value);
  void end_row();
  std::size_t rows() const { return rows_; }
  std::size_t text_bytes() const { return text_bytes_; }
  // Hands the rows out. `out` owns them, until its release is called.
  void export_to(ArrowArray& out) &&;

 private:
  struct Column {
    std::vector<std::uint8_t> validity;
    std::vector<std::int64_t> offsets{0};
    std::vector<char> text;
    bool is_set = false;  // in the open row
    std::int64_t nulls = 0;
  };
  struct Exported;
  std::vector<Column> columns_;
  std::size_t rows_ = 0, text_bytes_ = 0;
};

// A struct of columns of text with 64-bit offsets.
void export_text_schema(const std::vector<std::string>& names, ArrowSchema& out);

}  // namespace spillway::python
