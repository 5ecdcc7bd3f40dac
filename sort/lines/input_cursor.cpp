#include "sort/lines/input_cursor.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "io/base/bytes.hpp"
#include "sort/lines/keys/long_lines.hpp"

namespace spillway {

namespace {

constexpr std::size_t kReadAhead = 8;  // the part of a long line that is read after it
constexpr std::size_t kPage = 4096;

}  // namespace

InputCursor::InputCursor(LineInput input, const CursorResources& resources)
    : input_(std::move(input)),
      resources_(&resources),
      buffer_(resources.budget, resources.buffer_bytes, "lines of an input") {}

bool InputCursor::open() {
  read_more();
  return filled_ != 0;
}

std::string_view InputCursor::line(const Place& place) const {
  if (place.end == 0) return {};
  const std::size_t end = place.end - resources_->order.format.end_bytes();
  return {reinterpret_cast<const char*>(buffer_.data()) + place.begin, end - place.begin};
}

Record InputCursor::record() const {
  if (!has_keys()) return {line(line_), 0};
  const std::string_view bytes = keyed_.bytes;
  return {bytes.substr(0, bytes.size() - resources_->order.format.end_bytes()), keyed_.key_bytes};
}

Record InputCursor::last_record() const {
  if (!has_keys()) return {line(last_), 0};
  if (last_keyed_.bytes.empty()) return {};
  const std::string_view bytes = last_keyed_.bytes;
  return {bytes.substr(0, bytes.size() - resources_->order.format.end_bytes()), last_keyed_.key_bytes};
}

bool InputCursor::next() {
  last_ = {};  // not needed any more
  std::size_t scanned = line_.end, found = 0;
  while (found == 0) {
    found = resources_->order.format.after_line(buffer_.data(), scanned, filled_);
    if (found != 0) break;
    if (is_at_end_) return false;
    const std::size_t left = filled_ - line_.end;
    read_more();
    scanned = line_.end + left;
  }
  last_ = line_;
  line_ = {line_.end, found};
  make_record();
  ++resources_->counts.lines;
  return true;
}

void InputCursor::make_record() {
  const std::string_view text = line(line_);
  check_line_bytes(text.size());
  std::swap(keyed_, last_keyed_);
  if (keyed_.bytes.capacity() >= kLongLine) keyed_.release();
  keyed_.bytes.clear();
  if (const LongestLine measured = measure_long(text, resources_->encoder); measured.is_long()) {
    prepare_long(measured);
  } else {
    last_record_bytes_ = 0;
  }
  if (has_keys()) {
    resources_->encoder.append(text, keyed_.bytes);
    check_key_bytes(keyed_.bytes.size());
    keyed_.key_bytes = static_cast<std::uint32_t>(keyed_.bytes.size());
    keyed_.bytes.append(text.data(), text.size() + resources_->order.format.end_bytes());
  }
  shared_ = static_cast<std::uint32_t>(shared_bytes(last_record().bytes, record().bytes));
}

// Takes memory for the record, and asks for what is made of it.
void InputCursor::prepare_long(const LongestLine& line) {
  note_line(line.line, line.keys);
  if (resources_->takes_long && !resources_->takes_long(line)) throw LineTooLongError(line.line, most_bytes_);
  if (!has_keys()) return;
  const std::size_t bytes = line.record() + 1;
  keyed_.memory = take(bytes + resources_->encoder.scratch_bytes(line.line));
  keyed_.bytes.reserve(bytes);
}

Reservation InputCursor::take(std::size_t bytes) {
  map_large_memory();
  resources_->grows(bytes);
  std::optional<Reservation> taken = resources_->budget.try_reserve(bytes, "input of the merge");
  if (!taken) throw LineTooLongError(filled_ - line_.begin, most_bytes_);
  return std::move(*taken);
}

// `key_bytes`: what the encoder takes, or less.
void InputCursor::note_line(std::size_t line_bytes, std::size_t key_bytes) {
  longest_.add({line_bytes, key_bytes});
  std::size_t record = line_bytes + 1;
  if (has_keys()) record += key_bytes + resources_->encoder.scratch_bytes(line_bytes);
  std::size_t bytes = record + std::exchange(last_record_bytes_, record);
  if (has_keys()) bytes += longest_.line;  // the buffer may still have the size that a longer line needed
  most_bytes_ = std::max(most_bytes_, bytes + bytes / kReadAhead);
}

// Drops all lines before the last one, which the next line is compared with, and fills the buffer.
void InputCursor::read_more() {
  const std::size_t dropped = has_keys() ? line_.end : line_.begin;
  if (dropped != 0) std::memmove(buffer_.data(), buffer_.data() + dropped, filled_ - dropped);
  filled_ -= dropped;
  line_ = {has_keys() ? 0 : line_.begin - dropped, line_.end - dropped};
  if (filled_ < resources_->buffer_bytes / 2 && buffer_.size() > resources_->buffer_bytes) {
    buffer_.shrink(resources_->buffer_bytes);
  }
  if (filled_ == buffer_.size()) grow();
  const std::size_t wanted = buffer_.size() - filled_;
  const std::size_t got = input_.read({buffer_.data() + filled_, wanted});
  filled_ += got;
  resources_->counts.bytes += got;
  is_at_end_ = got < wanted;
}

void InputCursor::grow() {
  check_line_bytes(filled_ - line_.end);
  const std::size_t more = std::max(buffer_.size() / kReadAhead, resources_->buffer_bytes / 2);
  buffer_.extend(take((more / kPage + 1) * kPage));
}

CursorNeed InputCursor::need() const {
  const std::size_t usual = resources_->buffer_bytes;
  return {most_bytes_ > usual / 2 ? most_bytes_ + usual : 0, longest_, input_.longest_line()};
}

// `text` follows the text of the last call.
void InputCursor::note_lines(std::string_view text) {
  const LineFormat format = resources_->order.format;
  while (!text.empty()) {
    const std::size_t left = format.has_ends() ? text.find(format.line_end) : format.record_bytes - surveyed_.bytes;
    const std::size_t some = std::min(left, text.size());
    surveyed_.add(text.substr(0, some));
    text.remove_prefix(some);
    if (left != some) break;
    if (format.has_ends()) text.remove_prefix(1);
    note_line(surveyed_.bytes, has_keys() ? resources_->encoder.most_key_bytes(surveyed_) : 0);
    check_line_bytes(std::exchange(surveyed_, {}).bytes);
  }
}

CursorNeed InputCursor::survey() {
  const auto text = [&](std::size_t begin, std::size_t end) {
    return std::string_view(reinterpret_cast<const char*>(buffer_.data()) + begin, end - begin);
  };
  note_lines(text(line_.end, filled_));
  while (const std::size_t got = input_.read(buffer_.span())) note_lines(text(0, got));
  keyed_.release();
  last_keyed_.release();
  buffer_ = {};
  line_ = last_ = {};
  filled_ = 0;
  return need();
}

}  // namespace spillway
