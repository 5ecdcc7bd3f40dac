#include "corpora/arrow/column.hpp"

#include <charconv>
#include <cstring>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kViewBytes = 16, kInlineBytes = 12;

const std::uint8_t* buffer(const ArrowArray& array, std::int64_t number) {
  return static_cast<const std::uint8_t*>(array.buffers[number]);
}

// Buffers of a column with these values; of views there may be more.
std::int64_t buffer_count(ArrowType type) {
  if (type == ArrowType::kNull) return 0;
  return is_text(type) ? 3 : 2;
}

}  // namespace

ArrowColumn::ArrowColumn(const ArrowField& field, const ArrowArray& array, std::uint64_t begin, std::uint64_t rows,
                         const std::string& source)
    : type_(field.type), name_(field.name), source_(source) {
  if (array.length < 0 || array.offset < 0 || static_cast<std::uint64_t>(array.length) < begin + rows) {
    fail(begin, std::to_string(begin + rows) + " rows", std::to_string(array.length));
  }
  begin_ = begin + static_cast<std::uint64_t>(array.offset);
  const bool is_view = type_ == ArrowType::kTextView;
  if (is_view ? array.n_buffers < 3 : array.n_buffers != buffer_count(type_)) {
    fail(begin, std::to_string(buffer_count(type_)) + " buffers", std::to_string(array.n_buffers));
  }
  if (type_ == ArrowType::kNull || rows == 0) return;
  if (array.null_count != 0) validity_ = {buffer(array, 0), begin_};
  values_ = buffer(array, 1);
  if (values_ == nullptr) fail(begin, "a buffer of values", "none");
  if (is_view) {
    view_buffers_ = array.buffers + 2;
    view_buffer_count_ = static_cast<std::uint64_t>(array.n_buffers - 3);
    view_sizes_ = buffer(array, array.n_buffers - 1);
    if (view_sizes_ == nullptr && view_buffer_count_ != 0) fail(begin, "the sizes of the view's buffers", "none");
  } else if (is_text(type_)) {
    text_ = buffer(array, 2);  // may be null where all texts are empty
  }
  if (!field.dictionary) return;
  if (array.dictionary == nullptr) fail(begin, "a dictionary", "none");
  dictionary_rows_ = static_cast<std::uint64_t>(std::max<std::int64_t>(array.dictionary->length, 0));
  dictionary_ = std::make_shared<ArrowColumn>(ArrowField{.type = *field.dictionary, .name = field.name},
                                              *array.dictionary, 0, dictionary_rows_, source);
}

std::unique_ptr<ArrowColumn> ArrowColumn::at_path(const ArrowField& field, const ArrowArray& columns,
                                                  std::uint64_t rows, const std::string& source) {
  const ArrowArray* array = &columns;
  std::uint64_t begin = 0;  // of the rows in the children of `array`
  std::vector<ArrowValidity> parents;
  for (const std::size_t child : field.path) {
    if (array->offset < 0 || array->n_children <= static_cast<std::int64_t>(child)) {
      throw FormatError(source + ": column '" + printable(field.name) + "': expected at least " +
                        std::to_string(child + 1) + " members of its struct, found " +
                        std::to_string(array->n_children) +
                        "; the program that makes the stream breaks the Arrow C data interface");
    }
    begin += static_cast<std::uint64_t>(array->offset);
    const bool has_nulls = array != &columns && array->null_count != 0 && array->n_buffers > 0;
    if (has_nulls && buffer(*array, 0) != nullptr) parents.push_back({buffer(*array, 0), begin});
    array = array->children[child];
  }
  auto column = std::make_unique<ArrowColumn>(field, *array, begin, rows, source);
  column->parents_ = std::move(parents);
  return column;
}

void ArrowColumn::fail(std::uint64_t row, const std::string& expected, const std::string& found) const {
  throw FormatError(source_ + ": column '" + printable(name_) + "', row " + std::to_string(row) +
                    " of a batch: expected " + expected + ", found " + found +
                    "; the program that makes the stream breaks the Arrow C data interface");
}

template <typename Value>
Value ArrowColumn::load(const std::uint8_t* from, std::uint64_t row) const {
  Value value;
  std::memcpy(&value, from + (begin_ + row) * sizeof value, sizeof value);
  return value;
}

bool ArrowColumn::is_null(std::uint64_t row) const {
  if (type_ == ArrowType::kNull) return true;
  if (validity_.is_null(row)) return true;
  for (const ArrowValidity& parent : parents_) {
    if (parent.is_null(row)) return true;
  }
  return dictionary_ != nullptr && dictionary_->is_null(dictionary_row(row));
}

