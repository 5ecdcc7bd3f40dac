// Shared by all sorters: the mask of a BitRange, and aligned arrays in scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "sort/interface/record_sorter.hpp"

namespace spillway {

// The mask of the bits [begin, end); 0 if begin >= end. Requires: both are at most 64.
inline std::uint64_t bit_mask(BitRange bits) {
  if (bits.begin >= bits.end) return 0;
  const std::uint64_t below_end = bits.end == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits.end) - 1;
  return below_end & (~std::uint64_t{0} << bits.begin);
}

inline constexpr std::size_t kScratchAlignment = 64;

inline constexpr std::size_t round_to_scratch_alignment(std::size_t bytes) {
  return (bytes + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
}

// Hands out aligned arrays from a scratch area, front to back. Throws std::logic_error if the area is too small. A
// sorter asks for kScratchAlignment bytes more than its arrays need, because the area may start anywhere.
class ScratchArrays {
 public:
  explicit ScratchArrays(std::span<std::uint8_t> scratch) : rest_(scratch) {
    const std::size_t skip = -reinterpret_cast<std::uintptr_t>(scratch.data()) % kScratchAlignment;
    rest_ = skip <= rest_.size() ? rest_.subspan(skip) : std::span<std::uint8_t>{};
  }

  template <typename T>
  std::span<T> take(std::size_t count) {
    const std::size_t bytes = round_to_scratch_alignment(count * sizeof(T));
    if (bytes > rest_.size()) throw std::logic_error("a sorter was given less scratch than it asked for");
    const std::span<T> array(reinterpret_cast<T*>(rest_.data()), count);
    rest_ = rest_.subspan(bytes);
    return array;
  }

 private:
  std::span<std::uint8_t> rest_;
};

}  // namespace spillway
