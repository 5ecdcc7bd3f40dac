// Packs strings into the chunks of a pipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sort/library/packed_strings.hpp"
#include "sort/library/text_pipe.hpp"

namespace spillway {

// Not thread-safe. The pipe outlives it.
class StringAdder {
 public:
  explicit StringAdder(TextPipe& pipe) : pipe_(pipe) {}

  // Returns false if the pipe was stopped.
  bool add(std::string_view key, std::optional<std::string_view> value) {
    const std::size_t most = 2 * (key.size() + (value ? value->size() : 0)) + 2;
    if (most > room() && !make_room(most)) return add_long(key, value);
    std::uint8_t* to = pack(key, end());
    if (value) {
      *to++ = kPackedValue;
      to = pack(*value, to);
    }
    *to++ = kPackedEnd;
    chunk_.used = static_cast<std::size_t>(to - chunk_.bytes.data());
    return true;
  }
  void finish() { pipe_.close(std::move(chunk_)); }

 private:
  std::uint8_t* end() { return chunk_.bytes.data() + chunk_.used; }
  std::size_t room() const { return chunk_.bytes.empty() ? 0 : TextPipe::kChunkBytes - chunk_.used; }
  bool make_room(std::size_t bytes);
  bool add_long(std::string_view key, std::optional<std::string_view> value);
  bool append_long(std::string_view text);
  bool append_byte(std::uint8_t byte);

  TextPipe& pipe_;
  TextChunk chunk_;
};

}  // namespace spillway
