// The part of `hybrid-msd` that runs on the GPU: a sort of 8-byte prefixes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "sort/gpu/device/memory.hpp"

namespace spillway {

// One sort of `count` prefixes. Requires: each function is called once, in this order. Throws GpuError.
class PrefixSort {
 public:
  virtual ~PrefixSort() = default;
  // fill(prefixes, from) writes the prefixes of strings from, from + 1, ... as big-endian numbers.
  virtual void load(const std::function<void(std::span<std::uint64_t>, std::size_t)>& fill) = 0;
  virtual void sort() = 0;
  // Sets bit i of `words` where the i-th smallest prefix equals the one before it, and clears the others. Requires:
  // (count + 31) / 32 words.
  virtual void take_ties(std::span<std::uint32_t> words) = 0;
  // take(numbers, from) receives the string numbers of the from-th smallest prefix and the following ones; equal
  // prefixes are in string order. The next numbers are copied meanwhile.
  virtual void take_order(const std::function<void(std::span<const std::uint32_t>, std::size_t)>& take) = 0;
};

// Sorts in a lane of gpu_sort_lanes(), of one of `gpus` (ids) or, if there are none, of any GPU, in 25 bytes of device
// memory a prefix. `memory` is pinned for the copies (StagedCopy) and outlives the result. Up to 12 levels of O(count)
// each.
std::unique_ptr<PrefixSort> gpu_prefix_sort(std::size_t count, std::span<std::uint8_t> memory,
                                            std::span<const int> gpus);

}  // namespace spillway
