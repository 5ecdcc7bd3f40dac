// The checksum that travels with the data: two lanes of S = sum tf * h_lane(term) * r^doc mod 2^61-1. The parser takes
// it per occurrence; it is derived again from the postings of runs, of the merged index, and in `verify`. Folding
// occurrences into postings leaves it unchanged. Joining A (N_A documents) and B gives S_A + r^(N_A) * S_B. Positions
// have a third sum, in which each occurrence counts with a value of its position.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/checksum/document_powers.hpp"

namespace spillway {

// A fixed key, part of the format (digits of e).
inline constexpr std::uint64_t kTermSeed = 0xB7E151628AED2A6BULL;

using TermHash = std::array<std::uint64_t, 2>;  // h_lane(term), below 2^61-1

// XXH3-128 of the analyzed term with kTermSeed; each half is reduced.
TermHash hash_term(std::string_view term);

// The value of a position in the sum of positions: scattered, so that moving two positions in opposite directions
// changes the sum.
constexpr std::uint32_t position_value(std::uint32_t position) {
  const std::uint32_t value = (position + 1) * 0x9E3779B1U;
  return (value ^ value >> 15) * 0x85EBCA77U;
}

struct ContentChecksum {
  std::array<std::uint64_t, 2> lanes{0, 0};
  std::uint64_t positions = 0;  // 0 where none are kept

  // Adds one term, where `weight` is the sum of tf * r^doc over its documents.
  void add(const TermHash& term, std::uint64_t weight) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane)
      lanes[lane] = field61::add(lanes[lane], field61::multiply(term[lane], weight));
  }
  // Adds a checksum whose document 0 is document `base` here.
  void join(const ContentChecksum& other, std::uint64_t base) {
    const std::uint64_t power = document_power(base);
    add(other.lanes, power);
    positions = field61::add(positions, field61::multiply(other.positions, power));
  }
  // Adds the positions of one term, where `weight` is the sum of (sum of position values) * r^doc over its documents.
  void add_positions(const TermHash& term, std::uint64_t weight) {
    positions = field61::add(positions, field61::multiply(term[1], weight));
  }
  bool operator==(const ContentChecksum&) const = default;
};

// Sums tf * r^doc over the ascending documents of one term. Neighbouring documents share the high part of r^doc, so a
// document costs one multiplication and one table lookup.
class DocumentWeight {
 public:
  void add(std::uint64_t document, std::uint64_t frequency) { add_share(document, frequency, 1); }
  // Adds postings in ascending order, multiplying shared parts once.
  void add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  // As add(), for any 64-bit value instead of a frequency.
  void add_wide(std::uint64_t document, std::uint64_t value) {
    if (value >> (32 + kWideBits) == 0) {
      add_share(document, value, 1U << kWideBits);
      return;
    }
    fold();
    add_share(document, value, 1);
    fold();
  }
  std::uint64_t take() {
    fold();
    const std::uint64_t result = static_cast<std::uint64_t>(sum_);
    sum_ = 0;
    return result;
  }

 private:
  static constexpr unsigned kLowBits = DocumentPowers::kLowBits;
  // 2^61 * 2^32 * (2^30 + 2^kWideBits) is below 2^128.
  static constexpr std::uint32_t kMaxPending = std::uint32_t{1} << 30;
  static constexpr unsigned kWideBits = 14;
  // Requires: value < 2^32 * pending.
  void add_share(std::uint64_t document, std::uint64_t value, std::uint32_t pending) {
    const std::uint64_t high = document >> kLowBits;
    if (high != high_) move_to(high);
    const auto low = low_powers_[document & ((1u << kLowBits) - 1)];
    sum_ += static_cast<unsigned __int128>(field61::multiply(high_power_, low)) * value;
    if ((pending_ += pending) >= kMaxPending) fold();
  }
  void add_residue(std::uint64_t value) {
    sum_ += value;
    if (++pending_ >= kMaxPending) fold();
  }
  void add_in_turn(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  void add_in_lanes(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies);
  void move_to(std::uint64_t high);
  void fold() {
    sum_ = field61::reduce(sum_);
    pending_ = 0;
  }
  static const std::uint64_t* low_table();
  const std::uint64_t* low_powers_ = low_table();
  std::uint64_t high_ = 0;
  std::uint64_t high_power_ = 1;
  unsigned __int128 sum_ = 0;
  std::uint32_t pending_ = 0;
};

}  // namespace spillway
