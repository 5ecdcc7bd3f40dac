#include "sort/library/string_reader.hpp"

#include <algorithm>
#include <cstring>

#include "sort/library/packed_strings.hpp"

namespace spillway {

void StringReader::take(std::span<const std::uint8_t> text) {
  begin_ = window_ = next_window_ = text.data();
  text_end_ = text.data() + text.size();
  end_ = ends_found_ = 0;
  string_ = value_ = {};
  has_reserved_ = !text.empty() && (std::memchr(text.data(), kPackedEscape, text.size()) != nullptr ||
                                    std::memchr(text.data(), kPackedValue, text.size()) != nullptr);
}

bool StringReader::find_ends() {
  static const auto find = line_end_kernel().find;
  end_ = ends_found_ = 0;
  while (ends_found_ == 0 && next_window_ != text_end_) {
    window_ = next_window_;
    const std::size_t bytes = std::min(kLineEndText, static_cast<std::size_t>(text_end_ - window_));
    ends_found_ = find(window_, bytes, static_cast<char>(kPackedEnd), ends_);
    next_window_ = window_ + bytes;
  }
  return ends_found_ != 0;
}

void StringReader::unpack_parts(std::string_view packed) {
  const auto unpacked = [](std::string_view part, std::string& out) -> std::string_view {
    if (part.find(static_cast<char>(kPackedEscape)) == std::string_view::npos) return part;
    unpack(part, out);
    return out;
  };
  const std::size_t key_end = packed.find(static_cast<char>(kPackedValue));
  string_ = unpacked(packed.substr(0, key_end), unpacked_string_);
  value_ =
      key_end == std::string_view::npos ? std::string_view() : unpacked(packed.substr(key_end + 1), unpacked_value_);
}

}  // namespace spillway
