#include "merge/run/positioned_fragment.hpp"

#include <bit>
#include <limits>

#include "io/base/byte_order.hpp"
#include "io/base/bytes.hpp"
#include "io/base/varint.hpp"
#include "merge/run/list_fragments.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

// Returns the end of `count` varints; nullptr if there are fewer.
const std::uint8_t* skip_varints(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t count) {
  while (count > 8 && end - at >= 8) {
    count -= static_cast<std::uint64_t>(std::popcount(~load_le<std::uint64_t>(at) & 0x8080808080808080ULL));
    at += 8;
  }
  for (; count != 0 && at != end; ++at) count -= *at < 0x80 ? 1 : 0;
  return count == 0 ? at : nullptr;
}

std::uint64_t take_distance(std::span<const std::uint8_t>& bytes) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t distance = 0;
  if (!read_varint(&at, end, &distance) || distance > kMost) fail_fragment();
  bytes = {at, end};
  return distance;
}

}  // namespace

PositionedFragment::PositionedFragment(const ListFragment& fragment) : tail_(fragment) { take_first(); }

void PositionedFragment::take_first() {
  const EncodedPosting first = take_posting(tail_.postings);
  const std::uint64_t document = tail_.base + first.gap;
  if (document > tail_.last_document || tail_.document_count == 0 || first.frequency > tail_.occurrence_count)
    fail_fragment();
  tail_.base = first_document_ = static_cast<std::uint32_t>(document);
  first_frequency_ = first.frequency;
  first_position_ = take_distance(tail_.positions);
}

PositionedFragment PositionedFragment::split_head(std::size_t bytes) {
  const std::size_t budget = bytes - kMaxHeadBytes;
  const std::span<const std::uint8_t> postings = tail_.postings, positions = tail_.positions;
  const std::uint8_t* const end = positions.data() + positions.size();
  const std::uint8_t* at = skip_varints(positions.data(), end, first_frequency_ - 1);
  if (at == nullptr) fail_fragment();
  if (static_cast<std::size_t>(at - positions.data()) > budget) return split_first(budget);
  PositionedFragment head = *this;
  head.tail_.document_count = 1;
  head.tail_.occurrence_count = first_frequency_;
  std::uint64_t last = first_document_;
  std::span<const std::uint8_t> rest = postings;
  while (!rest.empty()) {
    std::span<const std::uint8_t> after = rest;
    const EncodedPosting posting = take_posting(after);
    const std::uint8_t* const next = skip_varints(at, end, posting.frequency);
    if (next == nullptr) fail_fragment();
    if (postings.size() - after.size() + static_cast<std::size_t>(next - positions.data()) > budget) break;
    last += posting.gap;
    head.tail_.occurrence_count += posting.frequency;
    ++head.tail_.document_count;
    rest = after;
    at = next;
  }
  head.tail_.postings = postings.first(postings.size() - rest.size());
  head.tail_.positions = {positions.data(), at};
  drop_head(head, rest, {at, end}, last);
  return head;
}

void PositionedFragment::drop_head(PositionedFragment& head, std::span<const std::uint8_t> postings,
                                   std::span<const std::uint8_t> positions, std::uint64_t last_document) {
  if (last_document > tail_.last_document || head.tail_.document_count > tail_.document_count ||
      head.tail_.occurrence_count > tail_.occurrence_count) {
    fail_fragment();
  }
  tail_.document_count -= head.tail_.document_count;
  tail_.occurrence_count -= head.tail_.occurrence_count;
  tail_.postings = postings;
  tail_.positions = positions;
  tail_.base = head.tail_.last_document = static_cast<std::uint32_t>(last_document);
  if (postings.empty() != (tail_.document_count == 0) || positions.empty() != (tail_.occurrence_count == 0))
    fail_fragment();
  if (tail_.document_count != 0) take_first();
}

// Cuts inside the first posting, whose positions after the first take more than `budget` bytes.
PositionedFragment PositionedFragment::split_first(std::size_t budget) {
  PositionedFragment head = *this;
  std::span<const std::uint8_t> rest = tail_.positions;
  std::uint64_t count = 1, last = first_position_;
  while (true) {
    std::span<const std::uint8_t> after = rest;
    const std::uint64_t distance = take_distance(after);
    last += distance;
    if (tail_.positions.size() - after.size() > budget) {
      head.tail_.positions = tail_.positions.first(tail_.positions.size() - rest.size());
      tail_.positions = after;
      break;
    }
    rest = after;
    ++count;
  }
  if (count >= first_frequency_ || count >= tail_.occurrence_count || last > kMost) fail_fragment();
  head.first_frequency_ = head.tail_.occurrence_count = count;
  head.tail_.document_count = 1;
  head.tail_.last_document = first_document_;
  head.tail_.postings = {};
  first_frequency_ -= count;
  tail_.occurrence_count -= count;
  first_position_ = last;
  return head;
}

// The gap and its flag bit: is the frequency 1?
std::uint64_t PositionedFragment::first_word(std::uint32_t previous) const {
  return std::uint64_t{first_document_ - previous} << 1 | (first_frequency_ == 1 ? 1 : 0);
}

std::size_t PositionedFragment::posting_bytes(std::uint32_t previous) const {
  return varint_bytes(first_word(previous)) + (first_frequency_ == 1 ? 0 : varint_bytes(first_frequency_)) +
         tail_.postings.size();
}

std::size_t PositionedFragment::position_bytes() const {
  return varint_bytes(first_position_) + tail_.positions.size();
}

std::uint8_t* PositionedFragment::write_postings(std::uint8_t* to, std::uint32_t previous) const {
  to = write_varint(to, first_word(previous));
  if (first_frequency_ != 1) to = write_varint(to, first_frequency_);
  return copy_bytes(tail_.postings, to);
}

std::uint8_t* PositionedFragment::write_positions(std::uint8_t* to) const {
  return copy_bytes(tail_.positions, write_varint(to, first_position_));
}

}  // namespace spillway
