#include "corpora/parquet/compact_reader.hpp"

#include "io/base/varint.hpp"

namespace spillway {

namespace {

enum Type : int { kStop, kTrue, kFalse, kByte, kInt16, kInt32, kInt64, kDouble, kBinary, kList, kSet, kMap, kStruct };

std::int64_t from_zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

}  // namespace

std::uint8_t CompactReader::byte() {
  if (at_ == end_) is_short_ = true;
  return is_whole() ? *at_++ : std::uint8_t{0};
}

std::uint64_t CompactReader::varint() {
  std::uint64_t value = 0;
  const std::uint8_t* after = at_;
  if (!is_whole()) return 0;
  if (!read_varint(&after, end_, &value)) {
    (end_ - at_ < static_cast<std::ptrdiff_t>(kMaxVarintBytes) ? is_short_ : is_broken_) = true;
    return 0;
  }
  at_ = after;
  return value;
}

void CompactReader::advance(std::uint64_t bytes) {
  if (!is_whole()) return;
  if (bytes > static_cast<std::uint64_t>(end_ - at_)) {
    is_short_ = true;
    return;
  }
  at_ += bytes;
}

int CompactReader::next_field() {
  const std::uint8_t head = byte();
  if (!is_whole()) return 0;
  type_ = head & 15;
  if (type_ == kStop) {
    if (depth_ > 0) number_ = outer_[--depth_];
    return 0;
  }
  const int step = head >> 4;
  number_ = step != 0 ? number_ + step : static_cast<int>(from_zigzag(varint()) & 0x7FFF);
  if (type_ > kStruct || number_ <= 0 || number_ > 0x7FFF) is_broken_ = true;
  return is_whole() ? number_ : 0;
}

std::int64_t CompactReader::integer() {
  if (type_ >= kInt16 && type_ <= kInt64) return from_zigzag(varint());
  skip();
  return 0;
}

bool CompactReader::boolean() {
  if (type_ != kTrue && type_ != kFalse) skip();
  return type_ == kTrue;
}

bool CompactReader::open_struct() {
  if (type_ != kStruct || depth_ == kMostDepth) {
    skip();
    return false;
  }
  outer_[depth_++] = number_;
  number_ = 0;
  return true;
}

void CompactReader::skip() { skip_value(type_, depth_); }

void CompactReader::skip_value(int type, int depth) {
  if (depth >= kMostDepth) is_broken_ = true;
  if (!is_whole()) return;
  switch (type) {
    case kTrue:
    case kFalse:
      return;
    case kByte:
      return advance(1);
    case kInt16:
    case kInt32:
    case kInt64:
      varint();
      return;
    case kDouble:
      return advance(8);
    case kBinary:
      return advance(varint());
    case kList:
    case kSet:
      return skip_list(depth + 1);
    case kMap:
      return skip_map(depth + 1);
    case kStruct:
      return skip_struct(depth + 1);
    default:
      is_broken_ = true;
  }
}

// Each element has a byte at least, so that a length cannot make this run beyond the bytes.
void CompactReader::skip_list(int depth) {
  const std::uint8_t head = byte();
  const std::uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
  const int type = head & 15;
  for (std::uint64_t i = 0; i < count && is_whole(); ++i) {
    if (type == kTrue || type == kFalse) {
      advance(1);
    } else {
      skip_value(type, depth);
    }
  }
}

void CompactReader::skip_map(int depth) {
  const std::uint64_t count = varint();
  const std::uint8_t types = count == 0 ? std::uint8_t{0} : byte();
  for (std::uint64_t i = 0; i < count && is_whole(); ++i) {
    for (const int type : {types >> 4, types & 15}) {
      if (type == kTrue || type == kFalse) {
        advance(1);
      } else {
        skip_value(type, depth);
      }
    }
  }
}

void CompactReader::skip_struct(int depth) {
  for (;;) {
    const std::uint8_t head = byte();
    if (!is_whole() || (head & 15) == kStop) return;
    if (head >> 4 == 0) varint();
    skip_value(head & 15, depth);
  }
}

}  // namespace spillway
