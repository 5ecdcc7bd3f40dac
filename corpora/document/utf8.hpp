// Makes valid UTF-8 of any bytes: each maximal broken subpart becomes one U+FFFD (Unicode 15, table 3-8, as in web
// browsers). Parsers validate whole buffers first and repair only broken ones. Time O(bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_valid_utf8(std::string_view bytes);

// Index of the first byte from `at` on that is not ASCII; the size of `bytes` if there is none.
std::size_t skip_ascii(std::string_view bytes, std::size_t at);

// The number of bytes at the end of `text` that begin a character of UTF-8 and do not end it, at most 3.
std::size_t open_character_bytes(std::string_view text);

// The longest prefix of `text` of at most `max_bytes` that does not end inside a character. Requires: valid UTF-8.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// Receives text in fragments of valid UTF-8, each of whole characters.
class TextOutput {
 public:
  virtual ~TextOutput() = default;
  virtual void append(std::string_view fragment) = 0;
};

// Counts the bytes of a text.
class TextCounter final : public TextOutput {
 public:
  void append(std::string_view fragment) override { bytes_ += fragment.size(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

// Repairs a stream of bytes that arrives in fragments. The result does not depend on where fragments end.
class Utf8Repairer {
 public:
  void reset() { *this = Utf8Repairer(); }
  void feed(std::string_view bytes, TextOutput& out);
  // Ends the stream: an incomplete character is broken.
  void finish(TextOutput& out);
  bool repaired() const { return repaired_; }

 private:
  void replace(TextOutput& out);
  bool start(std::uint8_t lead);
  char pending_[4] = {};
  std::uint8_t length_ = 0;          // bytes in pending_
  std::uint8_t needed_ = 0;          // length of the whole character
  std::uint8_t low_ = 0, high_ = 0;  // range of the next byte
  bool repaired_ = false;
};

std::string repair_utf8(std::string_view bytes);

// Writes a character as UTF-8 and returns the end. Requires: at most 0x10FFFF and not a surrogate; room for 4 bytes.
char* write_utf8(unsigned character, char* out);

}  // namespace spillway