std::int64_t ArrowColumn::signed_integer(std::uint64_t row) const {
  switch (type_) {
    case ArrowType::kInt8:
      return load<std::int8_t>(values_, row);
    case ArrowType::kUint8:
      return load<std::uint8_t>(values_, row);
    case ArrowType::kInt16:
      return load<std::int16_t>(values_, row);
    case ArrowType::kUint16:
      return load<std::uint16_t>(values_, row);
    case ArrowType::kInt32:
      return load<std::int32_t>(values_, row);
    case ArrowType::kUint32:
      return load<std::uint32_t>(values_, row);
    default:
      return load<std::int64_t>(values_, row);
  }
}

std::uint64_t ArrowColumn::dictionary_row(std::uint64_t row) const {
  const auto index = static_cast<std::uint64_t>(signed_integer(row));
  if (index >= dictionary_rows_) {
    fail(row, "an index below " + std::to_string(dictionary_rows_), std::to_string(signed_integer(row)));
  }
  return index;
}

// Returns where the texts of rows [begin, end) begin and end.
ArrowColumn::Offsets ArrowColumn::offsets(std::uint64_t begin, std::uint64_t end) const {
  const Offsets found = type_ == ArrowType::kText
                            ? Offsets{load<std::int32_t>(values_, begin), load<std::int32_t>(values_, end)}
                            : Offsets{load<std::int64_t>(values_, begin), load<std::int64_t>(values_, end)};
  if (found.begin < 0 || found.end < found.begin || (text_ == nullptr && found.end != found.begin)) {
    fail(begin, "ascending offsets", std::to_string(found.begin) + " and " + std::to_string(found.end));
  }
  return found;
}

std::string_view ArrowColumn::offset_text(std::uint64_t row) const {
  const auto [begin, end] = offsets(row, row + 1);
  return {reinterpret_cast<const char*>(text_) + (text_ == nullptr ? 0 : begin), static_cast<std::size_t>(end - begin)};
}

// A view is its length, then the text itself, or its first 4 bytes, the number of a buffer and the offset there.
std::string_view ArrowColumn::view_text(std::uint64_t row) const {
  const std::uint8_t* const view = values_ + (begin_ + row) * kViewBytes;
  std::int32_t length = 0, number = 0, offset = 0;
  std::memcpy(&length, view, sizeof length);
  if (length >= 0 && static_cast<std::uint64_t>(length) <= kInlineBytes) {
    return {reinterpret_cast<const char*>(view) + sizeof length, static_cast<std::size_t>(length)};
  }
  std::memcpy(&number, view + 8, sizeof number);
  std::memcpy(&offset, view + 12, sizeof offset);
  std::int64_t bytes = 0;  // of the buffer
  const bool has_buffer = number >= 0 && static_cast<std::uint64_t>(number) < view_buffer_count_;
  if (has_buffer) std::memcpy(&bytes, view_sizes_ + static_cast<std::size_t>(number) * sizeof bytes, sizeof bytes);
  if (length < 0 || offset < 0 || std::int64_t{offset} + length > bytes) {
    fail(row, "a view into " + std::to_string(view_buffer_count_) + " buffers",
         "length " + std::to_string(length) + " at " + std::to_string(offset) + " of buffer " + std::to_string(number));
  }
  return {static_cast<const char*>(view_buffers_[number]) + offset, static_cast<std::size_t>(length)};
}

std::string_view ArrowColumn::text(std::uint64_t row, Digits& digits) const {
  if (is_null(row)) return {};
  if (dictionary_ != nullptr) return dictionary_->text(dictionary_row(row), digits);
  if (type_ == ArrowType::kTextView) return view_text(row);
  if (is_text(type_)) return offset_text(row);
  const auto written =
      type_ == ArrowType::kUint64
          ? std::to_chars(digits.data(), digits.data() + digits.size(), load<std::uint64_t>(values_, row))
          : std::to_chars(digits.data(), digits.data() + digits.size(), signed_integer(row));
  return {digits.data(), static_cast<std::size_t>(written.ptr - digits.data())};
}

std::uint64_t ArrowColumn::bytes(std::uint64_t begin, std::uint64_t end) const {
  if (type_ == ArrowType::kNull || begin == end) return 0;
  if (!is_text(type_)) return sizeof(std::uint64_t) * (end - begin);
  if (type_ != ArrowType::kTextView) {
    const Offsets found = offsets(begin, end);
    return static_cast<std::uint64_t>(found.end - found.begin);
  }
  std::uint64_t bytes = 0;
  for (std::uint64_t row = begin; row < end; ++row) bytes += is_null(row) ? 0 : view_text(row).size();
  return bytes;
}

}  // namespace spillway
