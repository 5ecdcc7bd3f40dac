#include "io/distance_coding.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "io/bit_packing.hpp"
#include "io/byte_order.hpp"

namespace spillway {

namespace {

constexpr std::size_t kHeadBytes = kDistanceHeadBytes;  // u8 width, u8 bytes of the unary part
constexpr std::size_t kLeastUnaryBytes = kDistanceBlock / 8, kMostUnaryBytes = 48;
constexpr unsigned kMaxWidth = 31;

static_assert(kDistanceBlock == kPackedBlock);
static_assert(kMaxDistanceBlockBytes == kHeadBytes + packed_bytes(kMaxWidth) + kMostUnaryBytes);

// Bits that the unary part loses where the width grows by one, which costs a bit for each value.
template <typename Sum>
Sum gain(const std::uint32_t* values, unsigned width) {
  Sum sum = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) sum += (static_cast<Sum>(values[i] >> width) + 1) >> 1;
  return sum;
}

// The cost is convex in the width: the gain never grows with it. At the width found, the high parts sum to at most 256.
template <typename Sum>
unsigned find_width(const std::uint32_t* values, unsigned guess) {
  unsigned width = guess;
  while (width != 0 && gain<Sum>(values, width - 1) <= kDistanceBlock) --width;
  while (gain<Sum>(values, width) > kDistanceBlock) ++width;
  return width;
}

unsigned choose_width(const std::uint32_t* values) {
  std::uint64_t sum = 0;
  std::uint32_t any = 0;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) {
    sum += values[i];
    any |= values[i];
  }
  const auto mean_bits = static_cast<unsigned>(std::bit_width(sum / kDistanceBlock));
  const unsigned guess = mean_bits == 0 ? 0 : mean_bits - 1;
  // 128 values below 2^24 cannot overflow 32 bits, which twice as many lanes can add.
  return any >> 24 == 0 ? find_width<std::uint32_t>(values, guess) : find_width<std::uint64_t>(values, guess);
}

}  // namespace

std::size_t pack_distances(const std::uint32_t* values, std::uint8_t* to) {
  const unsigned width = choose_width(values);
  alignas(16) std::uint32_t low[kDistanceBlock];
  const std::uint32_t mask = (std::uint32_t{1} << width) - 1;
  for (std::size_t i = 0; i < kDistanceBlock; ++i) low[i] = values[i] & mask;
  pack_block(low, width, to + kHeadBytes);

  std::uint64_t words[kMostUnaryBytes / 8] = {};
  std::size_t bit = ~std::size_t{0};
  for (std::size_t i = 0; i < kDistanceBlock; ++i) {
    bit += (values[i] >> width) + 1;
    words[bit / 64] |= std::uint64_t{1} << bit % 64;
  }
  const std::size_t unary_bytes = bit / 8 + 1;
  std::uint8_t* const unary = to + kHeadBytes + packed_bytes(width);
  std::memcpy(unary, words, unary_bytes);
  to[0] = static_cast<std::uint8_t>(width);
  to[1] = static_cast<std::uint8_t>(unary_bytes);
  return kHeadBytes + packed_bytes(width) + unary_bytes;
}

std::size_t distance_block_bytes(const std::uint8_t* head) {
  if (head[0] > kMaxWidth || head[1] < kLeastUnaryBytes || head[1] > kMostUnaryBytes) return 0;
  return kHeadBytes + packed_bytes(head[0]) + head[1];
}

bool unpack_distances(const std::uint8_t* from, std::uint32_t* values) {
  if (distance_block_bytes(from) == 0) return false;
  const unsigned width = from[0];
  const std::size_t unary_bytes = from[1];
  unpack_block(from + kHeadBytes, width, values);
  std::uint64_t words[kMostUnaryBytes / 8] = {};
  std::memcpy(words, from + kHeadBytes + packed_bytes(width), unary_bytes);

  std::size_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::size_t>(std::popcount(word));
  if (count != kDistanceBlock || from[kHeadBytes + packed_bytes(width) + unary_bytes - 1] == 0) return false;
  std::uint64_t next = 0, above = 0;  // the bit behind the value before; bits that a value has above its 32
  for (std::size_t w = 0, i = 0; i < kDistanceBlock; ++w) {
    for (std::uint64_t word = words[w]; word != 0; word &= word - 1, ++i) {
      const std::uint64_t bit = w * 64 + static_cast<std::uint64_t>(std::countr_zero(word));
      const std::uint64_t high = (bit - next) << width;
      above |= high >> 32;
      values[i] |= static_cast<std::uint32_t>(high);
      next = bit + 1;
    }
  }
  return above == 0;
}

}  // namespace spillway
