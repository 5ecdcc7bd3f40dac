// The rows of a row group of a Parquet file, as batches of Arrow: columns without lists, of texts and integers, in the
// encodings PLAIN and dictionary. pyarrow reads the footer, and all other columns (python/spillway/_columns.py).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "corpora/arrow/interface.hpp"
#include "corpora/parquet/column_chunk.hpp"

namespace spillway {

// Not thread-safe.
class ParquetRowGroup {
 public:
  // `rows`: of the group. `pools`: for its pages. `place`: what messages begin with.
  ParquetRowGroup(std::unique_ptr<ReadableFile> file, std::vector<ParquetChunk> chunks, std::uint64_t rows,
                  PagePools pools, std::string place);
  ParquetRowGroup(const ParquetRowGroup&) = delete;
  ParquetRowGroup& operator=(const ParquetRowGroup&) = delete;

  // The next rows, at most `rows`, as a struct array with a child for each chunk, which the caller releases; its
  // release is null at the end. It may outlive this object. `bytes`: of the texts in it. Throws IoError, FormatError.
  ArrowArray next(std::size_t rows, std::uint64_t& bytes);

 private:
  const std::unique_ptr<ReadableFile> file_;
  const std::string place_;
  const PagePools pools_;
  PageUnpacker unpacker_;
  std::vector<std::unique_ptr<ParquetColumn>> columns_;
  std::vector<ParquetType> types_;
  std::uint64_t left_;  // rows
};

}  // namespace spillway
