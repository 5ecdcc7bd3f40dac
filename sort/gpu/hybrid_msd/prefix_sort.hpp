// What `hybrid-msd` has sorted elsewhere: the first bytes of its strings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sort/gpu/device/memory.hpp"

namespace spillway {

// One sort of `count` prefixes; the functions are called once each, in this order. Throws GpuError.
class PrefixSort {
 public:
  virtual ~PrefixSort() = default;
  // fill(piece, from) writes the prefixes of strings from, from + 1, ... as numbers that compare as their bytes do.
  virtual void load(const std::function<void(std::span<std::uint64_t>, std::size_t)>& fill) = 0;
  virtual void sort() = 0;
  // Bit i is set where the i-th smallest prefix equals the one before it. (count + 31) / 32 words.
  virtual void take_ties(std::span<std::uint32_t> words) = 0;
  // take(piece, from) gets the numbers of the from-th smallest prefix's string and the following ones, equal prefixes
  // in the order of the strings. Later pieces are on their way meanwhile.
  virtual void take_order(const std::function<void(std::span<const std::uint32_t>, std::size_t)>& take) = 0;
};

// On the first usable GPU; `memory` is pinned for the copies (StagedCopy). Device memory: 25 bytes a prefix.
std::unique_ptr<PrefixSort> gpu_prefix_sort(std::size_t count, std::span<std::uint8_t> memory);

}  // namespace spillway
