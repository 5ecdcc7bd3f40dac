#include "corpora/unpack/packed_input.hpp"

#include <algorithm>
#include <cstring>

namespace spillway {

std::size_t FileByteSource::read(std::span<std::uint8_t> out) {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), size_ - position_));
  file_->read_exactly(position_, out.first(bytes));
  position_ += bytes;
  return bytes;
}

std::size_t StreamByteSource::read(std::span<std::uint8_t> out) {
  std::size_t filled = 0;
  while (filled < out.size()) {
    const std::size_t bytes = stream_->read(out.subspan(filled));
    if (bytes == 0) break;
    filled += bytes;
  }
  return filled;
}

std::string_view PackedInput::available(std::size_t wanted) {
  if (filled_ - at_ < wanted && !at_end_) refill();
  return {reinterpret_cast<const char*>(buffer_.data()) + at_, filled_ - at_};
}

void PackedInput::skip(std::size_t bytes) {
  while (bytes > filled_ - at_ && !(at_ == filled_ && at_end_)) {
    bytes -= filled_ - at_;
    at_ = filled_;
    if (!at_end_) refill();
  }
  at_ += std::min(bytes, filled_ - at_);
}

void PackedInput::refill() {
  const std::size_t kept_begin = at_ > kHistoryBytes ? at_ - kHistoryBytes : 0;
  std::memmove(buffer_.data(), buffer_.data() + kept_begin, filled_ - kept_begin);
  buffer_offset_ += kept_begin;
  at_ -= kept_begin;
  filled_ -= kept_begin;
  const std::size_t bytes = source_->read(buffer_.subspan(filled_));
  at_end_ = bytes < buffer_.size() - filled_;
  filled_ += bytes;
}

}  // namespace spillway
