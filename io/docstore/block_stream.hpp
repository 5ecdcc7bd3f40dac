// A stream of bytes cut every `block_bytes` into separately compressed blocks (a zstd frame each, or the raw bytes if
// the frame is not smaller), so that reading any place inflates one block. A second section holds the offset of each
// block and of the end.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/docstore/block_compressor.hpp"
#include "io/section/reader.hpp"
#include "io/section/writer.hpp"

namespace spillway {

// Not thread-safe.
class BlockStreamWriter {
 public:
  // Several streams may share `compressor`, whose block size limit is at least block_bytes.
  BlockStreamWriter(BlockCompressor& compressor, BlockContent content, SectionWriter& data, SectionWriter& offsets,
                    std::size_t block_bytes);
  void append(std::string_view bytes);
  std::uint64_t raw_size() const { return raw_size_; }
  // Writes the last block and the offset of the end; finishes the compressor.
  void finish();

 private:
  BlockCompressor& compressor_;
  const BlockCompressor::Blocks blocks_;
  const std::size_t most_raw_bytes_;  // whole blocks that the compressor takes together
  std::vector<std::uint8_t> raw_;     // whole blocks, and the open one
  std::uint64_t raw_size_ = 0;
};

// Thread-safe. The caller's Cache holds the block read last.
class BlockStreamReader {
 public:
  // `raw_size` is the size of the whole stream, which the index stores elsewhere.
  BlockStreamReader(const SectionReader& data, const SectionReader& offsets, std::size_t block_bytes,
                    std::uint64_t raw_size);

  struct Cache {
    std::vector<std::uint8_t> raw;
    std::uint64_t block = ~std::uint64_t{0};
    std::unique_ptr<ZSTD_DCtx, FreeZstd> context;
  };
  // Returns the bytes at `offset`. Allocates only as blocks inflate, whatever `bytes` claims.
  std::string read(std::uint64_t offset, std::uint64_t bytes, Cache& cache) const;
  // Inflates a block into the cache.
  void load(std::uint64_t block, Cache& cache) const;

  std::uint64_t raw_size() const { return raw_size_; }
  std::uint64_t block_count() const { return (raw_size_ + block_bytes_ - 1) / block_bytes_; }

 private:
  const SectionReader &data_, &offsets_;
  std::size_t block_bytes_;
  std::uint64_t raw_size_;
};

}  // namespace spillway
