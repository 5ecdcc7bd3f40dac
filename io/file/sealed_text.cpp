#include "io/file/sealed_text.hpp"

#include <charconv>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::string_view kSealName = "xxh3-128 ";
constexpr std::string_view kDigits = "0123456789abcdef";
constexpr std::size_t kSealBytes = kSealName.size() + 2 * sizeof(Hash128) + 1;

bool is_plain(unsigned char byte) { return byte > 0x20 && byte != 0x7F && byte != '%'; }

std::string seal_of(std::string_view text) {
  return std::string(kSealName) + spillway::to_hex(hash128(bytes_of(text))) + "\n";
}

std::string unescape(std::string_view word) {
  std::string bytes;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] != '%') {
      bytes += word[i];
      continue;
    }
    bytes += from_hex(word.substr(i + 1, 2));
    i += 2;
  }
  return bytes;
}

}  // namespace

std::string to_hex(std::string_view bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[static_cast<unsigned char>(byte) & 15];
  }
  return digits;
}

std::string from_hex(std::string_view digits) {
  std::string bytes;
  if (digits.size() % 2 != 0) return bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::size_t high = kDigits.find(digits[i]), low = kDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return {};
    bytes += static_cast<char>(high << 4 | low);
  }
  return bytes;
}

SealedTextWriter& SealedTextWriter::line(std::string_view name) {
  if (in_line_) text_ += '\n';
  in_line_ = true;
  text_ += name;
  return *this;
}

SealedTextWriter& SealedTextWriter::word(std::string_view bytes) {
  text_ += ' ';
  for (const char byte : bytes) {
    if (is_plain(static_cast<unsigned char>(byte))) {
      text_ += byte;
    } else {
      text_ += "%" + to_hex({&byte, 1});
    }
  }
  return *this;
}

std::string SealedTextWriter::seal() {
  if (in_line_) text_ += '\n';
  return text_ + seal_of(text_);
}

SealedTextReader::SealedTextReader(std::string_view text, std::string_view title, const std::string& path)
    : path_(path) {
  if (!text.starts_with(title) || text.substr(title.size(), 1) != "\n") {
    refuse("the line '" + std::string(title) + "'", text.substr(0, text.find('\n')));
  }
  at_ = text.size() - std::min(text.size(), kSealBytes);
  text_ = text.substr(0, at_);
  if (text.substr(at_) != seal_of(text_)) refuse("the hash of the bytes before it", text.substr(at_));
  at_ = title.size() + 1;
}

void SealedTextReader::refuse(const std::string& expected, std::string_view found) const {
  throw FormatError(printable(path_, 4096) + " at byte " + std::to_string(at_) + ": expected " + expected +
                    ", found '" + printable(found, 60) +
                    "': it is damaged, or of another version; give --restart to begin the job anew");
}

std::string SealedTextReader::next_line() {
  if (at_ != 0 && at_ < text_.size() && text_[at_ - 1] != '\n') {
    if (text_[at_] != '\n') refuse("the end of the line", text_.substr(at_, 20));
    ++at_;
  }
  const std::size_t begin = at_;
  while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

void SealedTextReader::expect_line(std::string_view name) {
  const std::string found = next_line();
  if (found != name) refuse("a line '" + std::string(name) + "'", found);
}

std::string SealedTextReader::word() {
  if (at_ >= text_.size() || text_[at_] != ' ') refuse("another word", text_.substr(at_, 1));
  const std::size_t begin = ++at_;
  while (at_ < text_.size() && text_[at_] != ' ' && text_[at_] != '\n') ++at_;
  return unescape(text_.substr(begin, at_ - begin));
}

std::uint64_t SealedTextReader::number() {
  const std::string digits = word();
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || digits.empty()) refuse("a number", digits);
  return value;
}

}  // namespace spillway
