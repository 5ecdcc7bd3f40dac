// Valid UTF-8 out of any bytes: what is broken becomes U+FFFD, one for each maximal subpart (Unicode 15, table 3-8; as
// web browsers do). Readers check whole windows first and come here only for what is broken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace spillway {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_valid_utf8(std::string_view bytes);

// The longest prefix of `text` of at most `max_bytes` that does not end inside a character. Requires: valid UTF-8.
std::string_view utf8_prefix(std::string_view text, std::size_t max_bytes);

// Takes text piece by piece; every piece is valid UTF-8 of whole characters.
class TextOutput {
 public:
  virtual ~TextOutput() = default;
  virtual void append(std::string_view piece) = 0;
};

// Only counts.
class TextCounter final : public TextOutput {
 public:
  void append(std::string_view piece) override { bytes_ += piece.size(); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

// Repairs a stream of bytes, cut anywhere. The same output for any cutting.
class Utf8Repairer {
 public:
  // Forgets everything.
  void reset() { *this = Utf8Repairer(); }
  void feed(std::string_view bytes, TextOutput& out);
  // The end of a stretch: an open character is broken.
  void finish(TextOutput& out);
  bool repaired() const { return repaired_; }

 private:
  void replace(TextOutput& out);
  bool start(std::uint8_t lead);
  char pending_[4] = {};
  std::uint8_t length_ = 0;          // bytes in pending_
  std::uint8_t needed_ = 0;          // bytes of the whole character
  std::uint8_t low_ = 0, high_ = 0;  // what the next byte may be
  bool repaired_ = false;
};

std::string repair_utf8(std::string_view bytes);

}  // namespace spillway
