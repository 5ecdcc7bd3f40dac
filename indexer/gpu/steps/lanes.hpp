// Steps that several threads take together: step(i, lanes) is called by each of them with the same i. On a GPU they are
// the threads of a warp (WarpLanes in indexer/gpu/pipeline/cuda_steps.cuh), on the host there is one.
#pragma once

#include <cstdint>

#include "sort/gpu/device/host_device.hpp"

namespace spillway {

struct OneLane {
  static constexpr unsigned kCount = 1;
  SPILLWAY_HOST_DEVICE static unsigned lane() { return 0; }
  // These combine the values of all lanes.
  SPILLWAY_HOST_DEVICE static std::uint32_t sum(std::uint32_t value) { return value; }
  SPILLWAY_HOST_DEVICE static std::uint32_t least(std::uint32_t value) { return value; }
  SPILLWAY_HOST_DEVICE static std::uint32_t most(std::uint32_t value) { return value; }
  SPILLWAY_HOST_DEVICE static std::uint32_t bits(std::uint32_t value) { return value; }
  // Counts the lanes for which it is true.
  SPILLWAY_HOST_DEVICE static std::uint32_t count(bool is_true) { return is_true ? 1 : 0; }
  // Bit i is is_set(i), for i below 64.
  template <typename IsSet>
  SPILLWAY_HOST_DEVICE static std::uint64_t mask(const IsSet& is_set) {
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < 64; ++i) bits |= std::uint64_t{is_set(i)} << i;
    return bits;
  }
};

// last_not_above() by lanes together, which probe as many elements at a time: log(count) / log(lanes + 1) steps.
template <typename Lanes, typename Value, typename Get>
SPILLWAY_HOST_DEVICE inline std::uint32_t last_not_above(const Lanes& lanes, std::uint32_t count, Value value,
                                                         const Get& get) {
  std::uint32_t low = 0, high = count;
  while (high - low > 1) {
    const std::uint32_t step = (high - low + Lanes::kCount) / (Lanes::kCount + 1);
    const std::uint32_t probe = low + (lanes.lane() + 1) * step;
    low += lanes.count(probe < high && get(probe) <= value) * step;
    high = high - low > step ? low + step : high;
  }
  return low;
}

}  // namespace spillway
