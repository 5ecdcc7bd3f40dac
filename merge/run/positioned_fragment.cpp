#include "merge/run/positioned_fragment.hpp"

#include <bit>
#include <limits>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail() {
  throw FormatError(
      "a postings list does not hold what its head says; the run or the memory of this machine is corrupt");
}

constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();

// Behind `count` varints; nullptr where there are fewer.
const std::uint8_t* skip_varints(const std::uint8_t* at, const std::uint8_t* end, std::uint64_t count) {
  while (count > 8 && end - at >= 8) {
    count -= static_cast<std::uint64_t>(std::popcount(~load_le<std::uint64_t>(at) & 0x8080808080808080ULL));
    at += 8;
  }
  for (; count != 0 && at != end; ++at) count -= *at < 0x80 ? 1 : 0;
  return count == 0 ? at : nullptr;
}

struct Posting {
  std::uint64_t gap = 0, frequency = 1;
};

// Takes the next posting off `bytes`.
Posting take_posting(std::span<const std::uint8_t>& bytes) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  Posting posting;
  std::uint64_t head = 0;
  if (!read_varint(&at, end, &head)) fail();
  posting.gap = head >> 1;
  if ((head & 1) == 0 && !read_varint(&at, end, &posting.frequency)) fail();
  if (posting.gap > kMost || posting.frequency == 0 || posting.frequency > kMost) fail();
  bytes = {at, end};
  return posting;
}

std::uint64_t take_distance(std::span<const std::uint8_t>& bytes) {
  const std::uint8_t* at = bytes.data();
  const std::uint8_t* const end = at + bytes.size();
  std::uint64_t distance = 0;
  if (!read_varint(&at, end, &distance) || distance > kMost) fail();
  bytes = {at, end};
  return distance;
}

}  // namespace

PositionedFragment::PositionedFragment(const ListFragment& part) : part_(part) { take_first(); }

void PositionedFragment::take_first() {
  const Posting first = take_posting(part_.postings);
  const std::uint64_t document = part_.base + first.gap;
  if (document > part_.last_document || part_.document_count == 0 || first.frequency > part_.occurrence_count) fail();
  part_.base = first_document_ = static_cast<std::uint32_t>(document);
  first_frequency_ = first.frequency;
  first_position_ = take_distance(part_.positions);
}

PositionedFragment PositionedFragment::split_head(std::size_t bytes) {
  const std::size_t budget = bytes - kMaxHeadBytes;
  const std::span<const std::uint8_t> postings = part_.postings, positions = part_.positions;
  const std::uint8_t* const end = positions.data() + positions.size();
  const std::uint8_t* at = skip_varints(positions.data(), end, first_frequency_ - 1);
  if (at == nullptr) fail();
  if (static_cast<std::size_t>(at - positions.data()) > budget) return split_first(budget);
  PositionedFragment head = *this;
  head.part_.document_count = 1;
  head.part_.occurrence_count = first_frequency_;
  std::uint64_t last = first_document_;
  std::span<const std::uint8_t> rest = postings;
  while (!rest.empty()) {
    std::span<const std::uint8_t> behind = rest;
    const Posting posting = take_posting(behind);
    const std::uint8_t* const next = skip_varints(at, end, posting.frequency);
    if (next == nullptr) fail();
    if (postings.size() - behind.size() + static_cast<std::size_t>(next - positions.data()) > budget) break;
    last += posting.gap;
    head.part_.occurrence_count += posting.frequency;
    ++head.part_.document_count;
    rest = behind;
    at = next;
  }
  head.part_.postings = postings.first(postings.size() - rest.size());
  head.part_.positions = {positions.data(), at};
  drop_head(head, rest, {at, end}, last);
  return head;
}

void PositionedFragment::drop_head(PositionedFragment& head, std::span<const std::uint8_t> postings,
                                   std::span<const std::uint8_t> positions, std::uint64_t last_document) {
  if (last_document > part_.last_document || head.part_.document_count > part_.document_count ||
      head.part_.occurrence_count > part_.occurrence_count) {
    fail();
  }
  part_.document_count -= head.part_.document_count;
  part_.occurrence_count -= head.part_.occurrence_count;
  part_.postings = postings;
  part_.positions = positions;
  part_.base = head.part_.last_document = static_cast<std::uint32_t>(last_document);
  if (postings.empty() != (part_.document_count == 0) || positions.empty() != (part_.occurrence_count == 0)) fail();
  if (part_.document_count != 0) take_first();
}

// Inside the first posting, whose positions behind the first take more than `budget` bytes.
PositionedFragment PositionedFragment::split_first(std::size_t budget) {
  PositionedFragment head = *this;
  std::span<const std::uint8_t> rest = part_.positions;
  std::uint64_t count = 1, last = first_position_;
  while (true) {
    std::span<const std::uint8_t> behind = rest;
    const std::uint64_t distance = take_distance(behind);
    last += distance;
    if (part_.positions.size() - behind.size() > budget) {
      head.part_.positions = part_.positions.first(part_.positions.size() - rest.size());
      part_.positions = behind;
      break;
    }
    rest = behind;
    ++count;
  }
  if (count >= first_frequency_ || count >= part_.occurrence_count || last > kMost) fail();
  head.first_frequency_ = head.part_.occurrence_count = count;
  head.part_.document_count = 1;
  head.part_.last_document = first_document_;
  head.part_.postings = {};
  first_frequency_ -= count;
  part_.occurrence_count -= count;
  first_position_ = last;
  return head;
}

std::uint8_t* PositionedFragment::write_first_posting(std::uint8_t* to, std::uint32_t previous) const {
  to = write_varint(to, std::uint64_t{first_document_ - previous} << 1 | (first_frequency_ == 1 ? 1 : 0));
  return first_frequency_ == 1 ? to : write_varint(to, first_frequency_);
}

std::uint8_t* PositionedFragment::write_first_distance(std::uint8_t* to) const {
  return write_varint(to, first_position_);
}

}  // namespace spillway
