#include "io/index/position_cursor.hpp"

#include <algorithm>
#include <string>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"
#include "io/base/varint.hpp"
#include "io/index/state.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

}  // namespace

PositionCursor::PositionCursor(const IndexReader& index, const TermEntry& entry)
    : lists_(index.state().positions(entry.part)),
      list_offset_(entry.position_offset),
      block_count_((entry.document_count + kPostingsBlock - 1) / kPostingsBlock),
      table_offset_(entry.position_bytes),
      tail_offset_(kUnknown),
      full_blocks_(entry.occurrence_count / kDistanceBlock) {
  if (!index.options().positions) {
    throw UsageError(printable(index.directory(), 4096) + " has no positions; make it again with --positions");
  }
  if (block_count_ <= 1) return;
  const std::uint64_t table_bytes = block_count_ * kPositionPlaceBytes;
  if (table_bytes > entry.position_bytes) fail(0, "a table of " + std::to_string(table_bytes) + " bytes", "fewer");
  table_offset_ -= table_bytes;
  tail_offset_ = load_le<std::uint64_t>(bytes(entry.position_bytes - kPositionPlaceBytes, kPositionPlaceBytes));
  if (tail_offset_ > table_offset_) {
    fail(entry.position_bytes - kPositionPlaceBytes, "the offset of a tail before the table",
         std::to_string(tail_offset_));
  }
}

const std::uint8_t* PositionCursor::bytes(std::uint64_t offset, std::uint64_t count) const {
  return lists_.at(list_offset_ + offset, count);
}

void PositionCursor::fail(std::uint64_t offset, std::string_view expected, std::string_view found) const {
  lists_.fail(list_offset_ + offset, expected, found);
}

PositionPlace PositionCursor::place_of(std::uint64_t block) const {
  if (block == 0) return {};
  if (block >= block_count_) fail(table_offset_, "a block of postings of the list", std::to_string(block));
  const std::uint64_t entry = table_offset_ + (block - 1) * kPositionPlaceBytes;
  return PositionPlace::unpack(load_le<std::uint64_t>(bytes(entry, kPositionPlaceBytes)));
}

PositionPlace PositionCursor::place() const {
  if (!is_loaded_) return {};
  if (at_ == kDistanceBlock) return {next_offset_, 0};
  return {offset_, static_cast<std::uint32_t>(at_)};
}

bool PositionCursor::at_end() const { return is_loaded_ && at_ == count_ && next_offset_ == table_offset_; }

// Reads only the head of a full block: blocks that are skipped are never decoded.
void PositionCursor::load(std::uint64_t offset) {
  is_loaded_ = true;
  offset_ = offset;
  at_ = 0;
  if (block_count_ <= 1 && number_ == full_blocks_) tail_offset_ = offset;
  if (offset >= tail_offset_) {
    load_tail();
    return;
  }
  const std::uint64_t end = std::min(tail_offset_, table_offset_);
  const std::uint64_t left = end - std::min(end, offset);
  const std::size_t block_bytes =
      left < kDistanceHeadBytes ? 0 : distance_block_bytes(bytes(offset, kDistanceHeadBytes));
  if (block_bytes == 0 || block_bytes > left) fail(offset, "a block of distances inside the list", "other values");
  next_offset_ = offset + block_bytes;
  count_ = kDistanceBlock;
  is_decoded_ = false;
}

void PositionCursor::load_tail() {
  const std::uint64_t left = table_offset_ - std::min(table_offset_, offset_);
  const std::uint8_t *at = bytes(offset_, left), *end = at + left;
  count_ = 0;
  while (at != end) {
    std::uint64_t distance = 0;
    if (count_ == kDistanceBlock - 1 || !read_varint(&at, end, &distance) || distance >> 32 != 0) {
      fail(offset_, "a tail of at most 127 distances below 2^32", "other values");
    }
    distances_[count_++] = static_cast<std::uint32_t>(distance);
  }
  next_offset_ = table_offset_;
  is_decoded_ = true;
}

void PositionCursor::seek(std::uint64_t block, std::span<const std::uint32_t> frequencies, std::size_t i) {
  std::uint64_t before = 0;
  for (const std::uint32_t frequency : frequencies.first(i)) before += frequency;
  if (!is_loaded_ || block != block_ || before < passed_) {
    const PositionPlace start = place_of(block);
    if (!is_loaded_ || start.offset != offset_) {
      number_ = 0;
      load(start.offset);
    }
    at_ = start.index;
    if (at_ > count_) fail(start.offset, "a distance where a block of postings begins", "the end of the list");
    passed_ = 0;
    block_ = block;
  }
  skip(before - passed_);
  left_ = frequencies[i];
  last_ = 0;
  is_first_ = true;
}

void PositionCursor::skip(std::uint64_t count) {
  passed_ += count;
  while (count > count_ - at_) {
    if (count_ < kDistanceBlock) fail(offset_, "positions of all postings", "the end of the list");
    count -= count_ - at_;
    ++number_;
    load(next_offset_);
  }
  at_ += count;
}

std::span<const std::uint32_t> PositionCursor::next() {
  if (left_ == 0) return {};
  if (at_ == kDistanceBlock) {
    ++number_;
    load(next_offset_);
  }
  if (at_ == count_) fail(offset_, "positions of all postings", "the end of the list");
  if (!is_decoded_) {
    if (!unpack_distances(bytes(offset_, next_offset_ - offset_), distances_)) {
      fail(offset_, "128 distances below 2^32", "other values");
    }
    is_decoded_ = true;
  }
  const std::size_t taken = std::min<std::uint64_t>(left_, count_ - at_);
  const std::uint32_t* const distances = distances_ + at_;
  std::uint64_t last = last_;
  std::uint32_t zeros = 0;
  for (std::size_t i = 0; i < taken; ++i) {
    zeros += distances[i] == 0 ? 1u : 0u;
    last += distances[i];
    positions_[i] = static_cast<std::uint32_t>(last);
  }
  if (is_first_ && distances[0] == 0) --zeros;
  if (zeros != 0 || last >> 32 != 0) fail(offset_, "ascending positions below 2^32", "other values");
  lists_.check_whole();
  is_first_ = false;
  last_ = last;
  at_ += taken;
  passed_ += taken;
  left_ -= taken;
  return {positions_, taken};
}

}  // namespace spillway
