// Comparisons of keys by a bit range for the GPU merge sorts, on the device and on the host.
#pragma once

#include <cstdint>

#include "sort/gpu/device/host_device.hpp"
#include "sort/interface/scratch.hpp"

namespace spillway {

// Compares all 64 bits, so that equal keys are identical.
struct WholeKeyLess {
  static constexpr bool kEqualKeysDiffer = false;
  SPILLWAY_HOST_DEVICE bool operator()(std::uint64_t a, std::uint64_t b) const { return a < b; }
};

// Compares the bits of the mask only. For a mask of adjacent bits this is the order of the field's values.
struct MaskedKeyLess {
  static constexpr bool kEqualKeysDiffer = true;
  std::uint64_t mask;
  SPILLWAY_HOST_DEVICE bool operator()(std::uint64_t a, std::uint64_t b) const { return (a & mask) < (b & mask); }
};

// The same for a mask within the lower word, which takes half of the instructions.
struct LowWordKeyLess {
  static constexpr bool kEqualKeysDiffer = true;
  std::uint32_t mask;
  SPILLWAY_HOST_DEVICE bool operator()(std::uint64_t a, std::uint64_t b) const {
    return (static_cast<std::uint32_t>(a) & mask) < (static_cast<std::uint32_t>(b) & mask);
  }
};

inline bool is_whole_key(BitRange bits) { return bits.begin == 0 && bits.end == 64; }

// Returns whether a stable sort has nothing to do.
inline bool is_sorted_already(std::size_t count, BitRange bits) { return count < 2 || bits.begin >= bits.end; }

// Calls sort(less) with the cheapest comparison for the range.
template <typename Sort>
void with_key_order(BitRange bits, Sort sort) {
  if (is_whole_key(bits)) {
    sort(WholeKeyLess{});
  } else if (bits.end <= 32) {
    sort(LowWordKeyLess{static_cast<std::uint32_t>(bit_mask(bits))});
  } else {
    sort(MaskedKeyLess{bit_mask(bits)});
  }
}

}  // namespace spillway
