// Keys of the finishing kernel of gpu-string-radix: eight bytes as they are, because they are compared, not counted.
#pragma once

#include <cstdint>

#include "sort/gpu/string_words.hpp"

namespace spillway {

// What a string is sorted by in a round: its segment, named by the place of its first string, and its next bytes.
struct FinishKey {
  std::uint64_t word = 0;
  std::uint32_t head = 0;
  std::uint32_t valid_bytes = 0;

  // Strings of this key are equal, and final.
  SPILLWAY_HOST_DEVICE bool has_ended() const { return valid_bytes < 8; }
  SPILLWAY_HOST_DEVICE friend bool operator==(const FinishKey& a, const FinishKey& b) {
    return a.word == b.word && a.head == b.head && a.valid_bytes == b.valid_bytes;
  }
};

struct FinishKeyLess {
  SPILLWAY_HOST_DEVICE bool operator()(const FinishKey& a, const FinishKey& b) const {
    if (a.head != b.head) return a.head < b.head;
    if (a.word != b.word) return a.word < b.word;
    return a.valid_bytes < b.valid_bytes;
  }
};

// Of the word at `depth` <= string.bytes.
SPILLWAY_HOST_DEVICE inline FinishKey make_finish_key(const DeviceString& string, const UnalignedWord& word,
                                                      std::uint32_t head, std::uint32_t depth) {
  const std::uint32_t left = string.bytes - depth, valid_bytes = left < 8 ? left : 8;
  return {big_endian(word, string.data + depth, valid_bytes), head, valid_bytes};
}

}  // namespace spillway
