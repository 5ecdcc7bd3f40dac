#include "sort/lines/input_cursor.hpp"

#include <cstring>
#include <utility>

#include "io/base/bytes.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

// A block of a run holds a line and its keys after other records, and its length has 32 bits.
constexpr std::size_t kMostLineBytes = std::size_t{1} << 30, kMostKeyBytes = std::size_t{2} << 30;

}  // namespace

InputCursor::InputCursor(LineInput input, const CursorResources& resources)
    : input_(std::move(input)),
      resources_(&resources),
      buffer_(resources.budget, resources.buffer_bytes, "lines of an input") {}

bool InputCursor::open() {
  read_more();
  return filled_ != 0;
}

std::string_view InputCursor::line() const {
  if (end_ == 0) return {};
  return {reinterpret_cast<const char*>(buffer_.data()) + begin_, end_ - resources_->order.format.end_bytes() - begin_};
}

Record InputCursor::record() const {
  if (has_keys()) return {key_and_line_, key_bytes_};
  return {line(), 0};
}

bool InputCursor::next() {
  std::size_t scanned = end_, found = 0;
  while (found == 0) {
    found = resources_->order.format.after_line(buffer_.data(), scanned, filled_);
    if (found != 0) break;
    if (is_at_end_) return false;
    const std::size_t left = filled_ - end_;
    read_more();
    scanned = end_ + left;
  }
  const std::string_view last = line();
  begin_ = end_;
  end_ = found;
  make_record(last);
  ++resources_->counts.lines;
  return true;
}

void InputCursor::make_record(std::string_view last_line) {
  if (line().size() > kMostLineBytes) throw BudgetError("a line of more than 1 GiB: longer lines cannot be sorted");
  if (!has_keys()) {
    shared_ = static_cast<std::uint32_t>(shared_bytes(last_line, line()));
    return;
  }
  std::swap(key_and_line_, last_key_and_line_);
  key_and_line_.clear();
  resources_->encoder.append(line(), key_and_line_);
  if (key_and_line_.size() > kMostKeyBytes) {
    throw BudgetError("the keys of a line take more than 2 GiB: such lines cannot be sorted");
  }
  key_bytes_ = static_cast<std::uint32_t>(key_and_line_.size());
  key_and_line_ += line();
  shared_ = static_cast<std::uint32_t>(shared_bytes(last_key_and_line_, key_and_line_));
}

// Drops all lines before the last one, which the next line is compared with, and fills the buffer.
void InputCursor::read_more() {
  const std::size_t dropped = has_keys() ? end_ : begin_;
  std::memmove(buffer_.data(), buffer_.data() + dropped, filled_ - dropped);
  filled_ -= dropped;
  end_ -= dropped;
  begin_ = has_keys() ? 0 : begin_ - dropped;
  if (filled_ == buffer_.size()) grow();
  const std::size_t wanted = buffer_.size() - filled_;
  const std::size_t got = input_.read({buffer_.data() + filled_, wanted});
  filled_ += got;
  resources_->counts.bytes += got;
  is_at_end_ = got < wanted;
}

void InputCursor::grow() {
  if (filled_ - end_ > kMostLineBytes) throw BudgetError("a line of more than 1 GiB: longer lines cannot be sorted");
  resources_->grows(2 * buffer_.size());
  Buffer larger(resources_->budget, 2 * buffer_.size(), "lines of an input");
  std::memcpy(larger.data(), buffer_.data(), filled_);
  buffer_ = std::move(larger);
}

}  // namespace spillway
