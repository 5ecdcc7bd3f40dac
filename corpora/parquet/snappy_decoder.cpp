#include "corpora/parquet/snappy_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "io/base/byte_order.hpp"

namespace spillway {

namespace {

// The low two bits of a tag.
constexpr unsigned kLiteral = 0, kCopyOf1Byte = 1, kCopyOf4Bytes = 3;  // bytes of the offset
constexpr std::size_t kWord = 8;
constexpr std::size_t kLongLiteral = 60;  // lengths from here on follow the tag
constexpr std::size_t kChunk = 16;        // bytes that are copied at once
constexpr unsigned kMostLengthBits = 32;

// A tag tells take_short() this.
struct Tag {
  std::uint32_t offset_mask = 0;  // of the bytes after the tag
  std::uint16_t offset = 0;       // that the tag has itself. Of a literal: kChunk, with which it passes for a copy
  std::uint8_t length = 0;
};

constexpr std::size_t length_of_copy(unsigned tag) {
  return (tag & 3) == kCopyOf1Byte ? (tag >> 2 & 7) + 4 : (tag >> 2) + 1;
}

// Long literals and copies with offsets of 4 bytes have the offset 0, which is none.
constexpr std::array<Tag, 256> make_tags() {
  std::array<Tag, 256> tags{};
  for (unsigned tag = 0; tag < tags.size(); ++tag) {
    const unsigned kind = tag & 3, high = tag >> 2;
    if (kind == kCopyOf4Bytes || (kind == kLiteral && high >= kLongLiteral)) continue;
    const unsigned offset = kind == kLiteral ? kChunk : kind == kCopyOf1Byte ? tag >> 5 << 8 : 0;
    tags[tag] = {.offset_mask = static_cast<std::uint32_t>((std::uint64_t{1} << 8 * kind) - 1),
                 .offset = static_cast<std::uint16_t>(offset),
                 .length = static_cast<std::uint8_t>(kind == kLiteral ? high + 1 : length_of_copy(tag))};
  }
  return tags;
}
constexpr std::array<Tag, 256> kTags = make_tags();

// `bytes`: at most 4, which are there.
std::uint32_t load_number(const std::uint8_t* from, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::uint32_t{from[i]} << 8 * i;
  return value;
}

void copy_chunks(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  std::memcpy(to, from, kChunk);
  std::memcpy(to + kChunk, from + kChunk, kChunk);
  if (bytes <= 2 * kChunk) return;
  std::memcpy(to + 2 * kChunk, from + 2 * kChunk, kChunk);
  std::memcpy(to + 3 * kChunk, from + 3 * kChunk, kChunk);
}

// Repeats the `offset` bytes before `to`, 1 to kChunk - 1, until there are `bytes`. Writes up to kWord - 1 bytes more.
void repeat(std::uint8_t* to, std::size_t offset, std::size_t bytes) {
  if (offset >= kWord) {
    for (std::size_t i = 0; i < bytes; i += kWord) std::memcpy(to + i, to + i - offset, kWord);
    return;
  }
  std::uint64_t word = load_le<std::uint64_t>(to - offset) & ((std::uint64_t{1} << 8 * offset) - 1);
  for (std::size_t there = offset; there < kWord; there *= 2) word |= word << 8 * there;
  const std::size_t step = kWord / offset * offset;
  for (std::size_t i = 0; i < bytes; i += step) store_le(to + i, word);
}

}  // namespace

SnappyDecoder::SnappyDecoder(std::span<const std::uint8_t> stored) : rest_(stored) {
  std::uint64_t bytes = 0;
  for (unsigned shift = 0; shift < kMostLengthBits && !rest_.empty(); shift += 7) {
    const std::uint8_t byte = rest_.front();
    rest_ = rest_.subspan(1);
    bytes |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      raw_bytes_ = static_cast<std::size_t>(bytes);
      if (bytes >> kMostLengthBits != 0) state_ = State::kDamaged;
      return;
    }
  }
  if (!stored.empty()) state_ = State::kDamaged;
}

bool SnappyDecoder::is_done() const {
  return state_ == State::kUsual && rest_.empty() && literal_left_ == 0 && made_ == raw_bytes_;
}

bool SnappyDecoder::stop(State state) {
  state_ = state;
  return false;
}

std::size_t SnappyDecoder::unpack(std::uint8_t* memory, std::size_t at, std::size_t end) {
  end = at + std::min(end - at, raw_bytes_ - made_);
  std::uint8_t* to = memory + at;
  for (bool goes_on = state_ == State::kUsual; goes_on;) {
    std::uint8_t* const before = to;
    if (literal_left_ == 0) to = take_short(memory, to, memory + end);
    goes_on = take_one(memory, to, memory + end);
    made_ += static_cast<std::size_t>(to - before);
  }
  return static_cast<std::size_t>(to - memory);
}

