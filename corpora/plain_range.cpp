#include "corpora/plain_range.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/json_string.hpp"
#include "corpora/utf8.hpp"

namespace spillway {

namespace {

// What is read beyond the end of the range, to finish its last record, is read by small steps.
constexpr std::size_t kTailStepBytes = std::size_t{32} << 10;

}  // namespace

// Reading starts a byte early: a newline there means that a record starts with the range.
PlainRangeReader::PlainRangeReader(const PlainRange& range, std::span<std::uint8_t> buffer)
    : range_(range),
      buffer_(buffer),
      capacity_(buffer.size() - kJsonPadding),
      end_(range.end),
      position_(range.begin == 0 ? 0 : range.begin - 1),
      buffer_offset_(position_),
      searched_(position_) {}

std::string_view PlainRangeReader::bytes_from(std::uint64_t offset) const {
  const auto begin = static_cast<std::size_t>(offset - buffer_offset_);
  return {reinterpret_cast<const char*>(buffer_.data()) + begin, filled_ - begin};
}

// False: the buffer is full, or the file ends here.
bool PlainRangeReader::read_more() {
  const auto kept_begin = static_cast<std::size_t>(position_ - buffer_offset_);
  if (kept_begin > 0) {
    std::memmove(buffer_.data(), buffer_.data() + kept_begin, filled_ - kept_begin);
    buffer_offset_ += kept_begin;
    filled_ -= kept_begin;
  }
  std::uint64_t step = capacity_ - filled_;
  const std::uint64_t from = buffer_end();
  step = std::min<std::uint64_t>(step, from < end_ ? std::min<std::uint64_t>(kStepBytes, end_ - from) : kTailStepBytes);
  step = std::min(step, range_.file->size - from);
  if (step == 0) return false;
  range_.bytes->read_exactly(from, buffer_.subspan(filled_, static_cast<std::size_t>(step)));
  filled_ += static_cast<std::size_t>(step);
  return true;
}

bool PlainRangeReader::find_first_record() {
  found_first_ = true;
  if (range_.begin == 0) {
    while (buffer_end() < kByteOrderMark.size() && read_more()) continue;
    if (bytes_from(0).starts_with(kByteOrderMark)) {
      position_ = searched_ = kByteOrderMark.size();
      end_ = std::max(end_, position_ + 1);  // the mark is part of the first record, which is ours
    }
    return true;
  }
  while (position_ < end_) {
    if (position_ == buffer_end() && !read_more()) return false;
    const std::string_view bytes = bytes_from(position_);
    const std::size_t newline = bytes.find('\n');
    position_ += newline == std::string_view::npos ? bytes.size() : newline + 1;
    searched_ = position_;
    if (newline != std::string_view::npos) return position_ < end_;
  }
  return false;
}

std::optional<PlainRangeReader::Block> PlainRangeReader::next() {
  if (!found_first_ && !find_first_record()) {
    position_ = end_;
    return std::nullopt;
  }
  while (position_ < end_ && position_ < range_.file->size) {
    if (auto block = take_block()) return block;
    if (!read_more()) return Block{{}, position_};
  }
  return std::nullopt;
}

// Records that are whole in the buffer; nullopt: not even one.
std::optional<PlainRangeReader::Block> PlainRangeReader::take_block() {
  const std::uint64_t last = std::max(end_ - 1, position_);  // a record that starts here or before is ours
  std::uint64_t end = 0;
  const std::uint64_t from = std::max(last, searched_);
  if (from < buffer_end()) {
    const std::string_view bytes = bytes_from(from);
    const std::size_t newline = bytes.find('\n');
    if (newline != std::string_view::npos) end = from + newline + 1;
  }
  if (end == 0 && buffer_end() == range_.file->size) {
    buffer_[filled_] = '\n';  // what parsers stop at
    end = buffer_end();
  }
  if (end == 0 && searched_ < buffer_end()) {
    const std::string_view bytes = bytes_from(searched_);
    const auto* newline = static_cast<const char*>(memrchr(bytes.data(), '\n', bytes.size()));
    if (newline != nullptr) end = searched_ + static_cast<std::uint64_t>(newline - bytes.data()) + 1;
  }
  searched_ = buffer_end();
  if (end == 0) return std::nullopt;
  const Block block{bytes_from(position_).substr(0, static_cast<std::size_t>(end - position_)), position_};
  position_ = end;
  searched_ = end;
  return block;
}

void PlainRangeReader::skip_to(std::uint64_t offset) {
  position_ = offset;
  buffer_offset_ = offset;
  searched_ = offset;
  filled_ = 0;
}

std::uint64_t find_newline(const ReadableFile& file, std::uint64_t begin, std::uint64_t end,
                           std::span<std::uint8_t> buffer, DocumentSink& alive) {
  while (begin < end) {
    const auto bytes = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - begin)));
    file.read_exactly(begin, bytes);
    const void* newline = std::memchr(bytes.data(), '\n', bytes.size());
    if (newline != nullptr) {
      return begin + static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(newline) - bytes.data());
    }
    begin += bytes.size();
    alive.consumed(0);
  }
  return end;
}

}  // namespace spillway
