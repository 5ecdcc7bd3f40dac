// The form of the small files of a resumable job: a title line, lines of words between single spaces, and a line with
// the XXH3-128 of all before it. In words, bytes up to 0x20, 0x7F and % are written as %XX.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/checksum.hpp"

namespace spillway {

class SealedTextWriter {
 public:
  explicit SealedTextWriter(std::string_view title) : text_(std::string(title) + "\n") {}
  SealedTextWriter& line(std::string_view name);  // begins a line
  SealedTextWriter& word(std::string_view bytes);
  SealedTextWriter& number(std::uint64_t value) { return word(std::to_string(value)); }
  // Returns the whole text. Call it once.
  std::string seal();

 private:
  std::string text_;
  bool in_line_ = false;
};

// Reads the lines one after the other. All functions throw FormatError, which names path, offset and the remedy.
class SealedTextReader {
 public:
  // Checks title and hash. `text` and `path` outlive the reader.
  SealedTextReader(std::string_view text, std::string_view title, const std::string& path);

  // Goes to the next line and returns its first word; empty at the end. The line before must have been read to its end.
  std::string next_line();
  void expect_line(std::string_view name);
  std::string word();
  std::uint64_t number();
  [[noreturn]] void refuse(const std::string& expected, std::string_view found) const;

 private:
  std::string_view text_;  // without the last line
  const std::string& path_;
  std::size_t at_ = 0;
};

std::string from_hex(std::string_view digits);  // an odd or a wrong digit gives an empty string
std::string to_hex(std::string_view bytes);

}  // namespace spillway
