#include "corpora/reader/plain_range.hpp"

#include <algorithm>
#include <cstring>

#include "corpora/document/utf8.hpp"

namespace spillway {

namespace {

// Reads beyond the end of the range, which finish its last record, have small steps.
constexpr std::size_t kTailStepBytes = std::size_t{32} << 10;

}  // namespace

// Reading starts one byte early: a newline there means that a record starts at the begin of the range.
PlainRangeReader::PlainRangeReader(const PlainRange& range, std::span<std::uint8_t> buffer)
    : range_(range),
      borders_(range.file->format),
      buffer_(buffer),
      capacity_(buffer.size() - kRecordPadding),
      end_(range.end),
      position_(range.begin == 0 ? 0 : range.begin - 1),
      buffer_offset_(position_),
      search_from_(position_ + 1) {}

std::string_view PlainRangeReader::bytes_from(std::uint64_t offset) const {
  const auto begin = static_cast<std::size_t>(offset - buffer_offset_);
  return {reinterpret_cast<const char*>(buffer_.data()) + begin, filled_ - begin};
}

// Returns false if the buffer is full or the file ends here.
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
      position_ = kByteOrderMark.size();
      search_from_ = position_ + 1;
      end_ = std::max(end_, position_ + 1);  // the mark is part of the first record, which belongs to this range
    }
    return true;
  }
  for (;;) {
    const std::size_t found = borders_.find(bytes_from(position_), static_cast<std::size_t>(search_from_ - position_));
    if (found != RecordBorders::kNone) {
      position_ += found;
      search_from_ = position_ + 1;
      if (position_ == kByteOrderMark.size() && starts_with_mark()) continue;  // that record belongs to the first range
      return position_ < end_;
    }
    note_searched();
    if (search_from_ >= end_) return false;
    position_ = search_from_ - 1;
    if (!read_more()) return false;
  }
}

bool PlainRangeReader::starts_with_mark() const {
  char head[kByteOrderMark.size()];
  range_.bytes->read_exactly(0, {reinterpret_cast<std::uint8_t*>(head), sizeof head});
  return std::string_view(head, sizeof head) == kByteOrderMark;
}

// No record begins up to where the buffer's end leaves it open.
void PlainRangeReader::note_searched() {
  const std::size_t held = static_cast<std::size_t>(buffer_end() - position_);
  search_from_ = std::max(search_from_, position_ + borders_.first_undecided(held));
}

std::optional<std::uint64_t> PlainRangeReader::first_record() {
  if (find_first_record()) return position_;
  position_ = end_;
  return std::nullopt;
}

std::optional<PlainRangeReader::Block> PlainRangeReader::next() {
  if (!found_first_) first_record();
  while (position_ < end_ && position_ < range_.file->size) {
    if (auto block = take_block()) return block;
    if (!read_more()) return Block{{}, position_};
  }
  return std::nullopt;
}

// Returns the whole records in the buffer; nullopt if there is none.
std::optional<PlainRangeReader::Block> PlainRangeReader::take_block() {
  const std::string_view bytes = bytes_from(position_);
  // All records that start before the end of the range belong to it, so it extends to the first border after its end.
  std::size_t end = borders_.find(bytes, static_cast<std::size_t>(std::max(end_, search_from_) - position_));
  if (end == RecordBorders::kNone && buffer_end() == range_.file->size) {
    buffer_[filled_] = '\n';  // stops the parsers
    end = bytes.size();
  }
  if (end == RecordBorders::kNone) end = borders_.find_last(bytes, static_cast<std::size_t>(search_from_ - position_));
  note_searched();
  if (end == RecordBorders::kNone) return std::nullopt;
  const Block block{bytes.substr(0, end), position_};
  position_ += end;
  search_from_ = position_ + 1;
  return block;
}

void PlainRangeReader::skip_to(std::uint64_t offset) {
  position_ = offset;
  buffer_offset_ = offset;
  search_from_ = offset + 1;
  filled_ = 0;
}

std::uint64_t find_next_record(const PlainRange& range, std::uint64_t begin, std::span<std::uint8_t> buffer,
                               PassProgress& progress) {
  const RecordBorders borders(range.file->format);
  const std::uint64_t end = range.file->size;
  std::uint64_t search_from = begin + 1;
  for (std::uint64_t at = begin; at < end;) {
    const auto bytes = buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), end - at)));
    range.bytes->read_exactly(at, bytes);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::size_t found = borders.find(text, static_cast<std::size_t>(search_from - at));
    if (found != RecordBorders::kNone) return at + found;
    if (at + bytes.size() == end) break;
    search_from = std::max(search_from, at + borders.first_undecided(bytes.size()));
    progress.read(search_from - 1 - at);
    at = search_from - 1;
  }
  return end;
}

}  // namespace spillway
