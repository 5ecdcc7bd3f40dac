#include "corpora/arrow/stream.hpp"

#include <system_error>
#include <utility>

#include "io/base/error.hpp"

namespace spillway {

namespace {

// Moves a struct, as the specification says: the source is marked as released.
template <typename Struct>
Struct take(Struct& from) {
  Struct taken = from;
  from.release = nullptr;
  return taken;
}

template <typename Struct>
void release(Struct& held) {
  if (held.release != nullptr) held.release(&held);
  held.release = nullptr;
}

}  // namespace

ArrowBatch::ArrowBatch(ArrowArray& array, const ArrowFields& fields, std::uint64_t first_row, const std::string& source)
    : array_(take(array)), first_row_(first_row) {
  try {
    const auto refuse = [&](const std::string& expected, const std::string& found) {
      throw FormatError(source + ": the batch from row " + std::to_string(first_row) + " on: expected " + expected +
                        ", found " + found + "; the program that makes the stream breaks the Arrow C data interface");
    };
    if (array_.length < 0 || array_.offset < 0) refuse("a length and an offset of at least 0", "negative ones");
    if (array_.n_children != static_cast<std::int64_t>(fields.child_count)) {
      refuse(std::to_string(fields.child_count) + " columns", std::to_string(array_.n_children));
    }
    if (array_.null_count > 0) refuse("rows that are not null themselves", std::to_string(array_.null_count));
    rows_ = static_cast<std::uint64_t>(array_.length);
    for (const auto& field : fields.fields) {
      columns_.push_back(field ? ArrowColumn::at_path(*field, array_, rows_, source) : nullptr);
    }
  } catch (...) {
    release(array_);
    throw;
  }
}

ArrowBatch::~ArrowBatch() {
  columns_.clear();
  release(array_);
  if (on_release_) on_release_();
}

std::uint64_t ArrowBatch::bytes(std::uint64_t begin, std::uint64_t end) const {
  std::uint64_t bytes = 0;
  for (const auto& column : columns_) bytes += column == nullptr ? 0 : column->bytes(begin, end);
  return bytes;
}

ArrowStream::ArrowStream(ArrowArrayStream& stream, std::string name) : stream_(take(stream)), name_(std::move(name)) {}

ArrowStream::~ArrowStream() { release(stream_); }

void ArrowStream::fail(const char* what, int code) {
  const char* const words = stream_.get_last_error(&stream_);
  throw IoError(name_ + ": " + what + " failed: " +
                (words == nullptr || *words == '\0' ? std::generic_category().message(code) : printable(words, 2000)));
}

void ArrowStream::open(const FieldNames& names) {
  if (stream_.release == nullptr) throw UsageError(name_ + " was read before; give a new one");
  ArrowSchema schema{};
  if (const int code = stream_.get_schema(&stream_, &schema); code != 0) fail("reading the schema", code);
  try {
    fields_ = find_arrow_fields(schema, names, name_);
  } catch (...) {
    release(schema);
    throw;
  }
  release(schema);
}

std::unique_ptr<ArrowBatch> ArrowStream::next() {
  ArrowArray array{};
  if (const int code = stream_.get_next(&stream_, &array); code != 0) {
    fail(("reading the batch from row " + std::to_string(next_row_) + " on").c_str(), code);
  }
  if (array.release == nullptr) return nullptr;
  auto batch = std::make_unique<ArrowBatch>(array, fields_, next_row_, name_);
  next_row_ += batch->rows();
  return batch;
}

}  // namespace spillway
