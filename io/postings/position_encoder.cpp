#include "io/postings/position_encoder.hpp"

#include <algorithm>

#include "io/base/byte_order.hpp"
#include "io/base/varint.hpp"
#include "io/format/index.hpp"

namespace spillway {

void PositionEncoder::begin() {
  count_ = block_count_ = bytes_ = posting_count_ = occurrence_count_ = 0;
  places_.clear();
  placed_ = 0;
}

void PositionEncoder::add_postings(std::span<const std::uint32_t> frequencies) {
  while (!frequencies.empty()) {
    const std::size_t taken = std::min(kPostingsBlock - posting_count_ % kPostingsBlock, frequencies.size());
    for (const std::uint32_t frequency : frequencies.first(taken)) occurrence_count_ += frequency;
    frequencies = frequencies.subspan(taken);
    posting_count_ += taken;
    if (posting_count_ % kPostingsBlock == 0) places_.push_back(occurrence_count_);
  }
  place_blocks();
}

// The place of an occurrence is known as soon as all blocks before its own are encoded.
void PositionEncoder::place_blocks() {
  for (; placed_ < places_.size() && places_[placed_] / kDistanceBlock == block_count_; ++placed_) {
    places_[placed_] = PositionPlace{bytes_, static_cast<std::uint32_t>(places_[placed_] % kDistanceBlock)}.pack();
  }
}

void PositionEncoder::encode_block(const std::uint32_t* distances, ByteVector& to) {
  std::array<std::uint8_t, kMaxDistanceBlockBytes> block;
  const std::size_t bytes = pack_distances(distances, block.data());
  to.insert(to.end(), block.data(), block.data() + bytes);
  bytes_ += bytes;
  ++block_count_;
  place_blocks();
}

void PositionEncoder::add(std::span<const std::uint32_t> distances, ByteVector& to) {
  const std::size_t pending = count_ % kDistanceBlock;
  count_ += distances.size();
  if (pending != 0) {
    const std::size_t taken = std::min(kDistanceBlock - pending, distances.size());
    std::copy_n(distances.begin(), taken, pending_.begin() + static_cast<std::ptrdiff_t>(pending));
    distances = distances.subspan(taken);
    if (pending + taken < kDistanceBlock) return;
    encode_block(pending_.data(), to);
  }
  for (; distances.size() >= kDistanceBlock; distances = distances.subspan(kDistanceBlock)) {
    encode_block(distances.data(), to);
  }
  std::copy(distances.begin(), distances.end(), pending_.begin());
}

void PositionEncoder::end(std::uint64_t document_count, ByteVector& to) {
  std::array<std::uint8_t, kDistanceBlock * 5> tail;
  std::uint8_t* end = tail.data();
  for (std::size_t i = 0; i < count_ % kDistanceBlock; ++i) end = write_varint(end, pending_[i]);
  to.insert(to.end(), tail.data(), end);
  if (document_count <= kPostingsBlock) return;
  if (document_count % kPostingsBlock == 0) places_.pop_back();  // no occurrences follow the last block
  places_.push_back(bytes_);
  const std::size_t before = to.size();
  to.resize(before + places_.size() * kPositionPlaceBytes);
  std::uint8_t* place = to.data() + before;
  for (const std::uint64_t packed : places_) {
    store_le(place, packed);
    place += kPositionPlaceBytes;
  }
}

}  // namespace spillway
