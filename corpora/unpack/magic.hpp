// How compressed data starts.
#pragma once

#include <cstdint>
#include <string_view>

namespace spillway {

inline constexpr std::string_view kGzipMagic = "\x1F\x8B\x08";
inline constexpr std::string_view kZstdMagic = "\x28\xB5\x2F\xFD";

// A gzip member: deflate, and no flag that the format leaves undefined.
inline bool is_gzip_start(std::string_view head) {
  return head.size() >= 4 && head.starts_with(kGzipMagic) && (static_cast<std::uint8_t>(head[3]) & 0xE0) == 0;
}

inline bool is_zstd_skippable(std::string_view head) {
  return head.size() >= 4 && (static_cast<std::uint8_t>(head[0]) & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
}

// A zstd frame, or a skippable one.
inline bool is_zstd_start(std::string_view head) { return head.starts_with(kZstdMagic) || is_zstd_skippable(head); }

}  // namespace spillway
