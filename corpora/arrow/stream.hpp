// An Arrow C stream as input: record batches one after the other, each released when its last user is done.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "corpora/arrow/column.hpp"
#include "corpora/arrow/interface.hpp"
#include "corpora/arrow/schema.hpp"

namespace spillway {

// A batch of rows. Immutable; any thread may read and destroy it.
class ArrowBatch {
 public:
  // Takes the array. Throws FormatError, as ArrowColumn does; the array is released then.
  ArrowBatch(ArrowArray& array, const ArrowFields& fields, std::uint64_t first_row, const std::string& source);
  ~ArrowBatch();
  ArrowBatch(const ArrowBatch&) = delete;
  ArrowBatch& operator=(const ArrowBatch&) = delete;

  std::uint64_t rows() const { return rows_; }
  std::uint64_t first_row() const { return first_row_; }  // of the stream
  // The column of a name of the FieldTable; nullptr if the stream has none.
  const ArrowColumn* column(std::size_t name) const { return columns_[name].get(); }
  // Bytes of the columns that are fields, in rows [begin, end).
  std::uint64_t bytes(std::uint64_t begin, std::uint64_t end) const;
  // Is called once, after the batch has been released.
  void on_release(std::function<void()> call) { on_release_ = std::move(call); }

 private:
  ArrowArray array_;
  std::uint64_t rows_ = 0, first_row_;
  std::vector<std::unique_ptr<ArrowColumn>> columns_;
  std::function<void()> on_release_;
};

// Not thread-safe: one thread at a time.
class ArrowStream {
 public:
  // Takes the stream, whose release is null afterwards. `name` stands for a path in messages and reports.
  explicit ArrowStream(ArrowArrayStream& stream, std::string name = "the Arrow stream");
  ~ArrowStream();
  ArrowStream(const ArrowStream&) = delete;
  ArrowStream& operator=(const ArrowStream&) = delete;

  const std::string& name() const { return name_; }
  // Asks for the schema and finds the fields. Throws as find_arrow_fields(), and IoError with the producer's words.
  void open(const FieldNames& names);
  // The next batch; nullptr at the end. Requires: open(). Throws IoError with the producer's words, FormatError.
  std::unique_ptr<ArrowBatch> next();

 private:
  [[noreturn]] void fail(const char* what, int code);
  ArrowArrayStream stream_;
  std::string name_;
  ArrowFields fields_;
  std::uint64_t next_row_ = 0;
};

}  // namespace spillway
