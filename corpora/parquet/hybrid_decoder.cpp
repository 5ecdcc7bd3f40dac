#include "corpora/parquet/hybrid_decoder.hpp"

#include <algorithm>
#include <cstring>

#include "io/base/varint.hpp"

namespace spillway {

HybridDecoder::HybridDecoder(std::span<const std::uint8_t> bytes, unsigned width)
    : at_(bytes.data()), end_(at_ + bytes.size()), width_(width) {}

bool HybridDecoder::begin_run() {
  std::uint64_t head = 0;
  if (!read_varint(&at_, end_, &head)) return false;
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  is_packed_ = (head & 1) != 0;
  if (is_packed_) {
    const std::uint64_t groups = head >> 1;  // of 8 values, so of `width_` bytes
    if (width_ != 0 && groups > left / width_) return false;
    packed_ = at_;
    bit_ = 0;
    at_ += groups * width_;
    left_ = 8 * groups;
    return groups <= UINT32_MAX;
  }
  const std::size_t bytes = (width_ + 7) / 8;
  if (bytes > left) return false;
  value_ = 0;
  std::memcpy(&value_, at_, bytes);
  at_ += bytes;
  left_ = head >> 1;
  return true;
}

void HybridDecoder::unpack(std::span<std::uint32_t> out) {
  const std::uint64_t mask = (std::uint64_t{1} << width_) - 1;
  for (std::uint32_t& value : out) {
    const std::uint8_t* const from = packed_ + bit_ / 8;
    std::uint64_t bits = 0;  // at most 7 + 32 of them are needed
    std::memcpy(&bits, from, static_cast<std::size_t>(std::min<std::ptrdiff_t>(8, end_ - from)));
    value = static_cast<std::uint32_t>(bits >> bit_ % 8 & mask);
    bit_ += width_;
  }
}

bool HybridDecoder::read(std::span<std::uint32_t> out) {
  while (!out.empty()) {
    if (left_ == 0 && (at_ == end_ || !begin_run())) return false;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, out.size()));
    if (is_packed_ && width_ != 0) {
      unpack(out.first(count));
    } else {
      std::fill_n(out.begin(), count, is_packed_ ? 0 : value_);
    }
    left_ -= count;
    out = out.subspan(count);
  }
  return true;
}

}  // namespace spillway
