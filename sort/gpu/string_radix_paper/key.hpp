// The keys of gpu-string-radix:paper. Step logic, compiled for the host too.
#pragma once

#include "sort/gpu/string/words.hpp"

namespace spillway {

// A key of eight bytes: [segment | next bytes | number of these that the string has]. The last byte is there only if
// some string holds NUL; otherwise NUL stands for the end.
struct SegmentKey {
  unsigned segment_bytes = 0, count_bytes = 0;
  std::uint64_t depth = 0;  // bytes of each string that earlier rounds compared
  SPILLWAY_HOST_DEVICE unsigned text_bytes() const { return 8 - segment_bytes - count_bytes; }
  SPILLWAY_HOST_DEVICE std::uint64_t end() const { return depth + text_bytes(); }
};

SPILLWAY_HOST_DEVICE inline std::uint64_t segment_key(const SegmentKey& shape, const DeviceString& string,
                                                      std::uint32_t segment) {
  const std::uint64_t left = string.bytes > shape.depth ? string.bytes - shape.depth : 0;
  const std::size_t bytes = left < shape.text_bytes() ? left : shape.text_bytes();
  std::uint64_t key = bytes == 0 ? 0 : load_big_endian(string.data + shape.depth, bytes) >> (8 * shape.segment_bytes);
  if (shape.segment_bytes > 0) key |= std::uint64_t{segment} << (64 - 8 * shape.segment_bytes);
  return shape.count_bytes == 0 ? key : key | bytes;
}

}  // namespace spillway
