// A large page in zstd or Snappy, unpacked into pieces of some MiB as far as it is read. Batches hold the pieces that
// their texts lie in, and not the page: pyarrow puts all texts of a row group, 55 MB of long documents, into one page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "corpora/parquet/page_codec.hpp"
#include "corpora/parquet/page_pool.hpp"

namespace spillway {

// Not thread-safe.
class PagePieces {
 public:
  // Whether `stored` can be unpacked in pieces: pages of Snappy can, and frames of zstd that look back at most half a
  // piece. A page of Snappy that looks back further than 64 KiB, as Google's library does not, becomes one piece.
  static bool can_unpack(ParquetCodec codec, std::span<const std::uint8_t> stored);

  // `stored` and `pool` must outlive this object. Requires: can_unpack(codec, stored).
  PagePieces(ParquetCodec codec, std::span<const std::uint8_t> stored, std::size_t raw_bytes, PagePool& pool);
  ~PagePieces();
  PagePieces(const PagePieces&) = delete;
  PagePieces& operator=(const PagePieces&) = delete;

  // The next `bytes` bytes, in piece(). Null if the page ends before, or is damaged. Valid as long as the piece.
  const std::uint8_t* need(std::size_t bytes);
  void pass(std::size_t bytes) { at_ += bytes; }        // Requires: they were needed
  std::size_t raw_bytes() const { return raw_bytes_; }  // of the page
  // The bytes of the page that were not passed.
  std::size_t left() const { return raw_bytes_ - made_ + (end_ - at_); }
  // Whether the rest is not damaged either. Unpacks it.
  bool is_whole();

  const PageBytes& piece() const { return piece_bytes_; }
  std::size_t piece_bytes() const { return capacity_; }
  std::size_t offset() const { return at_; }  // in the piece, of the next byte

 private:
  class Stream;
  class ZstdStream;
  class SnappyStream;
  static std::unique_ptr<Stream> stream_of(ParquetCodec codec, std::span<const std::uint8_t> stored);
  bool unpack_block();
  bool unpack_whole();
  void begin_piece(std::size_t bytes);

  const std::unique_ptr<Stream> stream_;
  const std::size_t raw_bytes_;
  PagePool& pool_;
  std::size_t made_ = 0;  // bytes of the page
  std::shared_ptr<std::uint8_t[]> before_, piece_;
  PageBytes piece_bytes_;                        // the same
  std::size_t capacity_ = 0, at_ = 0, end_ = 0;  // of the piece; [at_, end_) is made and not passed
};

}  // namespace spillway
