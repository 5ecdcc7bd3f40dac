// Compressed inputs for tests, made with the compressors of zlib and libzstd, and in br without compression.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace spillway::testing {

// One gzip member.
inline std::string gzip_member(std::string_view bytes, int level = 6) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) throw std::bad_alloc();
  std::string packed(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) throw std::runtime_error("deflate");
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

struct ZstdOptions {
  int level = 3;
  int window_log = 0;
  bool checksum = true;
  bool content_size = true;
};

// One zstd frame.
inline std::string zstd_frame(std::string_view bytes, const ZstdOptions& options = {}) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, options.level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, options.window_log);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, options.checksum ? 1 : 0);
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, options.content_size ? 1 : 0);
  std::string packed(ZSTD_compressBound(bytes.size()) + 64, '\0');
  ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
  ZSTD_outBuffer out{packed.data(), packed.size(), 0};
  std::size_t left = 1;
  if (!options.content_size) {  // unknown at the start of the frame, so that the window has the requested size
    ZSTD_inBuffer nothing{bytes.data(), 0, 0};
    ZSTD_compressStream2(context, &out, &nothing, ZSTD_e_continue);
    const std::size_t half = bytes.size() / 2;
    ZSTD_inBuffer first{bytes.data(), half, 0};
    ZSTD_compressStream2(context, &out, &first, ZSTD_e_flush);
    in.pos = half;
  }
  left = ZSTD_compressStream2(context, &out, &in, ZSTD_e_end);
  ZSTD_freeCCtx(context);
  if (left != 0) throw std::runtime_error("zstd");
  packed.resize(out.pos);
  return packed;
}

// A skippable zstd frame.
inline std::string zstd_skippable_frame(std::string_view content) {
  std::string frame("\x50\x2A\x4D\x18", 4);
  for (int i = 0; i < 4; ++i) frame += static_cast<char>(content.size() >> (8 * i) & 0xFF);
  frame += content;
  return frame;
}

// br with a window of 16 MiB, in blocks of a mebibyte that are stored as they are (RFC 7932, 9.1 and 9.2).
inline std::string brotli_stored(std::string_view bytes) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  constexpr unsigned kWindowOf24Bits = 0xF;
  std::string packed;
  for (std::size_t at = 0; at < bytes.size(); at += kBlock) {
    const std::string_view block = bytes.substr(at, kBlock);
    const unsigned nibbles = block.size() > 1U << 16 ? 5 : 4;  // of the length
    std::uint32_t header = (nibbles - 4) << 1 | static_cast<std::uint32_t>(block.size() - 1) << 3;
    unsigned bits = 3 + 4 * nibbles;
    header |= 1U << bits++;  // stored
    if (at == 0) header = header << 4 | kWindowOf24Bits, bits += 4;
    for (unsigned bit = 0; bit < bits; bit += 8) packed += static_cast<char>(header >> bit);
    packed += block;
  }
  return packed + '\x03';
}

}  // namespace spillway::testing
