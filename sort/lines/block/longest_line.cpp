#include "sort/lines/block/longest_line.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

namespace {

constexpr std::size_t kPartBytes = LongestLineFinder::kSurelyFound / 2;  // a line that is found spans one of them

}  // namespace

void LongestLineFinder::begin_text(std::size_t number, std::uint64_t offset) {
  number_ = number;
  offset_ = line_begin_ = offset;
  is_long_ = false;
}

void LongestLineFinder::add(std::span<const std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kPartBytes));
    const auto* const last = static_cast<const std::uint8_t*>(::memrchr(part.data(), line_end_, part.size()));
    if (last != nullptr && is_long_) {
      const auto* const first = static_cast<const std::uint8_t*>(std::memchr(part.data(), line_end_, part.size()));
      end_line(offset_ + static_cast<std::uint64_t>(first - part.data()));
    }
    if (last != nullptr) line_begin_ = offset_ + static_cast<std::uint64_t>(last - part.data()) + 1;
    is_long_ = last == nullptr;
    offset_ += part.size();
    bytes = bytes.subspan(part.size());
  }
}

void LongestLineFinder::end_text() {
  if (is_long_) end_line(offset_);
}

void LongestLineFinder::end_line(std::uint64_t end) {
  const std::uint64_t line_bytes = end - line_begin_;
  if (!longest_ || line_bytes > longest_->bytes) longest_ = Found{number_, line_begin_, line_bytes};
}

}  // namespace spillway
