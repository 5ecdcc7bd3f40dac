// How a text is divided into what is sorted: lines, each ended by a byte, or records of one size, without ends. Both
// are called lines elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace spillway {

struct LineFormat {
  char line_end = '\n';
  std::uint32_t record_bytes = 0;  // 0: lines

  constexpr LineFormat(char end = '\n', std::uint32_t bytes_of_record = 0)
      : line_end(end), record_bytes(bytes_of_record) {}

  bool has_ends() const { return record_bytes == 0; }
  std::size_t end_bytes() const { return has_ends() ? 1 : 0; }
  // Requires of the following: a line begins at text[0].
  // The offset after the line, with its end, that holds the byte at `from`; 0 if that is not in the first `bytes`.
  std::size_t after_line(const std::uint8_t* text, std::size_t from, std::size_t bytes) const {
    if (!has_ends()) {
      const std::size_t end = (from / record_bytes + 1) * record_bytes;
      return end <= bytes ? end : 0;
    }
    const void* const end = from == bytes ? nullptr : std::memchr(text + from, line_end, bytes - from);
    return end == nullptr ? 0 : static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - text) + 1;
  }
  // The offset after the last line that is whole in the first `bytes`; 0 if there is none.
  std::size_t after_lines(const std::uint8_t* text, std::size_t bytes) const {
    if (!has_ends()) return bytes / record_bytes * record_bytes;
    const void* const end = ::memrchr(text, line_end, bytes);
    return end == nullptr ? 0 : static_cast<std::size_t>(static_cast<const std::uint8_t*>(end) - text) + 1;
  }
};

}  // namespace spillway
