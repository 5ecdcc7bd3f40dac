#include "corpora/parquet/page_codec.hpp"

#include <brotli/decode.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "corpora/parquet/snappy_decoder.hpp"

namespace spillway {

namespace {

// A page may have several members (parquet-format, Compression.md).
bool unpack_gzip(libdeflate_decompressor* deflate, std::span<const std::uint8_t> stored, std::span<std::uint8_t> raw) {
  while (!raw.empty()) {
    std::size_t taken = 0, made = 0;
    if (libdeflate_gzip_decompress_ex(deflate, stored.data(), stored.size(), raw.data(), raw.size(), &taken, &made) !=
        LIBDEFLATE_SUCCESS) {
      return false;
    }
    stored = stored.subspan(taken);
    raw = raw.subspan(made);
  }
  return true;
}

bool unpack_snappy(std::span<const std::uint8_t> stored, std::span<std::uint8_t> raw) {
  SnappyDecoder decoder(stored);
  if (decoder.raw_bytes() != raw.size()) return false;
  decoder.unpack(raw.data(), 0, raw.size());
  return decoder.is_done();
}

bool unpack_brotli(std::span<const std::uint8_t> stored, std::span<std::uint8_t> raw) {
  if (stored.empty()) return raw.empty();
  std::size_t made = raw.size();
  return BrotliDecoderDecompress(stored.size(), stored.data(), &made, raw.data()) == BROTLI_DECODER_RESULT_SUCCESS &&
         made == raw.size();
}

}  // namespace

struct PageUnpacker::Contexts {
  ZSTD_DCtx* zstd = ZSTD_createDCtx();
  libdeflate_decompressor* deflate = libdeflate_alloc_decompressor();

  Contexts() = default;
  Contexts(const Contexts&) = delete;
  Contexts& operator=(const Contexts&) = delete;
  ~Contexts() {
    ZSTD_freeDCtx(zstd);
    if (deflate != nullptr) libdeflate_free_decompressor(deflate);
  }
};

PageUnpacker::PageUnpacker() : contexts_(std::make_unique<Contexts>()) {
  if (contexts_->zstd == nullptr || contexts_->deflate == nullptr) throw std::bad_alloc();
}

PageUnpacker::~PageUnpacker() = default;

bool PageUnpacker::unpack(ParquetCodec codec, std::span<const std::uint8_t> stored, std::span<std::uint8_t> raw) {
  switch (codec) {
    case ParquetCodec::kNone:
      if (stored.size() != raw.size()) return false;
      std::ranges::copy(stored, raw.begin());
      return true;
    case ParquetCodec::kGzip:
      return unpack_gzip(contexts_->deflate, stored, raw);
    case ParquetCodec::kZstd:
      return ZSTD_decompressDCtx(contexts_->zstd, raw.data(), raw.size(), stored.data(), stored.size()) == raw.size();
    case ParquetCodec::kSnappy:
      return unpack_snappy(stored, raw);
    case ParquetCodec::kBrotli:
      return unpack_brotli(stored, raw);
  }
  return false;
}

}  // namespace spillway
