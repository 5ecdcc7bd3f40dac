// A column chunk of a Parquet file: the values of one column in one row group, page by page.
//
// Texts stay where a page was unpacked: what comes out are views into it, as the Arrow type `vu` has them. Reading by
// pyarrow copies each text once from a page of texts, and twice from a dictionary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "corpora/parquet/hybrid_decoder.hpp"
#include "corpora/parquet/page_codec.hpp"
#include "corpora/parquet/page_header.hpp"
#include "corpora/parquet/page_pieces.hpp"
#include "corpora/parquet/page_pool.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

enum class ParquetType { kText, kInt32, kInt64 };

// A column chunk as the footer describes it.
struct ParquetChunk {
  std::string name;  // for messages
  ParquetType type = ParquetType::kText;
  ParquetCodec codec = ParquetCodec::kNone;
  unsigned most_definition = 0;                              // the definition level of a value that is there
  std::uint64_t begin = 0, stored_bytes = 0, raw_bytes = 0;  // of the chunk
};

// The next rows of a column, as the buffers of an Arrow array of type `vu`, `i` or `l`.
struct ParquetValues {
  std::size_t rows = 0, nulls = 0;
  std::vector<std::uint8_t> validity;    // a bit for each row
  std::vector<std::uint8_t> values;      // integers, or views of 16 bytes
  std::vector<PageBytes> pages;          // that views point into
  std::vector<std::int64_t> page_bytes;  // of each
  std::uint64_t text_bytes = 0;
};

// Reads the values of a chunk in their order. Not thread-safe.
class ParquetColumn {
 public:
  // `place`: what messages begin with, such as "docs.parquet: row group 3". The references must outlive this object.
  ParquetColumn(const ReadableFile& file, ParquetChunk chunk, PageUnpacker& unpacker, const PagePools& pools,
                const std::string& place);

  // The next `rows` rows. Throws IoError, FormatError; for fewer rows, too.
  ParquetValues read(std::size_t rows);
  // After the last row: finds what is damaged and no row needed. Throws FormatError.
  void finish();

 private:
  struct Page {
    PageBytes bytes;
    std::size_t size = 0;                  // of bytes
    std::unique_ptr<PagePieces> pieces;    // instead of bytes: the texts of a large page
    std::span<const std::uint8_t> values;  // those that are left, if they are plain
    HybridDecoder levels, indices;
    bool has_dictionary = false;
    std::uint64_t rows = 0;  // that are left
  };
  struct Text {
    std::uint32_t piece, begin, bytes;
  };
  struct Piece {
    PageBytes bytes;
    std::size_t size;
    std::size_t first_text;
  };

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const;
  [[noreturn]] void fail_unpacking(std::size_t bytes) const;
  void next_page();
  std::span<const std::uint8_t> need(std::size_t bytes);  // at most as many as are left of the chunk
  void make_room(std::size_t bytes);
  PageHeader next_header();
  void take_dictionary(const PageHeader& header);
  void begin_dictionary_texts(std::span<const std::uint8_t> stored);
  void unpack_dictionary_texts(std::size_t count);
  void look_ahead_in_dictionary();
  void drop_dictionary_pieces(std::size_t count);
  std::size_t begin_text(PagePieces& pieces, const char* expected) const;
  bool has_pieces(const PageHeader& header, std::span<const std::uint8_t> stored) const;
  void take_data(const PageHeader& header);
  void take_data_in_pieces(const PageHeader& header, std::span<const std::uint8_t> stored);
  void take_data_v2(const PageHeader& header);
  void begin_values(const PageHeader& header, std::span<const std::uint8_t> bytes);
  std::shared_ptr<std::uint8_t[]> unpack(std::span<const std::uint8_t> stored, std::size_t raw_bytes,
                                         std::size_t before, bool is_compressed);
  std::span<const std::uint8_t> body_of(const PageHeader& header);

  void mark_levels(std::size_t first, std::size_t rows, ParquetValues& out);
  void take_plain_texts(std::size_t first, std::size_t rows, ParquetValues& out);
  void take_texts_in_pieces(std::size_t first, std::size_t rows, ParquetValues& out);
  void take_dictionary_views(std::size_t first, std::size_t rows, ParquetValues& out);
  void take_plain_numbers(std::size_t first, std::size_t rows, ParquetValues& out);
  void take_from_dictionary(std::size_t first, std::size_t rows, ParquetValues& out);
  bool is_there(std::size_t row) const { return levels_.empty() || levels_[row] == chunk_.most_definition; }
  std::size_t count_there(std::size_t rows) const;

  const ReadableFile& file_;
  const ParquetChunk chunk_;
  PageUnpacker& unpacker_;
  const PagePools& pools_;
  const std::string& place_;

  std::shared_ptr<std::uint8_t[]> buffer_;  // stored bytes; [buffer_at_, buffer_end_) are left
  std::size_t buffer_bytes_ = 0, buffer_at_ = 0, buffer_end_ = 0;
  std::uint64_t read_bytes_ = 0;  // of the chunk

  Page page_;
  PageBytes dictionary_;                  // of numbers
  std::vector<Piece> dictionary_pieces_;  // of texts
  bool has_dictionary_ = false;
  std::size_t dictionary_bytes_ = 0, dictionary_values_ = 0;
  std::vector<Text> dictionary_texts_;  // that are unpacked
  std::shared_ptr<std::uint8_t[]> dictionary_stored_;
  std::unique_ptr<PagePieces> dictionary_rest_;  // of a large dictionary: texts that are not unpacked yet
  std::vector<std::uint32_t> least_indices_;     // of a large dictionary: of each value and all after it
  std::size_t passed_indices_ = 0, dropped_pieces_ = 0;
  std::vector<std::uint32_t> levels_;   // of the rows that are being read; none: all are there
  std::vector<std::uint32_t> indices_;  // of those that are there
};

}  // namespace spillway
