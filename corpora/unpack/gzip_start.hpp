// How a member of gzip (RFC 1952) begins, and how zlib is told to read it.
#pragma once

#include <cstdint>
#include <string_view>

namespace spillway {

inline constexpr std::string_view kGzipMagic = "\x1F\x8B\x08";  // the last byte names deflate

inline constexpr int kGzipWindowBits = 15 + 16;  // the largest window; only gzip wrappers

// Whether a gzip member starts here: deflate, and no flag that the format leaves undefined.
inline bool is_gzip_start(std::string_view head) {
  return head.size() >= 4 && head.starts_with(kGzipMagic) && (static_cast<std::uint8_t>(head[3]) & 0xE0) == 0;
}

}  // namespace spillway
