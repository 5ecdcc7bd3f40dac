#include <limits>

#include "io/byte_order.hpp"
#include "io/error.hpp"
#include "io/run_reader.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(std::string_view where, const TermPiece& piece) {
  throw FormatError(std::string(where) + ": term \"" + printable(piece.term, 80) + "\": expected " +
                    std::to_string(piece.occurrence_count) + " positions in " + std::to_string(piece.positions.size()) +
                    " bytes, found others; the run is damaged: make it again from its input");
}

// Distances below 2^14, so of one or two bytes, without a branch on which: lists mix them. Stops at the first larger
// one and close to the end. Returns where; moves *to.
const std::uint8_t* decode_short(const std::uint8_t* at, const std::uint8_t* end, std::uint32_t** to,
                                 const std::uint32_t* to_end) {
  std::uint32_t* out = *to;
  while (end - at >= 8 && to_end - out >= 4) {
    auto word = load_le<std::uint64_t>(at);
    // Eight bytes of four values at most that go on: the second byte of each must end it.
    unsigned used = 0;
    bool stop = false;
    for (int i = 0; i < 4; ++i) {
      const std::uint64_t two = word >> 7 & 1;
      stop |= (two & word >> 15) != 0;
      out[i] = static_cast<std::uint32_t>((word & 0x7F) | ((word >> 1 & 0x3F80) & (0 - two)));
      const unsigned bytes = 1 + static_cast<unsigned>(two);
      word = bytes == 2 ? word >> 16 : word >> 8;
      used += bytes;
    }
    if (stop) break;
    out += 4;
    at += used;
  }
  *to = out;
  return at;
}

}  // namespace

void decode_positions(const TermPiece& piece, std::string_view where, std::vector<std::uint32_t>& distances) {
  const std::uint64_t count = piece.occurrence_count;
  if (count > piece.positions.size()) fail(where, piece);
  distances.resize(static_cast<std::size_t>(count));
  const std::uint8_t *at = piece.positions.data(), *const end = at + piece.positions.size();
  std::uint32_t *to = distances.data(), *const to_end = to + count;
  while (to != to_end) {
    at = decode_short(at, end, &to, to_end);
    // One by any bytes: a larger one, or one of the last few.
    for (int i = 0; i < 4 && to != to_end; ++i) {
      std::uint64_t distance = 0;
      if (!read_varint(&at, end, &distance) || distance > std::numeric_limits<std::uint32_t>::max()) fail(where, piece);
      *to++ = static_cast<std::uint32_t>(distance);
    }
  }
  if (at != end) fail(where, piece);
}

PositionTotals sum_positions(std::span<const std::uint32_t> distances) {
  std::uint64_t position = distances[0];
  std::uint64_t sum = position_value(distances[0]);
  std::uint32_t zeros = 0;
  for (const std::uint32_t distance : distances.subspan(1)) {
    zeros += distance == 0 ? 1u : 0u;
    position += distance;
    sum += position_value(static_cast<std::uint32_t>(position));
  }
  return {sum, position, zeros == 0 && position >> 32 == 0};
}

}  // namespace spillway
