#include "sort/lines/head/threshold.hpp"

#include <cstring>

namespace spillway {

namespace {

// The first 8 bytes of a text, big-endian; zeros after its end.
std::uint64_t begin_of(std::string_view text) {
  std::uint64_t bytes = 0;
  if (text.size() >= sizeof bytes) {
    std::memcpy(&bytes, text.data(), sizeof bytes);
  } else {
    std::memcpy(&bytes, text.data(), text.size());
  }
  return __builtin_bswap64(bytes);
}

}  // namespace

// A part of the line if that serves, otherwise `encoded`.
std::string_view HeadThreshold::key_of(std::string_view line, std::string& encoded) const {
  if (!encoder_.has_keys()) return line;
  if (encoder_.is_view() && !encoder_.folds_view()) return encoder_.view(line);
  encoded.clear();
  encoder_.append(line, encoded);
  return encoded;
}

void HeadThreshold::set(std::string_view line) {
  std::string encoded;
  key_ = key_of(line, encoded);
  begin_ = begin_of(key_);
  if (breaks_ties_) line_ = line;
  is_set_ = true;
}

bool HeadThreshold::excludes(std::string_view line) const {
  thread_local std::string encoded;
  const std::string_view key = key_of(line, encoded);
  const std::uint64_t begin = begin_of(key);
  if (begin != begin_) return (begin > begin_) != is_descending_;
  int difference = key.compare(key_);
  if (difference == 0 && breaks_ties_ && !keeps_equal_) difference = line.compare(line_);
  if (difference == 0) return !keeps_equal_;
  return (difference > 0) != is_descending_;
}

}  // namespace spillway