// Takes literals and copies of at most 64 bytes while none needs a closer look, and returns the end of what it wrote.
// Reads and writes up to 64 bytes for each of them, so it ends that far before both ends.
std::uint8_t* SnappyDecoder::take_short(const std::uint8_t* memory, std::uint8_t* to, const std::uint8_t* end) {
  constexpr std::size_t kMargin = kMostCopy + kChunk;
  if (rest_.size() < kMargin || end - to < static_cast<std::ptrdiff_t>(kMargin)) return to;
  if (to - memory < static_cast<std::ptrdiff_t>(kChunk)) return to;  // a literal passes for a copy
  const std::uint8_t* from = rest_.data();
  const std::uint8_t *const last_from = from + (rest_.size() - kMargin), *const last_to = end - kMargin;
  while (from <= last_from && to <= last_to) {
    const unsigned tag = *from;
    const Tag& of = kTags[tag];
    const std::size_t offset = (load_le<std::uint32_t>(from + 1) & of.offset_mask) + of.offset;
    const auto there = static_cast<std::size_t>(to - memory);
    if (offset - kChunk <= there - kChunk) [[likely]] {
      // Not `if`: the processor would guess wrongly where literals are, a fifth of the tags.
      const std::uint64_t literal = std::uint64_t{0} - static_cast<std::uint64_t>((tag & 3) == kLiteral);
      const auto copied = reinterpret_cast<std::uintptr_t>(to - offset);
      const auto stored = reinterpret_cast<std::uintptr_t>(from + 1);
      const std::uintptr_t source = copied ^ ((copied ^ stored) & literal);
      copy_chunks(to, reinterpret_cast<const std::uint8_t*>(source), of.length);
      from += (tag & 3) + 1 + (literal & ((tag >> 2) + 1));  // not by the table, for which the next tag would wait
    } else {
      if (offset == 0 || offset > there) break;
      repeat(to, offset, of.length);
      from += (tag & 3) + 1;
    }
    to += of.length;
  }
  rest_ = rest_.subspan(static_cast<std::size_t>(from - rest_.data()));
  return to;
}

// Returns false at the end, where no room is left, and where the state changes.
bool SnappyDecoder::take_one(const std::uint8_t* memory, std::uint8_t*& to, const std::uint8_t* end) {
  if (literal_left_ == 0) {
    if (rest_.empty()) return false;
    if ((rest_.front() & 3) != kLiteral) return take_copy(memory, to, end);
    if (!begin_literal()) return false;
  }
  const auto bytes =
      static_cast<std::size_t>(std::min<std::uint64_t>(literal_left_, static_cast<std::size_t>(end - to)));
  if (bytes > rest_.size()) return stop(State::kDamaged);
  if (bytes != 0) std::memcpy(to, rest_.data(), bytes);
  to += bytes;
  rest_ = rest_.subspan(bytes);
  literal_left_ -= bytes;
  return literal_left_ == 0;
}

bool SnappyDecoder::begin_literal() {
  const std::size_t high = rest_.front() >> 2;
  const std::size_t bytes = high < kLongLiteral ? 0 : high - kLongLiteral + 1;  // of its length
  if (bytes >= rest_.size()) return stop(State::kDamaged);
  literal_left_ = (bytes == 0 ? std::uint64_t{high} : load_number(rest_.data() + 1, bytes)) + 1;
  rest_ = rest_.subspan(1 + bytes);
  return true;
}

bool SnappyDecoder::take_copy(const std::uint8_t* memory, std::uint8_t*& to, const std::uint8_t* end) {
  const unsigned tag = rest_.front(), kind = tag & 3;
  const std::size_t offset_bytes = kind == kCopyOf4Bytes ? 4 : kind, length = length_of_copy(tag);
  if (offset_bytes >= rest_.size()) return stop(State::kDamaged);
  const std::size_t high = kind == kCopyOf1Byte ? tag >> 5 << 8 : 0;
  const std::size_t offset = high + load_number(rest_.data() + 1, offset_bytes);
  const auto there = static_cast<std::size_t>(to - memory);
  if (offset == 0) return stop(State::kDamaged);
  if (offset > there) return stop(State::kTooFar);
  if (length > static_cast<std::size_t>(end - to)) return false;
  for (std::size_t i = 0; i < length; ++i) to[i] = *(to + i - offset);
  to += length;
  rest_ = rest_.subspan(1 + offset_bytes);
  return true;
}

}  // namespace spillway
